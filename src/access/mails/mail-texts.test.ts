import { describe, expect, test } from "vitest";
import { contentOf } from "./mail-texts.ts";

const baseUrl = "https://signalbox.example";

test("a stored mail is rendered to subject and text", () => {
  const mail = { kind: "sign_up_code", details: { code: "12345678" } };
  expect(contentOf(mail, baseUrl).subject).toBe("12345678 is your code for Signalbox");
});

/** "Mails in HTML and text name the project and the person, and show times for people." */
describe("a mail says the same as text and as HTML", () => {
  const at = "2026-11-17T14:05:59.000Z";
  const inTime = "Tuesday, 17 November 2026, 14:05 UTC";
  const invite = {
    invite_code: "inv_us_1",
    project_id: "prj_us_1",
    project: "Web shop",
    organization: "Acme",
    role: "editor",
    invited_by: "grace@example.com",
    invited_by_name: "Grace Hopper",
    expires_at: at,
    accepted: false,
  };

  test.each([
    ["invite", invite, ["Grace Hopper", "grace@example.com", "Web shop", "Acme", "Editor", inTime, "/invite#inv_us_1"]],
    [
      "password_reset",
      { token: "t0ken", organization: "Acme", name: "Ada", email: "ada@example.com", expires_at: at },
      ["Hello Ada,", "ada@example.com", "Acme", inTime, "/reset#t0ken/ada%40example.com"],
    ],
    [
      "sign_up_code",
      { code: "12345678", name: "Ada", project: "Web shop", organization: "Acme", expires_at: at },
      ["Hello Ada,", "Web shop", "Acme", "12345678", inTime],
    ],
    [
      "password_changed",
      { organization: "Acme", name: "Ada", email: "ada@example.com", at },
      ["Hello Ada,", "ada@example.com", "Acme", inTime, "/forgot"],
    ],
  ])("%s: who, what and until when", (kind, details, said) => {
    const { text, html } = contentOf({ kind, details }, baseUrl);
    for (const words of said) for (const form of [text, html]) expect(form).toContain(words);
    expect(`${text}${html}`).not.toMatch(/\d{4}-\d\d-\d\dT|<script|prj_us_1 on/);
  });

  test("a name is text: no markup, no second line, and nothing that a mail program makes a link of", () => {
    const project = "<b>Win</b>\r\nBcc: x@evil.example https://evil.example/win";
    const { subject, text, html } = contentOf({ kind: "invite", details: { ...invite, project } }, baseUrl);
    for (const form of [subject, text, html]) expect(form).not.toMatch(/evil\.example|x@evil|https:\/\/evil|\r/);
    expect(subject).not.toContain("\n");
    expect(html).not.toContain("<b>");
    const long = contentOf({ kind: "invite", details: { ...invite, project: "x".repeat(200) } }, baseUrl);
    expect(long.subject.length).toBeLessThan(150);
  });
});

test("a mail of an earlier version, which lacks the names, is still whole", () => {
  const reset = { kind: "password_reset", details: { token: "t0ken", organization: "Acme" } };
  expect(contentOf(reset, baseUrl).text).toContain(`${baseUrl}/reset#t0ken\n`);
  const details = {
    invite_code: "inv_us_1",
    project_id: "prj_us_1",
    invited_by: "grace@example.com",
    expires_at: "2026-11-17T14:05:00.000Z",
    accepted: false,
  };
  const { subject, text } = contentOf({ kind: "invite", details }, baseUrl);
  expect(subject).toBe("grace@example.com invites you to prj_us_1 on Signalbox");
  expect(text).toContain(`${baseUrl}/invite#inv_us_1\n`);
});

test.each([
  ["a member is missing", "password_reset", { token: "t0ken" }],
  ["a member has another type", "invite", { invite_code: 7 }],
  ["the kind is unknown", "newsletter", {}],
])("a stored mail is refused when %s, and never sent incomplete", (_, kind, details) => {
  expect(() => contentOf({ kind, details }, baseUrl)).toThrow(`The stored mail of kind ${kind} cannot be read`);
});
