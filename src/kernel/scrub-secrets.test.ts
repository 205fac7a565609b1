import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { scrub } from "./scrub-secrets.ts";

/** What counts as a secret, as one expression: right, and quadratic on hostile text. */
const shapes =
  /\b(?:sbk|sbs)_(?:au|eu|us)_[0-9A-Za-z]+|\bwhsec_[0-9A-Za-z+/=_-]+|\beyJ[\w-]+\.[\w-]+(?:\.[\w-]*)?|\bBearer\s+[^\s"\\]+/g;

const piece = fc.constantFrom(
  ...["sbk_", "sbs_", "us_", "eu_", "sbk_us_", "sbs_au_", "whsec_", "eyJ", "Bearer", "Bearer ", "bearer"],
  ...["a", "Z", "7", "_", "-", ".", "..", "+", "/", "=", " ", "\t", "\n", "\u00a0", "\u2028", '"', "\\", "é", "\ud800"],
);

describe("secrets in a text", () => {
  test("are found by their form, also next to each other", () => {
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 24 }), (pieces) => {
        const text = pieces.join("");
        expect(scrub(text)).toBe(text.replace(shapes, "[secret]"));
      }),
      { numRuns: 3000 },
    );
  });

  // "Nothing that an external system chooses may take more than 50 ms of the event loop": a quadratic walk takes minutes here.
  test.each(["eyJ-", "eyJ.", "eyJ-a.", "Bearer ", 'Bearer "', "sbk_us_", "sbk_us", "whsec_", "-eyJ", " ", "eyJ"])(
    "a megabyte of %j is searched in one walk",
    (unit) => {
      const text = `Bearer${unit.repeat(2 ** 20 / unit.length)}`;
      const before = process.threadCpuUsage();
      scrub(text);
      const { user, system } = process.threadCpuUsage(before);
      expect((user + system) / 1000).toBeLessThan(500);
    },
  );
});
