import { describe, expect, test } from "vitest";
import { decodeEscapes, findLookAlike, nameOfCharacter } from "./look-alike-characters.ts";

describe("characters that some programs read as others", () => {
  test.each([
    ...["\uff0e", "\u3002", "\uff61", "\u2024", "\u2025", "\u2026", "\ufe52"],
    ...["\uff0f", "\u2044", "\u2215", "\u29f8", "\uff3c", "\u2216", "\ufe68"],
    ...["\u2460", "\uff11", "\u00b2", "\u00bd", "\u{1d7ce}"],
    ...["\uff41", "\u24d0", "\u{1d41e}", "\u212a", "\u017f", "\ufb01", "\u2122", "\uff20", "\uff1a", "\ufe6a"],
    ...["\u00ad", "\u200b", "\u200d", "\u2060", "\ufeff", "\u202e", "\ufe0f"],
  ])("%j is found wherever it appears", (character) => {
    expect(findLookAlike(`caf\u00e9/${character}/x`)).toBe(character);
  });

  test.each(["", "plain.text/1", "caf\u00e9", "cafe\u0301", "m\u00fcnchen", "日本語", "привет", "\u20ac", "\u{1f600}"])(
    "%j holds none",
    (text) => expect(findLookAlike(text)).toBeNull(),
  );

  test("every character that the host name parser replaces is found", () => {
    const missed: string[] = [];
    for (let code = 0x80; code < 0x30000; code++) {
      if (code >= 0xd800 && code < 0xe000) continue;
      const character = String.fromCodePoint(code);
      const url = URL.parse(`https://a${character}b.example`);
      if (url && !url.hostname.startsWith("xn--") && findLookAlike(character) === null) missed.push(character);
    }
    expect(missed).toEqual([]);
  });

  test("a person can find it by its number", () => expect(nameOfCharacter("\uff0e")).toBe("U+FF0E"));
});

test("escapes are decoded once, as UTF-8, and invalid ones stay", () => {
  expect(decodeEscapes("%EF%BC%8E.%2e%zz%")).toBe("\uff0e..%zz%");
  expect(decodeEscapes("%252e%c0%ae%c3%2f")).toBe("%2e\ufffd\ufffd\ufffd/");
});
