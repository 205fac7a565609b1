import { describe, expect, test } from "vitest";
import {
  createCountingWorld as createWorld,
  nothing,
  randomOf,
  send,
} from "../../../../test/support/calls/counting-world.ts";

describe("a limit that nodes share", () => {
  test.each(Array.from({ length: 12 }, (_, index) => index + 1))(
    "admits within 5 percent of its quota, whichever nodes a caller uses and however slow the exchange is (seed %i)",
    async (seed) => {
      const random = randomOf(seed);
      const nodes = 1 + Math.floor(random() * 5);
      const quota = [7, 40, 200, 1200, 6000][Math.floor(random() * 5)] as number;
      const slowest = [0, 2, 20, 300][Math.floor(random() * 4)] as number;
      const { limits, advance } = createWorld({ nodes, quota, latency: () => random() * slowest });
      const outcome = nothing();
      // Three times the quota within a part of one window, in bursts to one node or to all of them in turn.
      for (let sent = 0; sent < quota * 3; ) {
        const burst = Math.min(quota * 3 - sent, 1 + Math.floor(random() * quota * 0.3));
        const fixed = random() < 0.5 ? Math.floor(random() * nodes) : null;
        for (let each = 0; each < burst; each++) send(limits[fixed ?? each % nodes], outcome);
        sent += burst;
        await advance(random() * 600);
      }
      await advance(1_500);
      expect(outcome.admitted).toBeLessThanOrEqual(Math.floor(quota * 1.05));
      // What idle nodes had taken is back: a caller that continues gets the whole quota.
      for (let each = 0; each < nodes * 4; each++) {
        send(limits[each % nodes], outcome);
        await advance(1_200);
      }
      expect(outcome.admitted).toBeGreaterThanOrEqual(Math.floor(quota * 0.95));
      expect(outcome.admitted).toBeLessThanOrEqual(Math.floor(quota * 1.05));
    },
  );

  test.each([1, 2, 3, 4, 5, 6])(
    "admits within 5 percent of its quota in each window, of a caller who never pauses between windows (seed %i)",
    async (seed) => {
      const random = randomOf(seed);
      const nodes = 2 + Math.floor(random() * 3);
      const quota = [40, 200, 1200][Math.floor(random() * 3)] as number;
      const slowest = [2, 20, 300][Math.floor(random() * 3)] as number;
      const { limits, advance, windows } = createWorld({ nodes, quota, latency: () => random() * slowest });
      const outcome = nothing();
      const perStep = Math.ceil(quota / 100);
      for (let step = 0; step < 1_000; step++) {
        for (let each = 0; each < perStep; each++) send(limits[(step + each) % nodes], outcome);
        await advance(250 * random());
      }
      await advance(2_500);
      expect(windows()).toBeGreaterThanOrEqual(2);
      expect(outcome.admitted).toBeLessThanOrEqual(Math.floor(quota * 1.05) * windows());
      expect(outcome.admitted).toBeGreaterThanOrEqual(Math.floor(quota * 0.95) * (windows() - 1));
    },
  );

  test("a caller far below the quota causes no question to the database and never waits", async () => {
    const { limits, advance, questions } = createWorld({ nodes: 3, quota: 6000, latency: () => 5 });
    const outcome = nothing();
    for (let each = 0; each < 90; each++) send(limits[each % 3], outcome);
    await advance(30_000);
    expect(questions()).toBe(0);
    expect(outcome).toEqual({ admitted: 90, refused: 0, waited: 0 });
  });

  test("a caller at a steady speed near the quota never waits and is never refused", async () => {
    const { limits, advance, questions } = createWorld({ nodes: 3, quota: 1200, latency: () => 5 });
    const outcome = nothing();
    for (let each = 0; each < 1_140; each++) {
      send(limits[each % 3], outcome);
      await advance(50);
    }
    expect(outcome).toEqual({ admitted: 1_140, refused: 0, waited: 0 });
    expect(questions()).toBeLessThan(200);
  });

  test("each node continues with its own count while the database is away, and they count together again", async () => {
    const { limits, advance, setAway } = createWorld({ nodes: 2, quota: 100, latency: () => 1 });
    const [one, other] = limits;
    setAway(true);
    const away = nothing();
    for (let each = 0; each < 150; each++) {
      send(one, away);
      await advance(20);
    }
    expect(away).toMatchObject({ admitted: 100, refused: 50 });
    setAway(false);
    await advance(3_000);
    const back = nothing();
    for (let each = 0; each < 20; each++) {
      send(other, back);
      await advance(50);
    }
    expect(back.admitted).toBeLessThanOrEqual(5);
    await advance(60_000);
    const next = nothing();
    send(other, next);
    await advance(100);
    expect(next).toMatchObject({ admitted: 1, refused: 0 });
  });

  // "If the database does not respond, each node counts for itself after at most 2 seconds. From then on no call waits for a count."
  test("of the calls that come while the database hangs, only the first waits, and nodes count together afterwards", async () => {
    const { limits, advance, startHang } = createWorld({ nodes: 100, quota: 100, latency: () => 1 });
    const [one, other] = limits;
    const endHang = startHang();
    const hung = nothing();
    send(one, hung);
    await advance(2_000);
    expect(hung).toEqual({ admitted: 1, refused: 0, waited: 1 });
    const later = await one?.admit(["default"], "another key");
    expect(later?.state).toContain("r=99");
    for (let each = 0; each < 60; each++) send(one, hung);
    expect(hung).toEqual({ admitted: 61, refused: 0, waited: 1 });
    endHang();
    await advance(3_000);
    const back = nothing();
    for (let each = 0; each < 60; each++) send(other, back);
    await advance(100);
    expect(back).toMatchObject({ admitted: 39, refused: 21 });
  });

  test("the header counts the calls of other nodes too", async () => {
    const { limits, advance } = createWorld({ nodes: 2, quota: 1000, latency: () => 1 });
    const outcome = nothing();
    for (let each = 0; each < 500; each++) {
      send(limits[0], outcome);
      await advance(5);
    }
    for (let each = 0; each < 20; each++) {
      send(limits[1], outcome);
      await advance(5);
    }
    await advance(2_500);
    const headers = await limits[1]?.admit(["default"], "key");
    const left = Number(/r=(\d+)/.exec(headers?.state ?? "")?.[1]);
    expect(Math.abs(left - (1000 - 521))).toBeLessThanOrEqual(50);
  });
});
