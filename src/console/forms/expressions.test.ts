import { expect, test } from "vitest";
import { expressionsIn, replaceExpressions } from "./expressions.ts";

test("expressions stand between double braces, over several lines too", () => {
  const text = "a {{b}} c {{\nd\n}}{{e";
  expect(expressionsIn(text)).toEqual(["b", "\nd\n"]);
  expect(replaceExpressions(text, (expression) => expression.toUpperCase())).toBe("a B c \nD\n{{e");
  expect(replaceExpressions("none", () => "x")).toBe("none");
});

test("a text of nothing but opening braces is read once", () => {
  const text = "{{".repeat(500_000);
  expect(replaceExpressions(text, () => "")).toBe(text);
});
