import { describe, expect, test } from "vitest";
import { codeAt, newTotpSecret, stepAt, stepOf, toBase32, totpUri } from "./totp.ts";

describe("a one-time code", () => {
  /** RFC 6238, appendix B; the last six of its eight digits. */
  const secret = toBase32(Buffer.from("12345678901234567890"));

  test.each([
    ["1970-01-01T00:00:59Z", "287082"],
    ["2005-03-18T01:58:29Z", "081804"],
    ["2005-03-18T01:58:31Z", "050471"],
    ["2009-02-13T23:31:30Z", "005924"],
    ["2033-05-18T03:33:20Z", "279037"],
    ["2603-10-11T11:33:20Z", "353130"],
  ])("at %s is %s", (time, code) => {
    const now = new Date(time);
    expect(codeAt(secret, stepAt(now))).toBe(code);
    expect(stepOf(secret, code, now)).toBe(stepAt(now));
  });

  test("is valid one step before and after, and no further", () => {
    const now = new Date("2026-11-15T09:30:00Z");
    const found = [-2, -1, 0, 1, 2].map((apart) => stepOf(secret, codeAt(secret, stepAt(now) + apart), now));
    expect(found).toEqual([null, stepAt(now) - 1, stepAt(now), stepAt(now) + 1, null]);
    for (const odd of ["", "1", "12345", "1234567", "abcdef", "１２３４５６"])
      expect(stepOf(secret, odd, now)).toBeNull();
  });

  test("has a secret of 160 random bits, which an app reads from an address", () => {
    expect(secret).toBe("GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ");
    const made = newTotpSecret();
    expect(made).toMatch(/^[A-Z2-7]{32}$/);
    expect(newTotpSecret()).not.toBe(made);
    const uri = new URL(totpUri(made, "ada+x@example.com"));
    expect([uri.protocol, uri.host, decodeURIComponent(uri.pathname)]).toEqual([
      "otpauth:",
      "totp",
      "/Signalbox:ada+x@example.com",
    ]);
    expect(Object.fromEntries(uri.searchParams)).toEqual({ secret: made, issuer: "Signalbox" });
  });
});
