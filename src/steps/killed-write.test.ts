import { expect, test } from "vitest";
import { node } from "../../test/support/systems/limit-calls.ts";
import { startLimitedWrite } from "../../test/support/systems/limited-write.ts";
import { releaseAllReservations } from "../limits/limits.ts";
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
    const { call, ports, world, viewer } = await startLimitedWrite(endpoint, { input: [{}] });
    const dying = node(world);
    const intended = Promise.withResolvers<void>();
    // The process dies while it waits for the commit of the intent.
    const intend = () => {
      intended.resolve();
      return new Promise<never>(() => {});
    };
    void runStep(call, { ...ports, limits: dying, journal: { intend } });
    await intended.promise;
    await world.settle();
    await dying.close();
    await releaseAllReservations(world.store, world.clock);

    const limits = node(world);
    const held = async () =>
      (await limits.ofProject(viewer)).filter(({ name }) => name === "concurrent").map(({ used }) => used);
    expect(await held()).toEqual([1]);
    await world.advance(seconds * 1000 - 1);
    expect(await held()).toEqual([1]);
    await world.advance(1);
    expect(await held()).toEqual([0]);
  },
);
