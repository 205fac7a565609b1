import { expect, test } from "vitest";
import { sentTimesOf } from "./open-write.ts";

const at = (seconds: number): string => new Date(Date.UTC(2026, 0, 1) + seconds * 1000).toISOString();
const sent = (seconds: number, method = "PATCH", effect: "update" | "read" = "update") => ({
  request: { method, url: "https://example.com/v9/projects/web", headers: {} },
  effect,
  sent_at: at(seconds),
  waited_ms: 0,
});

// What a record shows is compared with these times: any of the tries may be the one that happened.
test.each([
  ["no write", [sent(0, "GET", "read")], null],
  ["one", [sent(5)], [5, 5]],
  ["its repeats, with reads in between", [sent(0), sent(60, "GET", "read"), sent(61), sent(122)], [0, 122]],
  ["another write before it", [sent(0, "POST"), sent(1), sent(2)], [1, 2]],
  ["a try of long before, which is settled", [sent(0), sent(101), sent(102)], [101, 102]],
])("when the last write was sent, first and last: %s", (_, attempts, expected) => {
  const times = sentTimesOf({ attempts });
  const [first = 0, last = 0] = expected ?? [];
  expect(times).toEqual(expected && { first: new Date(at(first)), last: new Date(at(last)) });
});
