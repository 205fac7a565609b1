import { describe, expect, test } from "vitest";
import { createLog, createMailLog } from "./log.ts";
import { scrub } from "./scrub-secrets.ts";
import { Secret } from "./secret.ts";

const apiKey = `sbk_us_${"Ab3".repeat(16)}Z`;
const scimToken = apiKey.replace("sbk_", "sbs_");

describe("a line of the log", () => {
  test.each([
    ["an API key", apiKey, "[secret]"],
    ["a key behind its project", `prj_us_1:${apiKey}`, "prj_us_1:[secret]"],
    ["a key in an address", `http://x/?key=${apiKey}&a=1`, "http://x/?key=[secret]&a=1"],
    ["a truncated key", `${apiKey.slice(0, 20)}`, "[secret]"],
    ["a SCIM token", scimToken, "[secret]"],
    ["a signing secret", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "[secret]"],
    ["a JWT", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl", "[secret]"],
    ["a whole header", `authorization: Bearer ${apiKey}`, "authorization: [secret]"],
    ["any bearer token", "Bearer abc.def-ghi", "[secret]"],
    ["two secrets", `${apiKey} and ${scimToken}`, "[secret] and [secret]"],
    ["ids and plain words", "prj_us_01 usr_eu_02 key_au_03 bearer", "prj_us_01 usr_eu_02 key_au_03 bearer"],
  ])("shows %s only as [secret]", (_name, line, expected) => {
    expect(scrub(line)).toBe(expected);
  });

  test("is one JSON object with a time, without any secret", () => {
    const lines: string[] = [];
    const log = createLog("info", { write: (line) => void lines.push(line) });
    const cause = new Error(`fetch failed with Bearer ${apiKey}`);
    log.info(
      { apiKey, deep: { headers: { authorization: `Bearer :${apiKey}` } }, password: new Secret("horse") },
      apiKey,
    );
    log.error({ err: new Error(`no such key: ${apiKey}`, { cause }) }, "failed");
    log.child({ token: scimToken }).warn("child");
    log.debug("below the level");
    expect(lines).toHaveLength(3);
    for (const line of lines) {
      expect(JSON.parse(line)).toMatchObject({ level: expect.any(Number), time: expect.stringMatching(/^\d{4}-.*Z$/) });
      expect(line).toContain("[secret]");
      expect(line).not.toMatch(/sb[ks]_us_|horse/);
    }
  });

  test("of a mail omits its text, and at level debug shows it scrubbed and on one line", () => {
    const lines: string[] = [];
    const words = () => ({ subject: "A \u2028 subject", text: `"two"\nlines, and ${apiKey}` });
    for (const level of ["warn", "info", "debug"]) {
      const mailLog = createMailLog(level, { write: (line) => void lines.push(line) });
      mailLog({ region: "us", to: "ada@example.com", kind: "password_reset", file: "us.txt" }, words);
    }
    expect(lines).toHaveLength(3);
    for (const line of lines) expect(line.indexOf("\n")).toBe(line.length - 1);
    const [info, again, debug] = lines.map((line) => JSON.parse(line));
    expect(info).toEqual({ ...again, time: expect.any(String) });
    expect(Object.keys(info).sort()).toEqual(["file", "kind", "level", "msg", "region", "time", "to"]);
    expect(debug).toMatchObject({ level: 20, region: "us", text: '"two"\nlines, and [secret]' });
  });
});
