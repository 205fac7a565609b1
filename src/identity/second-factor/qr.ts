import { codewordsOf } from "./qr-codewords.ts";
import { drawFrame, type SetModule } from "./qr-patterns.ts";

/**
 * A QR code (ISO/IEC 18004) of a text, for the one place that shows one: bytes, error correction L, versions 1 to 20. Answers
 * its rows, dark squares as 1, without the white margin.
 */
export function qrRows(text: string): string[] {
  const { version, codewords } = codewordsOf(Buffer.from(text));
  const canvases = Array.from({ length: 8 }, (_, mask) => draw(codewords, version, mask));
  const best = canvases.reduce((a, b) => (penaltyOf(b) < penaltyOf(a) ? b : a));
  return best.map((row) => row.map((dark) => (dark ? "1" : "0")).join(""));
}

type Canvas = boolean[][];

const masks: ((x: number, y: number) => boolean)[] = [
  (x, y) => (x + y) % 2 === 0,
  (_, y) => y % 2 === 0,
  (x) => x % 3 === 0,
  (x, y) => (x + y) % 3 === 0,
  (x, y) => (Math.floor(x / 3) + Math.floor(y / 2)) % 2 === 0,
  (x, y) => ((x * y) % 2) + ((x * y) % 3) === 0,
  (x, y) => (((x * y) % 2) + ((x * y) % 3)) % 2 === 0,
  (x, y) => (((x + y) % 2) + ((x * y) % 3)) % 2 === 0,
];

function draw(codewords: readonly number[], version: number, mask: number): Canvas {
  const size = version * 4 + 17;
  const dark: Canvas = Array.from({ length: size }, () => Array<boolean>(size).fill(false));
  const taken: Canvas = Array.from({ length: size }, () => Array<boolean>(size).fill(false));
  const set: SetModule = (x, y, isDark) => {
    if (x < 0 || y < 0 || x >= size || y >= size) return;
    (dark[y] as boolean[])[x] = isDark;
    (taken[y] as boolean[])[x] = true;
  };
  drawFrame(set, version, size, mask);
  let bit = 0;
  // Upwards and downwards in columns of two, from the right; the column of the timing pattern is passed over.
  for (let right = size - 1; right >= 1; right -= 2) {
    if (right === 6) right = 5;
    for (let step = 0; step < size; step++) {
      const upward = ((right + 1) & 2) === 0;
      const y = upward ? size - 1 - step : step;
      for (const x of [right, right - 1]) {
        if (taken[y]?.[x]) continue;
        const value = bit < codewords.length * 8 && (((codewords[bit >>> 3] ?? 0) >>> (7 - (bit & 7))) & 1) === 1;
        bit++;
        (dark[y] as boolean[])[x] = value !== masks[mask]?.(x, y);
      }
    }
  }
  return dark;
}

/** Of the standard's four rules, the two that keep readers from losing their way; any mask is a valid code. */
function penaltyOf(canvas: Canvas): number {
  const columns = canvas.map((_, x) => canvas.map((row) => row[x] ?? false));
  let penalty = 0;
  for (const line of [...canvas, ...columns]) {
    const text = line.map((isDark) => (isDark ? "1" : "0")).join("");
    for (const [run] of text.matchAll(/0{5,}|1{5,}/g)) penalty += run.length - 2;
    for (const _ of text.matchAll(/(?=00001011101|10111010000)/g)) penalty += 40;
  }
  return penalty;
}
