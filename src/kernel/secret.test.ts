import { format, inspect } from "node:util";
import { expect, test } from "vitest";
import { Secret } from "./secret.ts";

const secret = new Secret("correct horse battery staple");

test("a secret reveals its value only by `reveal`", () => {
  expect(secret.reveal()).toBe("correct horse battery staple");
});

test.each([
  ["as text", () => `${secret}`],
  ["joined to a text", () => `value: ${String(secret)}`],
  ["as JSON", () => JSON.stringify({ nested: [secret] })],
  ["inspected", () => inspect({ nested: { secret } }, { depth: 9, showHidden: true })],
  ["formatted", () => format("%s %o %O %j", secret, secret, secret, secret)],
  ["by its members", () => JSON.stringify([Object.keys(secret), Object.entries(secret), { ...secret }])],
  ["copied", () => JSON.stringify(structuredClone({ ...secret }))],
])("it does not leak %s", (_how, print) => {
  const printed = print();
  expect(printed).not.toContain("horse");
  expect(printed).toMatch(/\[secret\]|^\[|^\{\}/);
});
