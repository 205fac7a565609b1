import { describe, expect, test } from "vitest";
import { createPart, createSample } from "./deal.ts";
import { nearMatchesOf } from "./near-matches.ts";
import { attacksIn, targetAt } from "./texts.ts";
import type { Place } from "./values.ts";

/** What each body of JSON gets: too little, and `hostile-input.test.ts` shows less than it says. */
describe("the attacks on one body", () => {
  const nearMatches = ["a+", "(?:b|c)+d", "[ef]*g"].flatMap((source) => nearMatchesOf({ source, flags: "" }));
  const short: Place = { path: ["short"], takesText: true, takesMany: false, charactersMax: 50 };
  const body = { base: { kept: 1, list: [] }, bytesMax: 400 * 1024 };
  const deals = [createSample(nearMatches, 1), createSample(nearMatches, 2), createPart(nearMatches, 1, 3)];
  const sent = (places: Place[], deal = createSample(nearMatches, 1)) => [...attacksIn(places, body, deal)];

  test.each(deals)("one text, one object and one list are as large as it may be", (deal) => {
    for (const places of [[short, targetAt(["list", 0])], [short], []]) {
      const values = sent(places, deal)
        .filter(([, json]) => Buffer.byteLength(json) > body.bytesMax * 0.75)
        .map(([name]) => name);
      for (const kind of [/characters of/, /: (an object|very deep, in objects)/, /: (a list|very deep,|white space)/])
        expect(
          values.some((name) => kind.test(name)),
          `${kind} in ${values}`,
        ).toBe(true);
    }
    for (const [, json] of sent([short, targetAt(["any"])], deal))
      expect(Buffer.byteLength(json)).toBeLessThan(body.bytesMax);
  });

  test("texts for every field together are no longer than each may be, and keep what else is there", () => {
    const together = sent([short, targetAt(["any"]), targetAt(["list", 0]), targetAt(["list"])])
      .filter(([name]) => name.startsWith("together"))
      .map(([, json]) => JSON.parse(json));
    expect(together.length).toBeGreaterThan(1);
    for (const each of together) {
      expect(each).toEqual({ kept: 1, short: expect.any(String), any: expect.any(String), list: [expect.any(String)] });
      expect(each.short.length).toBeLessThanOrEqual(50);
      expect(each.any.length).toBeGreaterThan(1000);
    }
  });
});
