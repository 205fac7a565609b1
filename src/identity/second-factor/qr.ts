import { encodeQR } from "qr";

/** A QR code (ISO/IEC 18004) of a text: its rows, dark squares as 1, without the white margin. */
export function qrRows(text: string): string[] {
  // The library draws a margin of at least one square.
  const squares = encodeQR(text, "raw", { ecc: "low", encoding: "byte", border: 1 }).slice(1, -1);
  return squares.map((row) => row.slice(1, -1).map(toDigit).join(""));
}

const toDigit = (isDark: boolean): string => (isDark ? "1" : "0");
