import { expect, test } from "vitest";
import { judgeClock, type SeenClock } from "./judge-clock.ts";

const [hour, day] = [3_600_000, 86_400_000];
const start = Date.parse("2026-05-04T09:00:00.000Z");
const at = (milliseconds: number): Date => new Date(start + milliseconds);
const trusted: SeenClock = { seenAt: at(0), aheadMilliseconds: 0, jumpedAt: null };
const jumped: SeenClock = { seenAt: at(400 * day), aheadMilliseconds: 400 * day, jumpedAt: at(400 * day) };

/** By how many days expiry is behind the clock. */
const daysBehind = (seen: SeenClock | null, now: number, elapsed = 0): number =>
  judgeClock(seen, at(now), elapsed).aheadMilliseconds / day;

// "Deleting must not trust a clock that has just jumped."
test.each([
  ["a store that is new", null, 0, 0, 0],
  ["a server that was off for the night", trusted, 14 * hour, 0, 0],
  ["a server that has run for a week without its database", trusted, 7 * day, 7 * day, 0],
  ["a clock that is years ahead at a start", trusted, 4000 * day, 0, 4000],
  ["a clock that jumps while the server runs", trusted, 400 * day + hour, hour, 400],
  ["a clock that was set back", trusted, -400 * day, hour, 0],
  ["a clock that was years behind, and was then corrected", { ...trusted, seenAt: at(-400 * day) }, 0, 0, 400],
  ["a clock that jumps once more", jumped, 4000 * day, 0, 4000],
  ["a clock that jumped an hour ago", jumped, 400 * day + hour, hour, 400],
  ["a clock that goes on steadily for a day after its jump", jumped, 401 * day, hour, 0],
  ["a clock that is set back to the right time", jumped, hour, hour, 0],
  ["a clock that is set back by half of its jump", jumped, 200 * day, 0, 200],
  ["a node that was frozen while another one looked", jumped, 400 * day + hour, 30 * day, 400],
])("expiry follows %s", (_, seen, now, elapsed, behind) => {
  expect(daysBehind(seen, now, elapsed)).toBe(behind);
});

test("a wait of a day begins again with every jump", () => {
  const again = judgeClock(jumped, at(4000 * day), 0);
  expect(judgeClock(again, at(4000 * day + 23 * hour), 23 * hour)).toMatchObject({ jumpedAt: at(4000 * day) });
  expect(judgeClock(again, at(4001 * day), hour)).toMatchObject({ jumpedAt: null });
});
