import { createHash, hash } from "node:crypto";
import { expect, test } from "vitest";
import { hashInSlices, updateInSlices } from "./hash-in-slices.ts";
import { canonicalJson } from "./strict-json.ts";

const many = (count: number, make: (index: number) => unknown) =>
  Array.from({ length: count }, (_, index) => make(index));

test.each<[string, unknown]>([
  ["a text of megabytes", "é😀".repeat(300_000)],
  ["half a character where a slice ends", `${"a".repeat(512 * 1024 - 2)}\ud800${"b".repeat(100)}`],
  ["a long list", many(30_000, (index) => ({ z: index, a: [null, "\u2028"] }))],
  ["an object of many members", Object.fromEntries(many(30_000, (index) => [`${index % 7}é${index}`, index]) as [])],
  ["members that are undefined", { b: undefined, a: many(20_000, () => ({ x: undefined, y: 1 })), c: null }],
  ["a large part within small ones", { small: 1, large: { list: many(20_000, String) }, __proto__x: {} }],
  ["a number", 7],
  ["nothing", undefined],
])("%s has the hash of its canonical JSON", async (_, value) => {
  expect(await hashInSlices(value)).toBe(hash("sha256", canonicalJson(value), "hex"));
});

test("bytes have the same hash in slices", async () => {
  const bytes = Buffer.alloc(2 * 1024 * 1024 + 3, "abc");
  expect((await updateInSlices(createHash("sha1"), bytes)).digest("hex")).toBe(hash("sha1", bytes, "hex"));
});
