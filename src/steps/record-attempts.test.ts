import { expect, test } from "vitest";
import { secretMark } from "../transport/redact.ts";
import { shownRequest } from "./record-attempts.ts";

// "No secret is ever shown or logged": not even one that a caller has put where none belongs.
test("a request is shown without secrets in its query and its headers", () => {
  const envelope = {
    principal: {},
    origin: "https://example.com",
    target: "/v1/things?token=s3cret&limit=2&api_key=k3y",
    headers: { accept: "application/json", "x-api-key": "k3y" },
  };
  const { url, headers } = shownRequest(
    { method: "GET", path: "/v1/things", api: "main", effect: "read", idempotent: true },
    envelope,
  );
  expect(url).toBe(`https://example.com/v1/things?token=${secretMark}&limit=2&api_key=${secretMark}`);
  expect(headers).toEqual({
    accept: "application/json",
    "x-api-key": secretMark,
    authorization: `Bearer ${secretMark}`,
  });
});
