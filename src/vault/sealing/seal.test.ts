import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { masterKeyFrom } from "./key-ring.ts";
import { createSeal } from "./seal.ts";

const keyOf = (byte: number) => masterKeyFrom(Buffer.alloc(32, byte).toString("base64"));
const seal = createSeal(keyOf(1));

describe("sealed text", () => {
  test("opens with the same key in the same context, and differs each time it is sealed", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), fc.string(), (text, context) => {
        const sealed = seal.seal(text, context);
        expect(seal.open(sealed, context)).toBe(text);
        expect(seal.seal(text, context)).not.toBe(sealed);
      }),
    );
  });

  test("shows nothing of what it holds, and names its key", () => {
    const sealed = seal.seal("correct horse battery staple", "table|1");
    expect(sealed).toMatch(new RegExp(`^v1\\.${keyOf(1).id}\\.[\\w-]+$`));
    const bytes = Buffer.from(sealed.split(".")[2] ?? "", "base64url").toString("latin1");
    expect(bytes).not.toContain("horse");
  });

  test("does not open in another context: a row copied to another tenant stays sealed", () => {
    const sealed = seal.seal("secret", "table|tenant 1");
    expect(() => seal.open(sealed, "table|tenant 2")).toThrow();
    expect(() => seal.open(sealed, "")).toThrow();
  });

  test("does not open with another key, and says why", () => {
    const sealed = seal.seal("secret", "p");
    expect(() => createSeal(keyOf(2)).open(sealed, "p")).toThrow("Sealed with a key that is not in use here.");
    const relabelled = sealed.replace(keyOf(1).id, keyOf(2).id);
    expect(() => createSeal(keyOf(2)).open(relabelled, "p")).toThrow();
  });

  test("does not open after a change of a single bit, nonce and tag included", () => {
    const sealed = seal.seal("secret", "p");
    const bytes = Buffer.from(sealed.split(".")[2] ?? "", "base64url");
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const changed = Buffer.from(bytes);
      changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      expect(() => seal.open(`v1.${keyOf(1).id}.${changed.toString("base64url")}`, "p")).toThrow();
    }
  });

  test("does not open when it was cut short, down to nothing", () => {
    const sealed = seal.seal("secret", "p");
    const prefix = `v1.${keyOf(1).id}.`.length;
    for (let length = sealed.length - 2; length >= prefix; length -= 2) {
      expect(() => seal.open(sealed.slice(0, length), "p")).toThrow();
    }
    for (const text of ["", "v1", "v2.x.y", sealed.replace("v1", "v2")]) expect(() => seal.open(text, "p")).toThrow();
  });
});
