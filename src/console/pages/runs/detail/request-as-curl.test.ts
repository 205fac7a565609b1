import { expect, test } from "vitest";
import { asCurl } from "./request-as-curl.ts";

test.each([
  [{ headers: {}, body: { name: "it's" } }, `curl -X POST 'https://a.test/' \\\n  --data-raw '{"name":"it'\\''s"}'`],
  [{ headers: { a: "Bearer [secret]" } }, `curl -X POST 'https://a.test/' \\\n  -H "a: Bearer $TOKEN"`],
  [
    { headers: {}, body: '[secret] $(rm -rf /) `id` "' },
    `curl -X POST 'https://a.test/' \\\n  --data-raw "$TOKEN \\$(rm -rf /) \\\`id\\\` \\""`,
  ],
])("a copied command carries %j as it was, and lets the shell run nothing of it", (request, command) => {
  expect(asCurl({ method: "POST", url: "https://a.test/", ...request })).toBe(command);
});
