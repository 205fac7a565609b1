import { expect, test } from "vitest";
import { addExpression, expressionsIn, replaceExpressions } from "./text-in-braces.ts";

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

test("a picked value goes behind what is typed, and takes the place of another one that stands alone", () => {
  expect(addExpression("", "a")).toBe("{{a}}");
  expect(addExpression("/v13/deployments/", "a")).toBe("/v13/deployments/{{a}}");
  expect(addExpression("/{{a}}/", "b")).toBe("/{{a}}/{{b}}");
  expect(addExpression(" {{a}} ", "b")).toBe("{{b}}");
});
