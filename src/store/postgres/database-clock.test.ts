import { afterEach, beforeEach, describe, expect, inject, test, vi } from "vitest";
import { cleanUpLater, newPostgresDatabase } from "../../../test/support/stores.ts";
import { createLog } from "../../kernel/log.ts";
import { followDatabaseClock, readDatabaseTime } from "./database-clock.ts";
import { openPostgres } from "./postgres.ts";

const log = createLog("silent", { write: () => {} });
const start = Date.UTC(2026, 0, 1);
const hour = 3_600_000;

/** A database, and this machine. Each clock shows what the test says. */
function startClocks() {
  const time = { database: start, steady: 0, wall: start, response: 2, isAway: false };
  const pass = (milliseconds: number) => {
    time.database += milliseconds;
    time.steady += milliseconds;
    time.wall += milliseconds;
  };
  const readTime = async () => {
    if (time.isAway) throw new Error("The database does not respond.");
    pass(time.response / 2);
    const read = time.database;
    pass(time.response / 2);
    return read;
  };
  return { time, pass, readTime, own: { steady: () => time.steady, wall: () => time.wall } };
}

// "Clock jumps of years both ways": leases of a node with a wrong clock would end at once for all others, or never.
describe("the time of a node on PostgreSQL", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  async function follow() {
    const clocks = startClocks();
    const clock = await followDatabaseClock(clocks.readTime, log, clocks.own);
    const wrongBy = () => clock.now().getTime() - clocks.time.database;
    const tick = async (milliseconds: number) => {
      clocks.pass(milliseconds);
      await vi.advanceTimersByTimeAsync(milliseconds);
    };
    return { ...clocks, clock, wrongBy, tick };
  }

  test("is the database's, whatever the node's own clock shows, from the start and after each jump", async () => {
    const { time, wrongBy, tick } = await follow();
    expect(wrongBy()).toBe(0);
    for (const jump of [400 * 24 * hour, -800 * 24 * hour, 10 * 365 * 24 * hour]) {
      time.wall += jump;
      expect(wrongBy()).toBe(0);
      await tick(1000);
      expect(wrongBy()).toBe(0);
    }
  });

  test("is right again within a second after the machine was suspended: its own clocks stood still, but for the wall's", async () => {
    const { time, wrongBy, tick } = await follow();
    time.database += hour;
    time.wall += hour;
    expect(wrongBy()).toBe(-hour);
    await tick(1000);
    expect(wrongBy()).toBe(0);
  });

  test("follows another server after a failover within ten seconds, and goes on while none responds", async () => {
    const { time, wrongBy, tick } = await follow();
    time.isAway = true;
    await tick(60_000);
    expect(wrongBy()).toBe(0);
    time.isAway = false;
    time.database += 5000;
    await tick(10_000);
    expect(wrongBy()).toBe(0);
  });

  test("does not follow a slow response, of which nobody knows when the database read its clock", async () => {
    const { time, wrongBy, tick } = await follow();
    time.response = 900;
    await tick(10_000);
    expect(wrongBy()).toBe(0);
  });

  test("cannot be told if the database does not respond at the start", async () => {
    const { time, readTime, own } = startClocks();
    time.isAway = true;
    await expect(followDatabaseClock(readTime, log, own)).rejects.toThrow("does not respond");
  });
});

describe.skipIf(inject("postgresUrl") === null)("the time of a PostgreSQL server", () => {
  test("lies between two moments at which it is read, for a node whose clock is an hour ahead", async () => {
    const db = openPostgres(await newPostgresDatabase(), 2);
    cleanUpLater(() => db.close());
    const own = { steady: () => performance.now(), wall: () => Date.now() + hour };
    const before = await readDatabaseTime(db);
    const clock = await followDatabaseClock(() => readDatabaseTime(db), log, own);
    cleanUpLater(async () => clock.stop());
    const shown = clock.now().getTime();
    const after = await readDatabaseTime(db);
    const halfAMinute = 30_000;
    expect(shown).toBeGreaterThan(before - halfAMinute);
    expect(shown).toBeLessThan(after + halfAMinute);
  });
});
