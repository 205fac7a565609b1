import { expect, test } from "vitest";
import { someText } from "./some-text.ts";

const isWanted = (text: string) => text === "here";

test("a string is found at any depth, as a value and as a name, and nothing else counts", () => {
  const holders = ["here", ["here"], { a: "here" }, { here: null }, { a: [{ b: ["", { here: 1 }] }] }];
  const without = [null, undefined, 1, true, "there", [], {}, { a: [null, { b: 2 }] }];
  expect(holders.map((value) => someText(value, isWanted))).toEqual(holders.map(() => true));
  expect(without.map((value) => someText(value, isWanted))).toEqual(without.map(() => false));
});
