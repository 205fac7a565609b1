import { expect, test } from "vitest";
import { rememberText, textOf } from "./large-outputs.ts";

test("each output has its own text, however alike two of them are", async () => {
  const [one, other] = [{ id: 1 }, { id: 2 }];
  expect([one, one, other, one].map(textOf)).toEqual(['{"id":1}', '{"id":1}', '{"id":2}', '{"id":1}']);
  expect(["1", "1", 1, 1, null, true].map(textOf)).toEqual(['"1"', '"1"', "1", "1", "null", "true"]);
  await rememberText(other, '{"id": 2}');
  expect(textOf(other)).toBe('{"id": 2}');
});
