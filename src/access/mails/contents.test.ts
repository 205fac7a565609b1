import { expect, test } from "vitest";
import { contentOf } from "./contents.ts";

const baseUrl = "https://signalbox.example";

test("a stored mail is rendered to subject and text", () => {
  const mail = { kind: "sign_up_code", details: { code: "12345678" } };
  expect(contentOf(mail, baseUrl).subject).toBe("12345678 is your code for Signalbox");
});

test("a reset mail of an earlier version, which lacks the address, still holds its link", () => {
  const mail = { kind: "password_reset", details: { token: "t0ken", organization: "Acme" } };
  expect(contentOf(mail, baseUrl).text).toContain(`${baseUrl}/reset#t0ken\n`);
});

test.each([
  ["a member is missing", "password_reset", { token: "t0ken" }],
  ["a member has another type", "invite", { invite_code: 7 }],
  ["the kind is unknown", "newsletter", {}],
])("a stored mail is refused when %s, and never sent incomplete", (_, kind, details) => {
  expect(() => contentOf({ kind, details }, baseUrl)).toThrow(`The stored mail of kind ${kind} cannot be read`);
});
