import { expect, test } from "vitest";
import { printDouble } from "./numbers.ts";

test.each([
  [7, "7"],
  [0, "0"],
  [0.5, "0.5"],
  [67 / 140, "0.47857142857142859"],
  [500 / 812, "0.61576354679802958"],
  [0.1, "0.1"],
  [1234.5, "1234.5"],
  [1e-7, "1e-07"],
])("prints %d as %s", (value, text) => expect(printDouble(value)).toBe(text));

test("what is printed reads back as the same number", () => {
  for (let part = 1; part < 500; part++) expect(Number(printDouble(part / 997))).toBe(part / 997);
});
