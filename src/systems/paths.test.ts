import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type PathRules, pathField, queryField, readTarget, segment, targetOf } from "./paths.ts";

const slashed: PathRules = {
  leadingSlash: true,
  prefix: /^\/rest\//,
  example: "/rest/v1/leads.json",
  reserved: { access_token: "the connection signs in by itself." },
};
const bare: PathRules = { leadingSlash: false, prefix: /^\/v1(beta|alpha)\//, example: "v1beta/properties/1" };

describe("a path as its caller wrote it", () => {
  test.each([
    [slashed, "/rest/v1/leads.json", "/rest/v1/leads.json", {}],
    [slashed, "/rest/v1/leads.json?a=1&b=x%20y", "/rest/v1/leads.json", { a: "1", b: "x y" }],
    [slashed, "/rest/v1/lists/1/leads.json?id=1&id=2", "/rest/v1/lists/1/leads.json", { id: ["1", "2"] }],
    [
      slashed,
      "/rest/asset/v1/email/byName.json?name=a%2Fb&x=../y\\z",
      "/rest/asset/v1/email/byName.json",
      { name: "a/b", x: "../y\\z" },
    ],
    [slashed, "/rest/v1/a b/ü.json", "/rest/v1/a%20b/%C3%BC.json", {}],
    [slashed, "/rest/v1/campaigns/1/%74rigger%2ejson/", "/rest/v1/campaigns/1/trigger.json", {}],
    [slashed, "/rest/v1/%e2%82%ac", "/rest/v1/%E2%82%AC", {}],
    [slashed, "/rest/v1/50%25.json", "/rest/v1/50%25.json", {}],
    [slashed, "/rest/v1/file.name..json", "/rest/v1/file.name..json", {}],
    [bare, "v1beta/properties/1:runReport", "/v1beta/properties/1:runReport", {}],
    [bare, "v1beta/properties?filter=parent:accounts/1", "/v1beta/properties", { filter: "parent:accounts/1" }],
    [bare, "v1alpha/properties/1", "/v1alpha/properties/1", {}],
  ] as const)("%# reads %s", (rules, text, path, query) => {
    expect(readTarget(text, rules)).toEqual({ path, query });
  });

  const tricks = [
    "",
    " ",
    "rest/v1/leads.json",
    "https://evil.example/rest/v1",
    "HTTPS:evil",
    "http:/evil",
    "//evil.example/rest/",
    "/\\evil",
    "\\\\evil",
    "@evil.example/rest/",
    "user:pw@evil/rest/",
    ":@evil/rest/",
    "javascript:alert(1)",
    "/rest//v1",
    "/rest/v1/..",
    "/rest/../admin",
    "/rest/./v1",
    "/rest/%2e%2e/admin",
    "/rest/.%2E/admin",
    "/rest/%2E./admin",
    "/rest/%252e%252e/admin",
    "/rest/%25252e%25252e/admin",
    "/rest/..%2fadmin",
    "/rest/..%5cadmin",
    "/rest/a%2Fb",
    "/rest/a%5Cb",
    "/rest/a%252fb",
    "/rest/a%252fb%25",
    "/rest/a%00b",
    "/rest/a%0d%0ab",
    "/rest/a%2500b",
    "/rest/v1\r\nHost: evil",
    "/rest/v1\tx",
    "/rest/\u0000",
    "/rest/v1#x",
    "/rest/v1?x#y",
    "/rest/\u2025/admin",
    "/rest/\uff0e\uff0e/admin",
    "/rest/a\uff0fb",
    "/rest/\u3002\u3002/admin",
    "/rest/\uff61\uff61/admin",
    "/rest/%E3%80%82%E3%80%82/admin",
    "/rest/%EF%BC%8E%EF%BC%8E/admin",
    "/rest/%25EF%25BC%258E/admin",
    "/rest/v1/trigger\uff0ejson",
    "/rest/v1/campaigns/\u2460/trigger.json",
    "/rest/v1/campaigns/%E2%91%A0/trigger.json",
    "/rest/v1/a\u2215b",
    "/rest/v1/a%E2%88%95b",
    "/rest/v1/lead\u200bs.json",
    "/rest/v1/%25c0%25ae",
    "/rest/v1/campaigns/{id}/trigger.json",
    "/rest/v1/trigger.json;x=1",
    "/rest/v1/trigger.json%3bx",
    "/rest/..;/admin",
    "/rest/%2e%2e;x=1/admin",
    "/rest/%",
    "/rest/%zz",
    "/rest/%c0%ae%c0%ae/",
    "/identity/oauth/token",
    "/bulk/v1/leads",
    "/rest",
    "/REST/v1",
    "/rest/\u2028",
    `/rest/%${"25".repeat(20)}2e`,
    `/rest/${"a".repeat(70_000)}`,
    "/rest/v1/leads.json?access_token=x",
    "/rest/v1/leads.json?ACCESS_token=x",
    "/rest\\..\\admin",
    "?x=1",
    "/?x",
    "/",
  ];
  test.each(tricks)("refuses %j, with a sentence", (text) => {
    expect(readTarget(text, slashed)).toMatch(/^[A-Z].*\.$|^[A-Z].*`\.$/s);
  });

  test.each([
    "/v1beta/properties/1",
    "properties/1",
    "v1beta",
    "v2/properties",
    "https://x/v1beta/y",
    "v1beta:80/x",
    "v1beta/../x",
    "v1beta@evil/x",
  ])("analytics paths have no slash first: %j is refused", (text) =>
    expect(readTarget(text, bare)).toBeTypeOf("string"),
  );

  test("no accepted path leaves its host or its prefix, whichever URL parser reads it", () => {
    for (const text of ["/rest/v1/leads.json", "/rest/@x/y:z", "/rest/...", "/rest/v1/~x"]) {
      const target = targetOf(text, undefined, slashed);
      const url = new URL(`https://instance.example${target.path}`);
      expect([url.origin, url.pathname]).toEqual(["https://instance.example", target.path]);
    }
  });
});

describe("whatever is written", () => {
  const piece = fc.oneof(
    fc.constantFrom(
      "/",
      "//",
      "\\",
      "..",
      ".",
      "%2e",
      "%2F",
      "%5c",
      "%25",
      "%00",
      "@",
      ":",
      "#",
      "?",
      ";",
      "https:",
      "rest",
      "v1",
      "\r\n",
      "\uff0e",
    ),
    fc.string({ unit: "binary", maxLength: 6 }),
  );
  const written = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(""));

  test("an accepted path stays on its host, under its prefix, and means the same to every reader", () => {
    fc.assert(
      fc.property(written, fc.constantFrom("", "/rest/", "/rest/v1/"), (text, start) => {
        const read = readTarget(start + text, slashed);
        if (typeof read === "string") return;
        const url = new URL(`https://instance.example${read.path}`);
        expect([url.origin, url.pathname, url.search, url.hash]).toEqual([
          "https://instance.example",
          read.path,
          "",
          "",
        ]);
        expect(read.path).toMatch(/^\/rest\/[!-~]+$/);
        expect(readTarget(read.path, slashed)).toEqual({ path: read.path, query: {} });
        let plain = read.path;
        for (let times = 0; times < 3; times++) {
          expect(plain.split(/[/\\]/)).not.toContain("..");
          plain = plain.replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
        }
      }),
      { numRuns: 3000 },
    );
  });
});

describe("in an input", () => {
  test("a path trick is an issue of its field, and a good path stays as written", () => {
    expect(pathField(slashed).safeParse("/rest/../x").error?.issues).toMatchObject([{ code: "custom", path: [] }]);
    expect(pathField(slashed).parse("/rest/v1/x?y=1")).toBe("/rest/v1/x?y=1");
  });

  test("the query input is merged with the path's query, and wins if both name the same parameter", () => {
    expect(targetOf("/rest/v1/x?a=1&b=2", { b: 3, c: [true, "d"] }, slashed).query).toEqual({
      a: "1",
      b: 3,
      c: [true, "d"],
    });
  });

  test("names that are ours to send are refused in the query input too", () => {
    expect(queryField(slashed).safeParse({ Access_Token: "x" }).success).toBe(false);
    expect(queryField(slashed).safeParse({ a: { b: 1 } }).success).toBe(false);
    expect(queryField(slashed).parse({ a: 1, b: ["x", 2] })).toEqual({ a: 1, b: ["x", 2] });
  });

  test("a query may be as long as a system takes, however it is divided", () => {
    const half = "x".repeat(65_535);
    for (const query of [{ a: half, b: half }, { ab: [half, half] }]) {
      expect(queryField(slashed).safeParse(query).success).toBe(true);
      const { error } = queryField(slashed).safeParse({ ...query, c: "" });
      expect(error?.issues[0]?.message).toBe("At most 131072 characters in all parameters together.");
    }
  });

  test("an encoded segment stays one segment", () => {
    expect(segment("a/b?c#d%2e")).toBe("a%2Fb%3Fc%23d%252e");
  });
});
