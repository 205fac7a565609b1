import { describe, expect, test } from "vitest";
import { startApp } from "../../../test/support/app.ts";
import { expectCommonHeaders } from "../../../test/support/calls/expect-problem.ts";
import { givePassword, signIn } from "../../../test/support/sign-in/sign-in.ts";
import { startTeam } from "../../../test/support/team.ts";
import { signInPaths } from "./serve-sign-in.ts";

const types: Record<string, string> = { css: "text/css", js: "text/javascript" };
const typeOf = (path: string): string => types[path.split(".")[1] ?? ""] ?? "text/html";

describe("the pages of sign-in", () => {
  test.each(signInPaths)("%s carries every security header", async (url) => {
    const { app } = await startApp("sqlite");
    const { statusCode, headers } = await app.inject({ method: "GET", url });
    expect(statusCode).toBe(200);
    expectCommonHeaders(headers);
    expect(headers["content-type"]).toBe(`${typeOf(url)}; charset=utf-8`);
    const policy = String(headers["content-security-policy"]).split("; ");
    for (const rule of [
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
      "object-src 'none'",
      "require-trusted-types-for 'script'",
    ]) {
      expect(policy).toContain(rule);
    }
    expect(headers["content-security-policy"]).not.toMatch(/unsafe|https?:|\*/);
    expect(headers).toMatchObject({
      "referrer-policy": "no-referrer",
      "cross-origin-opener-policy": "same-origin",
      "x-frame-options": "DENY",
    });
    expect(headers["set-cookie"]).toBeUndefined();
    expect(headers["strict-transport-security"]).toBeUndefined();
  });

  test("require HTTPS if the address uses it", async () => {
    const { app } = await startApp("sqlite", { baseUrl: "https://us.example.com" });
    const { headers } = await app.inject({ method: "GET", url: "/sign-in" });
    expect(headers["strict-transport-security"]).toBe("max-age=31536000");
  });

  test("have no script, style or handler written into them, and name every field", async () => {
    const { app } = await startApp("sqlite");
    for (const url of signInPaths.filter((path) => !path.includes("."))) {
      const { body } = await app.inject({ method: "GET", url });
      expect(body).not.toMatch(/<style|<script(?![^>]* src=)|\son\w+=|style="|javascript:/i);
      const ids = [...body.matchAll(/<input(?![^>]*hidden)[^>]* id="([^"]+)"/g)].map((match) => match[1]);
      for (const id of ids) expect([url, id, body.includes(`<label for="${id}"`)]).toEqual([url, id, true]);
      const all = [...body.matchAll(/ id="([^"]+)"/g)].map((match) => match[1]);
      expect([url, new Set(all).size]).toEqual([url, all.length]);
      expect([...body.matchAll(/<h1/g)].length).toBeGreaterThan(0);
      expect(body).toContain('<html lang="en">');
    }
  });

  test("tell password managers whose password every form is about", async () => {
    const { app } = await startApp("sqlite");
    const formsOf = async (url: string) => {
      const { body } = await app.inject({ method: "GET", url });
      return body.match(/<form.*?<\/form>/gs)?.filter((form) => form.includes('type="password"')) ?? [];
    };
    const pages = ["/sign-in", "/invite", "/reset", "/account", "/forgot"];
    const forms = await Promise.all(pages.map(formsOf));
    expect(forms.map(({ length }) => length)).toEqual([1, 1, 1, 2, 0]);
    for (const form of forms.flat()) expect(form).toMatch(/autocomplete="username/);
  });

  test("are the same for all users: no page contains the query", async () => {
    const { app } = await startApp("sqlite");
    for (const url of signInPaths.filter((path) => !path.includes("."))) {
      const plain = await app.inject({ method: "GET", url });
      const asked = await app.inject({ method: "GET", url: `${url}?code=inv_us_secret&next=%22%3E%3Cscript%3E` });
      expect(asked.body).toBe(plain.body);
    }
  });

  test("requested by IP address redirect to the name with their query; by name they are served", async () => {
    const { app, logged } = await startApp("sqlite", { baseUrl: "http://127.0.0.1:4100" });
    const get = (host: string, url: string) => app.inject({ method: "GET", url, headers: { host } });
    const led = await get("127.0.0.1:4100", "/sign-in?next=/account");
    expect([led.statusCode, led.headers.location]).toEqual([302, "http://localhost:4100/sign-in?next=/account"]);
    expect((await get("localhost:4100", "/sign-in")).statusCode).toBe(200);
    // The browser returns to a page of the console after the sign-in, unless its address is longer than any of ours.
    const longest = `/projects?${"a".repeat(3990)}`;
    for (const [url, location] of [
      ["/projects/p?a=b", "/sign-in?next=%2Fprojects%2Fp%3Fa%3Db"],
      [longest, `/sign-in?next=${encodeURIComponent(longest)}`],
      [`${longest}a`, "/sign-in"],
    ] as const) {
      expect((await get("localhost:4100", url)).headers.location).toBe(location);
    }
    await get("localhost:4100", "/invite?code=inv_us_secret");
    expect(logged.join("")).not.toContain("inv_us_secret");
  });
});

describe("the session cookie", () => {
  /** "Cookie tricks": anything but exactly one cookie with this region's name and form grants nothing. */
  test("sent twice, cut, of another region or altered grants nothing", async () => {
    const team = await startTeam("sqlite");
    await givePassword(team, team.owner);
    const token = await signIn(team, team.owner);
    const name = "__Host-sb_session_us";
    const tryCookie = async (cookie: string) =>
      (await team.call("auth/info", {}, { headers: { cookie, origin: "http://us.test" } })).status;
    expect(await tryCookie(`${name}=${token}`)).toBe(200);
    expect(await tryCookie(`other=1; ${name}=${token}; last=2`)).toBe(200);
    for (const cookie of [
      `${name}=${token}; ${name}=${token}`,
      `${name}=${"A".repeat(43)}; ${name}=${token}`,
      `${name}=${token.slice(0, 42)}`,
      `${name}=${token}A`,
      `${name}="${token}"`,
      `${name}= ${token}`,
      `${name}%3D${token}`,
      `__Host-sb_session_eu=${token}`,
      `__host-sb_session_us=${token}`,
      `sb_session_us=${token}`,
      `__Secure-sb_session_us=${token}`,
      `${name}=`,
      `x=${name}=${token}`,
    ]) {
      expect([cookie, await tryCookie(cookie)]).toEqual([cookie, 401]);
    }
  });
});
