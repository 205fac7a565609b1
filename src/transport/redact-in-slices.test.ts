import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { redact } from "./redact.ts";
import { redactForStorage, redactInSlices } from "./redact-in-slices.ts";

const token = "c4n4ry-0123456789abcdef";
const text = fc.constantFrom(
  ...["plain", token, `a ${token} b`, "eyJa.b.c", "password=x", 'token: "y"', "Bearer z", ""],
);
const name = fc.constantFrom(...["a", "value", "password", "Access-Token", "secret", token, "__proto__", "7"]);
const { value: some } = fc.letrec((tie) => ({
  value: fc.oneof({ maxDepth: 4 }, text, fc.constant(null), fc.boolean(), fc.nat(), tie("list"), tie("object")),
  list: fc.array(tie("value"), { maxLength: 4 }),
  object: fc.array(fc.tuple(name, tie("value")), { maxLength: 4 }).map((members) => {
    const object = {};
    for (const [key, value] of members)
      Object.defineProperty(object, key, { value, enumerable: true, writable: true, configurable: true });
    return object;
  }),
}));

/** Repeated so often that every part which contains it is large. */
const large = (value: unknown) => ({
  rows: [...Array(3_000).fill({ id: 1, note: "nothing" }), value, [value, Array(9_000).fill(0)]],
  object: {
    ...Object.fromEntries(Array.from({ length: 6_000 }, (_, index) => [`m${index}`, index])),
    value,
    password: value,
  },
  text: `${"x".repeat(300_000)} ${JSON.stringify(value)}`,
  password: Array(9_000).fill(1),
});

describe("redacting large values", () => {
  test("gives the same result as for small ones", async () => {
    await fc.assert(
      fc.asyncProperty(some, async (value) => {
        const whole = large(value);
        const expected = redact(whole, [token], ["value"]);
        expect(JSON.stringify(await redactInSlices(whole, [token], ["value"]))).toBe(JSON.stringify(expected));
        expect(await redactInSlices(value, [token])).toEqual(redact(value, [token]));
      }),
      { numRuns: 40 },
    );
  });

  test("returns the value itself and its JSON if it holds no secret", async () => {
    const clean = {
      rows: Array.from({ length: 20_000 }, (_, index) => ({ id: index, name: "Ada" })),
      text: "x".repeat(900_000),
    };
    expect(await redactInSlices(clean, [token])).toBe(clean);
    const kept = redactForStorage(clean, undefined);
    expect(kept).toBeInstanceOf(Promise);
    expect(await kept).toEqual({ value: clean, text: JSON.stringify(clean) });
    expect(redactForStorage({ password: "x", hidden: 1 }, ["hidden"])).toEqual({
      value: { password: "[secret]", hidden: "[secret]" },
      text: '{"password":"[secret]","hidden":"[secret]"}',
    });
  });

  test.each([
    ["rows", Array.from({ length: 200_000 }, () => ({ password: "x", note: "a=b" }))],
    ["one text", "access_token=x eyJ-".repeat(100_000)],
  ])("the event loop runs while %s are redacted", async (_what, value) => {
    let turns = 0;
    const timer = setInterval(() => turns++, 1);
    await redactInSlices(value, [token]);
    clearInterval(timer);
    expect(turns).toBeGreaterThan(3);
  });
});
