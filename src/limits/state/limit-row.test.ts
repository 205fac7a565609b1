import { describe, expect, test } from "vitest";
import type { Demand } from "../../systems/define.ts";
import { emptyState, readState, type SubjectState, writeState } from "./limit-row.ts";
import { keepTurn } from "./node-turns.ts";
import { expire, recordOf, reserve, settle } from "./reservations.ts";

const at = { wall: Date.parse("2030-03-05T18:00:00Z"), steady: 5000 };
const later = { wall: at.wall + 1500, steady: at.steady + 1500 };
const demands: Demand[] = [
  { subject: "s", name: "burst", kind: "window", max: 100, amount: 1, windowSeconds: 20 },
  { subject: "s", name: "concurrent", kind: "concurrent", max: 10, amount: 1 },
  { subject: "s", name: "daily", kind: "calendar", max: 10_000, amount: 1, resets: { daily: "America/Chicago" } },
  { subject: "s", name: "list", kind: "reported", max: 500, amount: 1 },
];

function busyState(calls: number): SubjectState {
  const state = emptyState();
  for (const demand of demands) recordOf(state, demand, at.wall);
  for (let call = 0; call < calls; call++) reserve(state, { id: `node.${call}`, until: at.wall + 90_000 }, demands);
  return state;
}

describe("the row of a subject", () => {
  test("a row reads as it was written", () => {
    const state = busyState(3);
    settle(state, {
      id: "node.0",
      outcome: "arrived",
      reports: [{ subject: "s", name: "list", remaining: 7, resetsAt: new Date(at.wall + 9000) }],
      at: at.wall,
    });
    settle(state, {
      id: "node.1",
      outcome: "arrived",
      reports: [{ subject: "s", name: "burst", remaining: 0, resetsAt: new Date(at.wall + 7000) }],
      at: at.wall,
    });
    keepTurn(state, "node.a", "burst", at.wall);
    expect(readState(writeState(state, at), at)).toEqual(state);
    expect(readState(writeState(state, at), later)).toEqual(state);
  });

  test("no time that a wrong clock wrote is later than the longest period of a system", () => {
    const state = busyState(1);
    const resetsAt = new Date(at.wall + 10 * 365 * 86_400_000);
    const reports = ["list", "burst"].map((name) => ({ subject: "s", name, remaining: 0, resetsAt }));
    settle(state, { id: "node.0", outcome: "arrived", reports, at: at.wall });
    expire(state, at.wall);
    expect([state.limits.get("list"), state.limits.get("burst")]).toMatchObject([
      { resetsAt: at.wall },
      { pausedUntil: 0 },
    ]);
  });

  test("it stays short: a hundred calls of one window take less than 2 KB", () => {
    const state = busyState(100);
    for (let call = 0; call < 90; call++)
      settle(state, { id: `node.${call}`, outcome: "arrived", at: at.wall + call * 200 });
    expect(writeState(state, { ...at, wall: at.wall + 20_000 }).length).toBeLessThan(2000);
  });

  test("answers close together share an entry, and none is counted earlier than it arrived", () => {
    const state = busyState(50);
    for (let call = 0; call < 50; call++) settle(state, { id: `node.${call}`, outcome: "arrived", at: at.wall + call });
    const record = state.limits.get("burst");
    const ended = record?.kind === "window" ? record.ended : [];
    expect(ended.length).toBeLessThan(5);
    expect(ended.reduce((sum, { count }) => sum + count, 0)).toBe(50);
    expect(ended.at(-1)?.at).toBeGreaterThanOrEqual(at.wall + 49);
  });

  test("an unknown limit that is reported as used up pauses every limit of the call", () => {
    const state = busyState(1);
    const news = { subject: "s", name: "something else", remaining: 0, resetsAt: new Date(at.wall + 5000) };
    settle(state, { id: "node.0", outcome: "arrived", reports: [news], at: at.wall });
    expect([...state.limits.values()].map(({ pausedUntil }) => pausedUntil)).toEqual(Array(4).fill(at.wall + 5000));
  });

  test("an answer after the reservation expired counts from its arrival", () => {
    const state = busyState(1);
    expire(state, at.wall + 95_000);
    const amounts = { burst: 1, concurrent: 1, daily: 1 };
    settle(state, { id: "node.0", outcome: "arrived", at: at.wall + 95_000, amounts });
    const [burst, daily] = [state.limits.get("burst"), state.limits.get("daily")];
    expect(burst?.kind === "window" && burst.ended.at(-1)?.at).toBeGreaterThanOrEqual(at.wall + 95_000);
    expect(daily?.kind === "calendar" && daily.used).toBe(1);
  });
});
