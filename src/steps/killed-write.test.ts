import { expect, test } from "vitest";
import { startPlatform } from "../../test/support/platform.ts";
import { node, open } from "../../test/support/systems/limit-calls.ts";
import { releaseAllReservations } from "../limits/limits.ts";
import { findStep } from "../systems/index.ts";
import { runStep } from "./run-step.ts";

const activity = "/rest/v1/activities/external.json";
const leads = "/rest/v1/leads.json";

// "A place whose call may still be at work at the vendor is freed when that call's own deadline is over", and only then.
// "Server time-outs: 30 s; query by filter or list 60 s; sync leads 90 s." A write leaves at most 8 seconds after its intent.
test.each([
  ["30 s", activity, 38],
  ["90 s", leads, 98],
])(
  "a write that was killed with its process holds its concurrent slot until the vendor has given it up: %s",
  async (_, endpoint, seconds) => {
    const { app, connections, projectId } = await startPlatform("sqlite");
    const connection = await app.context.rooms.vault.find(projectId, connections.marketing);
    const step = findStep("marketing_api_call");
    if (!step || !connection) throw new Error("Something is missing.");
    const world = await open("sqlite");
    const dying = node(world);
    const now = () => new Date(world.now());
    const later = new Date(world.now() + 900_000);
    const intended = Promise.withResolvers<void>();
    const call = {
      step,
      input: { method: "POST", endpoint, body: { input: [{}] } },
      connection,
      context: { intentId: "run_1", now: now(), identity: connection.identity },
      fence: { isHeld: () => true },
      runId: "run_1",
      callerId: "run_1",
      waitUntil: later,
      stayUntil: later,
    };
    // The process dies while it waits for the commit of the intent.
    const intend = () => {
      intended.resolve();
      return new Promise<never>(() => {});
    };
    void runStep(call, { ...app.context.rooms.steps, now, limits: dying, journal: { intend } });
    await intended.promise;
    await world.settle();
    await dying.close();
    await releaseAllReservations(world.store, world.clock);

    const limits = node(world);
    const viewer = { organizationId: connection.organizationId, projectId };
    const held = async () =>
      (await limits.ofProject(viewer)).filter(({ name }) => name === "concurrent").map(({ used }) => used);
    expect(await held()).toEqual([1]);
    await world.advance(seconds * 1000 - 1);
    expect(await held()).toEqual([1]);
    await world.advance(1);
    expect(await held()).toEqual([0]);
  },
);
