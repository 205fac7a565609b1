import { expect, test } from "vitest";
import { Problem } from "../../../kernel/problem.ts";
import { readResponse } from "./decode-response.ts";

const nested = (levels: number) => `${"<a>".repeat(levels)}${"</a>".repeat(levels)}`;
const within = (inner: string) => `<a>${inner}</a>`;
const attributes = (count: number) => Array.from({ length: count }, (_, index) => ` b${index}="c"`).join("");

function reasonOf(text: string): unknown {
  try {
    readResponse(Buffer.from(text).toString("base64"));
    return null;
  } catch (error) {
    if (error instanceof Problem) return error.extras.more?.reason;
    throw error;
  }
}

// Beyond these, the libraries behind the scan take seconds.
test.each([
  ["1,000 elements", within("<b/>".repeat(999)), within("<b/>".repeat(1000)), "more than 1000 elements"],
  ["32 levels", nested(32), nested(33), "more than 32 levels deep"],
  ["32 attributes of an element", `<a${attributes(32)}/>`, `<a${attributes(33)}/>`, "more than 32 attributes"],
  [
    "2,000 attributes",
    within(`<b${attributes(25)}/>`.repeat(80)),
    within(`<b${attributes(25)}/>`.repeat(81)),
    "more than 2000 attributes",
  ],
  ["8 kB of an attribute", `<a b="${"c".repeat(8_192)}"/>`, `<a b="${"c".repeat(8_193)}"/>`, "8192"],
  ["128 kB of text", within("b".repeat(131_072)), within("b".repeat(131_073)), "131072"],
  ["256 kB", within(" ".repeat(10)), within(`<b c="${"d".repeat(8_000)}"/>`.repeat(33)), "too large"],
])("a response has at most %s", (_, largest, tooLarge, says) => {
  expect(reasonOf(largest)).toBeNull();
  expect(reasonOf(tooLarge)).toContain(says);
});
