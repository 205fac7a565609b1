import decodeQR from "qr/decode.js";
import { describe, expect, test } from "vitest";
import { qrRows } from "./qr.ts";

/** Table C.1 of the standard, error correction level L: the format word of each mask. */
const formatWords = [0x77c4, 0x72f3, 0x7daa, 0x789d, 0x662f, 0x6318, 0x6c41, 0x6976];

/** Reads a code of version 1 by the standard's own steps and without any correction: every data square must be right. */
function read(rows: string[]): string {
  const size = rows.length;
  const version = (size - 17) / 4;
  const dark = (x: number, y: number) => rows[y]?.[x] === "1";
  let bits = 0;
  for (let i = 0; i <= 5; i++) bits |= Number(dark(8, i)) << i;
  bits |= (Number(dark(8, 7)) << 6) | (Number(dark(8, 8)) << 7) | (Number(dark(7, 8)) << 8);
  for (let i = 9; i < 15; i++) bits |= Number(dark(14 - i, 8)) << i;
  const mask = formatWords.indexOf(bits);
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
  expect(stream.slice(0, 4)).toBe("0100");
  const length = Number.parseInt(stream.slice(4, 12), 2);
  const bytes = stream.slice(12, 12 + length * 8).match(/.{8}/g) ?? [];
  return Buffer.from(bytes.map((byte) => Number.parseInt(byte, 2))).toString();
}

/** The code as a camera sees it: ten dots a square, and a white margin of four squares. */
function photograph(rows: string[]): { width: number; height: number; data: Uint8Array } {
  const [scale, margin] = [10, 4];
  const width = (rows.length + 2 * margin) * scale;
  const squareAt = (dots: number) => Math.floor(dots / scale) - margin;
  const brightness = Array.from({ length: width * width }, (_, dot) => {
    const isDark = rows[squareAt(Math.floor(dot / width))]?.[squareAt(dot % width)] === "1";
    return isDark ? 0 : 255;
  });
  return { width, height: width, data: Uint8Array.from(brightness.flatMap((each) => [each, each, each, 255])) };
}

describe("a QR code", () => {
  test("of a short text decodes to that text", () => {
    for (const text of ["A", "HELLO, signal", "otpauth://totp/x", "Zürich"]) expect(read(qrRows(text))).toBe(text);
  });

  test("of a secret for an authenticator app can be read with a camera", () => {
    for (const local of ["ada", "ada.lovelace-".repeat(4)]) {
      const uri = `otpauth://totp/Signalbox%3A${local}%40example.com?secret=${"JBSWY3DPEHPK3PXP".repeat(2)}&issuer=Signalbox`;
      expect(decodeQR(photograph(qrRows(uri)))).toBe(uri);
    }
  });

  test("grows with its text, and refuses a text that fits no QR code", () => {
    const sizes = [17, 18, 106, 230, 271, 858].map((length) => qrRows("x".repeat(length)).length);
    expect(sizes).toEqual([21, 25, 37, 53, 57, 97]);
    expect(() => qrRows("x".repeat(2954))).toThrow("Capacity overflow");
  });
});
