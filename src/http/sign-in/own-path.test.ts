import { describe, expect, test } from "vitest";
import { ownPath } from "./script/own-path.js";

const origin = "http://us.test:4100";

describe("the path to continue at after a sign-in", () => {
  test.each([
    ["/account", "/account"],
    ["/", "/"],
    ["/invite", "/invite"],
    ["/projects/prj_us_1/tools?after=a%20b&x=1#top", "/projects/prj_us_1/tools?after=a%20b&x=1#top"],
    ["/a b", "/a%20b"],
    ["/ä?q=ö", "/%C3%A4?q=%C3%B6"],
    ["/a/./b/../c", "/a/c"],
    ["/?next=//evil.example", "/?next=//evil.example"],
    ["/#//evil.example", "/#//evil.example"],
    ["/a//b", "/a//b"],
    ["/%2f%2fevil.example", "/%2f%2fevil.example"],
    ["/%5cevil.example", "/%5cevil.example"],
    ["/@evil.example", "/@evil.example"],
    ["/;@evil.example", "/;@evil.example"],
    ["/:80", "/:80"],
    ["/javascript:alert(1)", "/javascript:alert(1)"],
    ["/\uff0f\uff0fevil.example", "/%EF%BC%8F%EF%BC%8Fevil.example"],
    ["/\u2044evil.example", "/%E2%81%84evil.example"],
    ["/\u2025//evil.example", "/%E2%80%A5//evil.example"],
  ])("%j is ours, and leads to %j", (text, expected) => {
    const path = ownPath(text, origin);
    expect(path).toBe(expected);
    // As a script, a Location header and a link read it.
    expect(new URL(String(path), `${origin}/sign-in?next=x`).origin).toBe(origin);
    expect(path).toMatch(/^\/(?![/\\])/);
  });

  test.each([
    null,
    "",
    "account",
    "?x",
    "#x",
    " /account",
    "//evil.example",
    "///evil.example",
    "////evil.example/%2f..",
    "//evil.example@us.test:4100",
    "//us.test:4100@evil.example/",
    "//us.test:4101/",
    "//us.test/",
    "/\\evil.example",
    "/\\/evil.example",
    "\\/evil.example",
    "\\\\evil.example",
    "/a/\\..\\/\\evil.example",
    "/.//evil.example",
    "/.//evil.example/account",
    "/././/evil.example",
    "/..//evil.example",
    "/../..//evil.example",
    "/x/..//evil.example",
    "/x/y/../..//evil.example",
    "/%2e//evil.example",
    "/%2E//evil.example",
    "/%2e%2e//evil.example",
    "/.%2e//evil.example",
    "/%2e./%2e//evil.example",
    "/./%2e/.//evil.example",
    "/\t/evil.example",
    "/\n/evil.example",
    "/\r\n/evil.example",
    "\t//evil.example",
    "/.\t//evil.example",
    "/\u0000/evil.example",
    "/\u001f/evil.example",
    "/a\nLocation: //evil.example",
    "https:evil.example",
    "https:/evil.example",
    "https://evil.example",
    "http:evil.example",
    "http:/evil.example",
    "http://us.test:4100/account",
    "http://us.test:4100.evil.example/",
    "javascript:alert(1)",
    "JavaScript:alert(1)",
    "java\nscript:alert(1)",
    "data:text/html,x",
    "vbscript:x",
    "blob:http://us.test:4100/x",
    "mailto:a@evil.example",
    "\uff0f\uff0fevil.example",
    "\u3000//evil.example",
    "\ufeff//evil.example",
    "@evil.example",
    ":@evil.example",
    ".evil.example",
    `/${"a".repeat(500)}`,
  ])("%j is not ours", (text) => {
    expect(ownPath(text, origin)).toBeNull();
  });

  // A browser that our own sign-in page leads to a consent would look as if its person had begun it.
  test.each([
    "/oauth/start?state=abc",
    "/oauth/start",
    "/oauth/start#x",
    "/oauth/start/",
    "/OAuth/Start?state=abc",
    "/oauth/%73tart?state=abc",
    "/%6Fauth/st%61rt?state=abc",
    "/oauth%2fstart?state=abc",
    "/x/../oauth/./start?state=abc",
    "/oauth/callback?state=abc&code=x",
  ])("%j is a page of a consent, and so refused", (text) => {
    expect(ownPath(text, origin)).toBeNull();
  });

  test.each(["/oauth/authorize", "/oauth/starters", "/projects/p?next=/oauth/start"])("%j is none", (text) => {
    expect(ownPath(text, origin)).toBe(text);
  });

  test("no accepted path leads to another origin, however it is composed", () => {
    const pieces = [
      "/",
      "//",
      "\\",
      ".",
      "..",
      "%2e",
      "%2f",
      "%5c",
      "\t",
      "@",
      ":",
      "evil.example",
      "?",
      "#",
      "x",
      "\uff0f",
    ];
    let ours = 0;
    for (let seed = 1; seed <= 60_000; seed++) {
      let [text, rest] = ["/", seed * 2_654_435_761];
      for (let count = 0; count < 2 + (seed % 5); count++) {
        text += pieces[rest % pieces.length];
        rest = Math.floor(rest / pieces.length);
      }
      const path = ownPath(text, origin);
      if (path === null) continue;
      ours++;
      expect([text, new URL(path, `${origin}/sign-in`).origin, path.startsWith("//")]).toEqual([text, origin, false]);
    }
    expect(ours).toBeGreaterThan(1000);
  });
});
