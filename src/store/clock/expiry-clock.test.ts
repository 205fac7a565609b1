import { expect, test } from "vitest";
import { describeOnBothStores, newStore } from "../../../test/support/stores.ts";
import { createElapsedTime } from "../../kernel/elapsed-time.ts";
import { createLog } from "../../kernel/log.ts";
import type { Store } from "../db.ts";
import { openExpiryClock } from "./expiry-clock.ts";

const [hour, day] = [3_600_000, 86_400_000];

/** A machine whose wall clock can be set, beside the time that really passes. */
function machine() {
  const start = Date.parse("2026-05-04T09:00:00.000Z");
  let [passed, offset] = [0, 0];
  const time = createElapsedTime({ awake: () => passed, booted: () => passed, wall: () => 0 });
  return {
    time,
    wall: () => new Date(start + passed + offset),
    pass(milliseconds: number) {
      passed += milliseconds;
    },
    jump(milliseconds: number) {
      offset += milliseconds;
    },
    /** The days since the start, as a clock shows them. */
    daysOf: (now: Date) => (now.getTime() - start) / day,
  };
}

async function open(store: Store, { wall, time }: ReturnType<typeof machine>) {
  const logged: string[] = [];
  const log = createLog("info", { write: (line) => void logged.push(JSON.parse(line).msg) });
  const clock = await openExpiryClock(store, wall, log, time);
  return { ...clock, logged };
}

describeOnBothStores("the clock that decides what has expired", (kind) => {
  // "Deleting must not trust a clock that has just jumped."
  test("does not follow a jump forward, from its first moment, and goes on as time passes", async () => {
    const [store, own] = [await newStore(kind), machine()];
    const { now, check, stop, logged } = await open(store, own);
    own.pass(hour);
    await check();
    own.jump(400 * day);
    expect(own.daysOf(now())).toBeCloseTo(1 / 24);
    own.pass(hour);
    expect(own.daysOf(now())).toBeCloseTo(2 / 24);
    await check();
    own.pass(hour);
    expect(own.daysOf(now())).toBeCloseTo(3 / 24);
    own.jump(-400 * day);
    await check();
    expect(now()).toEqual(own.wall());
    expect(logged).toEqual([expect.stringMatching(/^the clock has jumped forward/), "expiry follows the clock again"]);
    stop();
  });

  // "What was acknowledged is there."
  test("keeps what was made by a clock that was behind for seconds, when it is set right again", async () => {
    const [store, own] = [await newStore(kind), machine()];
    const { now, look, stop } = await open(store, own);
    own.pass(1000);
    own.jump(-400 * day);
    await look();
    const madeAt = own.wall();
    own.pass(5000);
    await look();
    own.jump(400 * day);
    expect(now().getTime() - madeAt.getTime()).toBe(5000);
    await look();
    expect(now().getTime() - madeAt.getTime()).toBe(5000);
    stop();
  });

  test("remembers a jump across a restart, and follows the clock after a steady day", async () => {
    const [store, own] = [await newStore(kind), machine()];
    (await open(store, own)).stop();
    own.jump(4000 * day);
    const first = await open(store, own);
    expect(own.daysOf(first.now())).toBeCloseTo(0);
    first.stop();
    own.pass(20 * hour);
    const second = await open(store, own);
    expect(own.daysOf(second.now())).toBeCloseTo(20 / 24);
    own.pass(5 * hour);
    await second.check();
    expect(second.now()).toEqual(own.wall());
    second.stop();
  });

  test("counts a jump once, however many nodes find it", async () => {
    const [store, own] = [await newStore(kind), machine()];
    const nodes = [await open(store, own), await open(store, own), await open(store, own)];
    own.jump(400 * day);
    await Promise.all(nodes.map(({ check }) => check()));
    await Promise.all(nodes.map(({ check }) => check()));
    expect(nodes.map(({ now }) => own.daysOf(now()))).toEqual([0, 0, 0]);
    for (const { stop } of nodes) stop();
  });
});
