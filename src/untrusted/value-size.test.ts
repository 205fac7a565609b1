import { expect, test } from "vitest";
import { longestPause } from "../../test/attacks/support/watch-loop.ts";
import { sizeOfJson, sizeOfValue } from "./value-size.ts";

const values = [
  ...[1, "", "a", [], {}, [[]], [""], { a: 1 }, [1, 2, [3, { b: "c", d: [null, true] }]]],
  ...['with "quotes", [and] {more}', "ends in a backslash \\", Array(20_000).fill('"\\"'), Array(100_000).fill(7)],
];

test("the size by the text is at least the one by the values, and of the same order", async () => {
  for (const value of values) {
    const text = JSON.stringify(value);
    const [byText, byValue] = [await sizeOfJson(text), sizeOfValue(value)];
    expect([text.slice(0, 50), byText.memory >= byValue.memory - 8]).toEqual([text.slice(0, 50), true]);
    expect([text.slice(0, 50), byText.memory <= 4 * byValue.memory + 8]).toEqual([text.slice(0, 50), true]);
    const nodes = text.replace(/"(?:[^"\\]|\\.)*"/g, "").match(/[,[{]/g)?.length ?? 0;
    expect([text.slice(0, 50), byText.weight]).toEqual([text.slice(0, 50), text.length + 8 * nodes]);
  }
});

test("a text that is no JSON has some size", async () => {
  for (const text of ["", '"', '["', "[,,", "}}", '"\\']) {
    expect((await sizeOfJson(text)).memory).toBeGreaterThanOrEqual(2 * text.length);
  }
});

test("forty megabytes, whatever they hold, do not block the event loop", async () => {
  for (const unit of ['"",', "1,"]) {
    const text = unit.repeat(40_000_000 / unit.length);
    expect([unit, (await longestPause(async () => void (await sizeOfJson(text)))) < 200]).toEqual([unit, true]);
  }
});
