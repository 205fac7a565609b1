import { expect, test } from "vitest";
import { node } from "../../test/support/systems/limit-calls.ts";
import { startLimitedWrite } from "../../test/support/systems/limited-write.ts";
import { createElapsedTime } from "../kernel/elapsed-time.ts";
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
    const { call, ports, world, viewer, marketing } = await startLimitedWrite(path, body);
    const limits = node(world);
    let suspended = 0;
    const time = createElapsedTime({ awake: () => 0, booted: () => suspended, wall: () => 0 });
    const noted: Attempt[][] = [];
    const outbound: typeof ports.outbound = {
      ...ports.outbound,
      send(request) {
        if (noted.length === 1) suspended = milliseconds;
        return ports.outbound.send(request);
      },
    };
    const journal = { intend: async (attempts: readonly Attempt[]) => void noted.push([...attempts]) };
    const end = await runStep(call, { ...ports, outbound, time, limits, journal });

    expect(end.status).toBe("succeeded");
    const { length } = (await marketing.requests(path)).filter(({ method }) => method === "POST");
    expect([noted.length, length]).toEqual([intents, 1]);
    if (intents > 1) expect(noted[1]?.[0]?.problem?.detail).toMatch(/took too long, and it was not sent/);
    await world.settle();
    const used = await limits.ofProject(viewer);
    expect(used.map((each) => [each.name, each.used])).toEqual([
      ["burst", 1],
      ["concurrent", 0],
      ["daily", 1],
    ]);
  },
);
