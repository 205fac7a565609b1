import { describe, expect, test } from "vitest";
import { describeOnBothStores } from "../../../test/support/stores.ts";
import { burst, daily, node, open, use, viewerOf } from "../../../test/support/systems/limit-calls.ts";
import { historyOf } from "./history.ts";

describeOnBothStores("the history of a limit", (kind) => {
  test("shows what was used in each five minutes, until the limit refills, and only for a day", async () => {
    const world = await open(kind, "2030-03-05T18:00:00Z");
    const limits = node(world, { isHistoryKept: true });
    const read = async (hours: number, viewer = viewerOf()) => {
      const shown = await limits.states([burst(5), daily(100)], viewer);
      return (await limits.history(shown, viewer, hours)).map(({ used }) => used.filter((count) => count !== null));
    };
    await use(world, limits, [burst(5), daily(100)], 3);
    await world.advance(11 * 60_000);
    expect(await read(1)).toEqual([
      [3, 0, 0],
      [3, 3, 3],
    ]);
    expect(await read(1, viewerOf("prj_2"))).toEqual([[0], [3]]);
    await world.advance(12 * 3_600_000);
    await use(world, limits, [burst(5), daily(100)], 1);
    await world.advance(20_000);
    expect((await read(1)).map((used) => [used[0], used.at(-1)])).toEqual([
      [0, 1],
      [3, 1],
    ]);
    expect((await read(24))[1]?.filter((count) => count === 3)).toHaveLength(144);
    await world.advance(13 * 3_600_000);
    await use(world, limits, [burst(5), daily(100)], 1);
    await world.advance(20_000);
    const [oldest] = await world.store.query<{ at: string }>("select min(at) as at from limit_history");
    expect(oldest?.at).toBe("2030-03-06T06:10:00.000Z");
    await limits.close();
  });
});

describe("the end of a limit", () => {
  const now = Date.parse("2030-03-05T18:30:00Z");
  const midnight = "2030-03-06T00:00:00.000Z";
  const present = {
    kind: "calendar",
    window_seconds: null,
    max: 1000,
    assumed: false,
    reserved: 0,
    resets_at: midnight,
  } as const;
  const sample = (minutesAgo: number, used: number) => ({
    subject: "s",
    name: "daily",
    at: new Date(now - minutesAgo * 60_000).toISOString(),
    peak: used,
    used,
    max: 1000,
    resetsAt: midnight,
  });
  test.each([
    ["at 20 a minute, 400 last twenty minutes", [sample(30, 0)], 600, "2030-03-05T18:50:00.000Z"],
    ["only the last hour counts", [sample(300, 0), sample(60, 500)], 600, "2030-03-05T22:30:00.000Z"],
    ["at a slow pace it lasts until it refills", [sample(30, 590)], 600, null],
    ["what was used before it refilled does not count", [sample(60, 900), sample(30, 580)], 600, null],
    ["nothing is foretold from a single moment", [], 600, null],
    ["what is used up already is not foretold", [sample(30, 0)], 1000, null],
  ])("%s", (_, samples, used, exhausted_at) => {
    const measured = { ...present, used, left: 1000 - used };
    expect(historyOf(samples, measured, 1, now).exhausted_at).toBe(exhausted_at);
  });
});
