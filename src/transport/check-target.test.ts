import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { refuseTarget } from "./check-target.ts";

const origin = "https://api.example.com";

describe("a path that passes the check", () => {
  // Pieces that mean something to one parser or another, put together at random.
  const piece = fc.constantFrom(
    ...[
      "/",
      "//",
      ".",
      "..",
      "%2e",
      "%2F",
      "%5c",
      "%00",
      "\\",
      "@",
      ":",
      "?",
      "#",
      ";",
      "a",
      "v1",
      "rest",
      "evil.example",
    ],
    ...[
      " ",
      "\t",
      "\r\n",
      "ü",
      "~",
      "-",
      "_",
      "(",
      ")",
      "'",
      '"',
      "<",
      "{",
      "|",
      "^",
      "%25",
      "%252e",
      "http:",
      "&",
      "=",
      "+",
    ],
  );
  const path = fc.array(piece, { maxLength: 12 }).map((pieces) => `/${pieces.join("")}`);

  test("leads to the same origin and exactly that path, however it is joined", () => {
    fc.assert(
      fc.property(fc.oneof(path, fc.webUrl(), fc.string()), (target) => {
        if (refuseTarget(origin, target) !== null) return;
        for (const url of [new URL(target, origin), new URL(`${origin}${target}`)]) {
          expect(url.origin).toBe(origin);
          expect(url.pathname).toBe(target.split("?")[0]);
          expect(url.username + url.password + url.hash).toBe("");
        }
      }),
      { numRuns: 20_000 },
    );
  });
});
