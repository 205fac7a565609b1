import { expect, test } from "vitest";
import { mistakesIn } from "./validator.ts";

test("a missing value is a mistake of its own field, and patterns are the server's to judge", () => {
  const schema = {
    type: "object",
    properties: { a: { type: "string", pattern: "^(x+)+$" }, n: { type: "number" } },
    required: ["a"],
  };
  const found = mistakesIn(schema as never, { n: "x" }).map(({ path, sentence }) => `${path.join("/")}: ${sentence}`);
  expect(found.toSorted()).toEqual(["a: This is needed.", "n: This has the wrong kind of value."]);
  expect(mistakesIn(schema as never, { a: "not x" })).toEqual([]);
});
