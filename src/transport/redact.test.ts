import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { scrub } from "../kernel/scrub-secrets.ts";
import { Secret } from "../kernel/secret.ts";
import { redact } from "./redact.ts";

const secret = "p4ss/wörd+with=signs?&";
const token = "c4n4ry-0123456789abcdef";

describe("redacting requests and answers", () => {
  test("a known secret is replaced wherever it appears", () => {
    const kept = redact({ note: `it is ${token}, twice: ${token}`, list: ["a", { deep: token }], [token]: 1 }, [token]);
    expect(kept).toEqual({
      note: "it is [secret], twice: [secret]",
      list: ["a", { deep: "[secret]" }],
      "[secret]": 1,
    });
  });

  test("members that a request names are hidden at any depth, whatever their names", () => {
    const body = [
      { key: "A", value: "x" },
      { key: "B", value: null },
    ];
    expect(redact({ body }, [], ["value"])).toEqual({
      body: [
        { key: "A", value: "[secret]" },
        { key: "B", value: null },
      ],
    });
  });

  test.each([
    ["in an address", encodeURIComponent(secret)],
    ["in an address, in small letters", encodeURIComponent(secret).toLowerCase()],
    ["in a form", new URLSearchParams({ q: secret }).toString().slice(2)],
    ["in JSON within a text", JSON.stringify({ q: secret })],
    ["in base64", Buffer.from(secret).toString("base64")],
    ["in base64 for addresses", Buffer.from(secret).toString("base64url")],
    ["behind one letter, in base64", Buffer.from(`a${secret}`).toString("base64")],
    ["behind two letters, in base64", Buffer.from(`ab${secret}`).toString("base64")],
    ["in basic credentials", Buffer.from(`client:${secret}`).toString("base64")],
    ["amid a text, in base64", Buffer.from(`abcd${secret}efg`).toString("base64")],
  ])("also %s", (_how, text) => {
    expect(redact({ text: `<${text}>` }, [secret])).toEqual({ text: expect.stringContaining("[secret]") });
    const left = (redact(`<${text}>`, [secret]) as string).replace("[secret]", "");
    // At most the characters that hold bits of the neighbours remain.
    expect(left.length).toBeLessThan(20);
  });

  test.each([
    "authorization",
    "Authorization",
    "access_token",
    "accessToken",
    "refresh-token",
    "client_secret",
    "password",
    "api_key",
    "X-Api-Key",
    "private_key",
    "cookie",
    "Set-Cookie",
    "token",
    "secret",
    "id_token",
    "bearerToken",
  ])("every value under %s is replaced, known or not", (name) => {
    expect(redact({ [name]: "something" }, [])).toEqual({ [name]: "[secret]" });
    expect(redact({ [name]: ["some", "thing"] }, [])).toEqual({ [name]: "[secret]" });
    expect(redact({ [name]: { value: "something" } }, [])).toEqual({ [name]: "[secret]" });
    expect(redact({ [name]: null }, [])).toEqual({ [name]: null });
  });

  test.each([
    ["client_id=1&client_secret=abc&x=2", "client_id=1&client_secret=[secret]&x=2"],
    ["https://host/path?access_token=abc", "https://host/path?access_token=[secret]"],
    ['{"access_token":"ab\\"c","broken', '{"access_token":[secret],"broken'],
    ['a \\"password\\":\\"abc\\",\\"b\\":1', 'a \\"password\\":[secret],\\"b\\":1'],
    ["authorization: Basic abc, next", "authorization: [secret], next"],
    ["{'api_key': 'a b c'}", "{'api_key': [secret]}"],
    ["refresh_token: abc\nnext: d", "refresh_token: [secret]\nnext: d"],
    ["Bearer abc.def", "[secret]"],
    ["/hook?token=abc&page_token=def", "/hook?token=[secret]&page_token=def"],
  ])("a text with a secret's field in it: %s", (text, kept) => expect(redact(text, [])).toBe(kept));

  test("words that only look like secrets stay", () => {
    const body = {
      next_page_token: "abc",
      nextPageToken: "def",
      tokensPerDay: { consumed: 3, remaining: 24997 },
      keyEvents: [{ eventName: "purchase" }],
      description: "the token and its secret are explained here",
      author: "someone",
    };
    expect(redact(body, [token])).toBe(body);
  });

  test("parts without a secret are not copied", () => {
    const clean = { rows: [{ a: 1 }] };
    const kept = redact({ clean, password: "x" }, []) as Record<string, unknown>;
    expect(kept.clean).toBe(clean);
    expect(kept.password).toBe("[secret]");
  });

  test("a very short secret does not change ordinary texts", () => expect(redact("a b c", ["", "a"])).toBe("a b c"));

  test("a Secret prints as one", () => expect(redact({ given: new Secret("x") }, [])).toEqual({ given: "[secret]" }));

  test("a member called __proto__ changes nothing but the copy", () => {
    const kept = redact(JSON.parse('{"__proto__":{"polluted":true},"password":"x"}'), []) as Record<string, unknown>;
    expect(kept.polluted).toBeUndefined();
    expect(Object.keys(kept)).toEqual(["__proto__", "password"]);
  });

  test("the fields found in a text are those of the grammar, also next to each other", () => {
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 20 }), (pieces) => {
        const text = pieces.join("");
        expect(redact(text, [])).toBe(scrub(text).replace(fieldInText, (_all, name: string) => `${name}[secret]`));
      }),
      { numRuns: 5000 },
    );
  });

  // "Nothing that an external system chooses may take more than 50 ms of the event loop": a quadratic search takes minutes here.
  test.each([
    ...["eyJ-", "access_token", "access_token=", "access_token:  ", 'password="', 'password="\\', "password='"],
    ...['token=\\"', "token=\\", "secret: basic ", "secret=basic\n", " ", "=", "api_", "pwd", "a", '\\"', "password=&"],
  ])("a megabyte of %j is searched in linear time", (unit) => {
    const text = `token: ${unit.repeat(2 ** 20 / unit.length)}`;
    const before = process.threadCpuUsage();
    redact({ text }, [token]);
    const { user, system } = process.threadCpuUsage(before);
    expect((user + system) / 1000).toBeLessThan(500);
  });

  test("a long text is searched in parts, and secrets across their borders are found", () => {
    const held = ' sbk_us_abc access_token="a\\"b" eyJa.b-c.d, secret: Basic x; my_token=y ';
    const kept = scrub(held).replace(fieldInText, (_all, name: string) => `${name}[secret]`);
    const part = 256 * 1024;
    for (let before = part - 80; before < part + 10; before++) {
      const filler = "x".repeat(before);
      expect(redact(`${filler}${held}${filler}${held}`, [])).toBe(`${filler}${kept}${filler}${kept}`);
    }
  });

  test("a value of ten megabytes is one value", () => {
    const text = `password="${'a\\"'.repeat(3_000_000)}" and more`;
    expect(redact(text, [])).toBe("password=[secret] and more");
  });
});

/** The grammar of fields as one expression, which is short and slow. */
const secretWord =
  "(?:access|refresh|id|bearer|auth|api)[-_]?token|(?:client|app|shared|signing)[-_]?secret|password|passwd|api[-_]?key|private[-_]?key|authorization|client[-_]?assertion|code[-_]?verifier";
const valueInText = [
  String.raw`"(?:[^"\\]|\\.)*"?`,
  "'[^']*'?",
  String.raw`\\"(?:[^\\]|\\[^"])*(?:\\")?`,
  String.raw`(?:(?:basic|bearer|digest)\s+)?[^\s&"',;}\\]+`,
].join("|");
const fieldInText = new RegExp(
  `((?:(?<![a-z])(?:${secretWord})|(?<![a-z0-9_-])(?:token|secret|pwd))(?:\\\\?["'])?\\s*[=:]\\s*)(?:${valueInText})`,
  "gi",
);
const piece = fc.constantFrom(
  ...["token", "Secret", "pwd", "access_", "api-", "apikey", "PassWord", "authorization", "client", "_", "-", "x", "7"],
  ...["=", ":", ": ", " ", "\n", "\u2028", "\t", '"', "'", "\\", '\\"', "\\\\", "\\\n", "&", ",", ";", "}", "eyJ", "."],
  ...["basic ", "Bearer ", "digest", "bearer\n", "é", "ſ", "K", "\ud800", "sbk_us_"],
);
