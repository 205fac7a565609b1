import { describe, expect, test } from "vitest";
import { qrRows } from "./qr.ts";
import { correctionOf } from "./qr-codewords.ts";
import { formatBits } from "./qr-patterns.ts";

/** Reads a picture back, by the standard's own steps and without any correction: what was drawn must be whole. */
function read(rows: string[]): string {
  const size = rows.length;
  const version = (size - 17) / 4;
  const dark = (x: number, y: number) => rows[y]?.[x] === "1";
  const format = Array.from({ length: 8 }, (_, mask) => formatBits(mask));
  let bits = 0;
  for (let i = 0; i <= 5; i++) bits |= Number(dark(8, i)) << i;
  bits |= (Number(dark(8, 7)) << 6) | (Number(dark(8, 8)) << 7) | (Number(dark(7, 8)) << 8);
  for (let i = 9; i < 15; i++) bits |= Number(dark(14 - i, 8)) << i;
  const mask = format.indexOf(bits);
  expect(mask).toBeGreaterThanOrEqual(0);
  expect(version).toBe(1);
  const isTaken = (x: number, y: number) =>
    x === 6 || y === 6 || (x <= 8 && y <= 8) || (x >= size - 8 && y <= 8) || (x <= 8 && y >= size - 8);
  const flips = [
    (x: number, y: number) => (x + y) % 2 === 0,
    (_: number, y: number) => y % 2 === 0,
    (x: number) => x % 3 === 0,
    (x: number, y: number) => (x + y) % 3 === 0,
    (x: number, y: number) => (Math.floor(x / 3) + Math.floor(y / 2)) % 2 === 0,
    (x: number, y: number) => ((x * y) % 2) + ((x * y) % 3) === 0,
    (x: number, y: number) => (((x * y) % 2) + ((x * y) % 3)) % 2 === 0,
    (x: number, y: number) => (((x + y) % 2) + ((x * y) % 3)) % 2 === 0,
  ];
  let stream = "";
  let upward = true;
  for (let right = size - 1; right > 0; right -= 2) {
    if (right === 6) right--;
    for (let step = 0; step < size; step++) {
      const y = upward ? size - 1 - step : step;
      for (const x of [right, right - 1]) {
        if (!isTaken(x, y)) stream += dark(x, y) !== flips[mask]?.(x, y) ? "1" : "0";
      }
    }
    upward = !upward;
  }
  const codewords = (stream.match(/.{8}/g) ?? []).map((each) => Number.parseInt(each, 2));
  expect(codewords.slice(19)).toEqual(correctionOf(codewords.slice(0, 19), 7));
  expect(stream.slice(0, 4)).toBe("0100");
  const length = Number.parseInt(stream.slice(4, 12), 2);
  const bytes = stream.slice(12, 12 + length * 8).match(/.{8}/g) ?? [];
  return Buffer.from(bytes.map((byte) => Number.parseInt(byte, 2))).toString();
}

describe("a QR code", () => {
  test("of a short text can be read back", () => {
    for (const text of ["A", "HELLO, signal", "otpauth://totp/x", "Zürich"]) expect(read(qrRows(text))).toBe(text);
  });

  test("corrects by the standard's example: HELLO WORLD, 1-M", () => {
    const data = [32, 91, 11, 120, 209, 114, 220, 77, 67, 64, 236, 17, 236, 17, 236, 17];
    expect(correctionOf(data, 10)).toEqual([196, 35, 39, 119, 235, 215, 231, 226, 93, 23]);
    expect(formatBits(0).toString(2)).toBe("111011111000100");
  });

  test("grows with its text, and says when that is too long", () => {
    const sizes = [17, 18, 106, 230, 271, 858].map((length) => qrRows("x".repeat(length)).length);
    expect(sizes).toEqual([21, 25, 37, 53, 57, 97]);
    expect(() => qrRows("x".repeat(859))).toThrow("too long");
  });
});
