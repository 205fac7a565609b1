import { expect, test } from "vitest";
import { startPlatform } from "../../test/support/platform.ts";
import { node, open } from "../../test/support/systems/limit-calls.ts";
import { createElapsedTime } from "../kernel/elapsed-time.ts";
import { findStep } from "../systems/index.ts";
import type { Attempt } from "./ports.ts";
import { runStep } from "./run-step.ts";

const path = "/rest/v1/leads.json";
const body = { action: "createOrUpdate", lookupField: "email", input: [{ email: "frozen@example.com" }] };

// R6: "Signalbox stays within the limits of a connected account." The reservation of a write counts from its intent: it ends when the
// vendor has given up a write that left at most 8 seconds later.
test.each([
  ["8 s", 8_000, 1],
  ["9 s", 9_000, 2],
])(
  "a write whose machine was suspended for %s while it connected is sent once, with a reservation that lasts",
  async (_, milliseconds, intents) => {
    const { app, connections, projectId, sandboxes } = await startPlatform("sqlite");
    const connection = await app.context.rooms.vault.find(projectId, connections.marketing);
    const step = findStep("marketing_api_call");
    if (!step || !connection) throw new Error("Something is missing.");
    const world = await open("sqlite");
    const limits = node(world);
    let suspended = 0;
    const time = createElapsedTime({ awake: () => 0, booted: () => suspended, wall: () => 0 });
    const now = () => new Date(world.now());
    const later = new Date(world.now() + 900_000);
    const call = {
      step,
      input: { method: "POST", endpoint: path, body },
      connection,
      context: { intentId: "run_1", now: now(), identity: connection.identity },
      fence: { isHeld: () => true },
      runId: "run_1",
      callerId: "run_1",
      waitUntil: later,
      stayUntil: later,
    };
    const noted: Attempt[][] = [];
    const { steps } = app.context.rooms;
    const outbound: typeof steps.outbound = {
      ...steps.outbound,
      send(request) {
        if (noted.length === 1) suspended = milliseconds;
        return steps.outbound.send(request);
      },
    };
    const journal = { intend: async (attempts: readonly Attempt[]) => void noted.push([...attempts]) };
    const end = await runStep(call, { ...steps, outbound, now, time, limits, journal });

    expect(end.status).toBe("succeeded");
    const { length } = (await sandboxes.marketing.requests(path)).filter(({ method }) => method === "POST");
    expect([noted.length, length]).toEqual([intents, 1]);
    if (intents > 1) expect(noted[1]?.[0]?.problem?.detail).toMatch(/took too long, and it was not sent/);
    await world.settle();
    const used = await limits.ofProject({ organizationId: connection.organizationId, projectId });
    expect(used.map((each) => [each.name, each.used])).toEqual([
      ["burst", 1],
      ["concurrent", 0],
      ["daily", 1],
    ]);
  },
);
