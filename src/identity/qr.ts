/**
 * A QR code (ISO/IEC 18004) of a text, for the one place that shows one: bytes, error correction L, versions 1 to 20. Answers
 * its rows, dark squares as 1, without the white margin.
 */
export function qrRows(text: string): string[] {
  const bytes = Buffer.from(text);
  const version = versionFor(bytes.length);
  const codewords = withCorrection(dataCodewords(bytes, version), version);
  const canvases = Array.from({ length: 8 }, (_, mask) => draw(codewords, version, mask));
  const best = canvases.reduce((a, b) => (penaltyOf(b) < penaltyOf(a) ? b : a));
  return best.map((row) => row.map((dark) => (dark ? "1" : "0")).join(""));
}

type Canvas = boolean[][];

/** Of level L, by version: codewords of correction in each block, and how many blocks. */
const correctionEach = [0, 7, 10, 15, 20, 26, 18, 20, 24, 30, 18, 20, 24, 26, 30, 22, 24, 28, 30, 28, 28];
const blocks = [0, 1, 1, 1, 1, 1, 2, 2, 2, 2, 4, 4, 4, 4, 4, 6, 6, 6, 6, 7, 8];
const versionMax = 20;

const at = (list: readonly number[], index: number): number => list[index] ?? 0;
const sizeOf = (version: number): number => version * 4 + 17;

/** Whatever is not taken by patterns holds data: counted, as the standard's own table is. */
function codewordsIn(version: number): number {
  const alignments = Math.floor(version / 7) + 2;
  let modules = (16 * version + 128) * version + 64;
  if (version >= 2) modules -= (25 * alignments - 10) * alignments - 55;
  if (version >= 7) modules -= 36;
  return Math.floor(modules / 8);
}

const dataRoom = (version: number): number => codewordsIn(version) - at(correctionEach, version) * at(blocks, version);

const lengthBits = (version: number): number => (version < 10 ? 8 : 16);

function versionFor(bytes: number): number {
  for (let version = 1; version <= versionMax; version++) {
    if (4 + lengthBits(version) + bytes * 8 <= dataRoom(version) * 8) return version;
  }
  throw new Error("The text is too long for a QR code.");
}

function dataCodewords(bytes: Buffer, version: number): number[] {
  let bits = `0100${bytes.length.toString(2).padStart(lengthBits(version), "0")}`;
  for (const byte of bytes) bits += byte.toString(2).padStart(8, "0");
  const room = dataRoom(version) * 8;
  bits += "0".repeat(Math.min(4, room - bits.length));
  bits = bits.padEnd(Math.ceil(bits.length / 8) * 8, "0");
  const codewords = (bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2));
  for (let pad = 0xec; codewords.length < room / 8; pad ^= 0xec ^ 0x11) codewords.push(pad);
  return codewords;
}

/** Multiplication in the field of the standard, modulo x^8 + x^4 + x^3 + x^2 + 1. */
function times(a: number, b: number): number {
  let product = 0;
  for (let bit = 7; bit >= 0; bit--) {
    product = (product << 1) ^ ((product >>> 7) * 0x11d);
    product ^= ((b >>> bit) & 1) * a;
  }
  return product;
}

function generatorOf(degree: number): number[] {
  let result = [...Array<number>(degree - 1).fill(0), 1];
  let root = 1;
  for (let i = 0; i < degree; i++) {
    result = result.map((factor, index) => times(factor, root) ^ at(result, index + 1));
    root = times(root, 2);
  }
  return result;
}

export function correctionOf(data: readonly number[], degree: number): number[] {
  const generator = generatorOf(degree);
  let rest = Array<number>(degree).fill(0);
  for (const codeword of data) {
    const factor = codeword ^ at(rest, 0);
    const shifted = [...rest.slice(1), 0];
    rest = shifted.map((value, index) => value ^ times(at(generator, index), factor));
  }
  return rest;
}

/** Data is cut into blocks, each gets its correction, and both are dealt out by turns. */
function withCorrection(data: readonly number[], version: number): number[] {
  const count = at(blocks, version);
  const degree = at(correctionEach, version);
  const shortLength = Math.floor(codewordsIn(version) / count) - degree;
  const longOnes = codewordsIn(version) % count;
  const parts: number[][] = [];
  let taken = 0;
  for (let i = 0; i < count; i++) {
    const length = shortLength + (i < count - longOnes ? 0 : 1);
    parts.push(data.slice(taken, taken + length));
    taken += length;
  }
  const corrections = parts.map((part) => correctionOf(part, degree));
  const dealt: number[] = [];
  for (let i = 0; i <= shortLength; i++) for (const part of parts) if (i < part.length) dealt.push(at(part, i));
  for (let i = 0; i < degree; i++) for (const correction of corrections) dealt.push(at(correction, i));
  return dealt;
}

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
  const size = sizeOf(version);
  const dark: Canvas = Array.from({ length: size }, () => Array<boolean>(size).fill(false));
  const taken: Canvas = Array.from({ length: size }, () => Array<boolean>(size).fill(false));
  const set = (x: number, y: number, isDark: boolean) => {
    if (x < 0 || y < 0 || x >= size || y >= size) return;
    (dark[y] as boolean[])[x] = isDark;
    (taken[y] as boolean[])[x] = true;
  };
  drawPatterns(set, version, size);
  drawFormat(set, size, mask);
  if (version >= 7) drawVersion(set, size, version);

  let bit = 0;
  // Upwards and downwards in columns of two, from the right; the column of the timing pattern is passed over.
  for (let right = size - 1; right >= 1; right -= 2) {
    if (right === 6) right = 5;
    for (let step = 0; step < size; step++) {
      const upward = ((right + 1) & 2) === 0;
      const y = upward ? size - 1 - step : step;
      for (const x of [right, right - 1]) {
        if (taken[y]?.[x]) continue;
        const value = bit < codewords.length * 8 && ((at(codewords, bit >>> 3) >>> (7 - (bit & 7))) & 1) === 1;
        bit++;
        (dark[y] as boolean[])[x] = value !== masks[mask]?.(x, y);
      }
    }
  }
  return dark;
}

type SetModule = (x: number, y: number, isDark: boolean) => void;

function drawPatterns(set: SetModule, version: number, size: number): void {
  for (let i = 0; i < size; i++) {
    set(6, i, i % 2 === 0);
    set(i, 6, i % 2 === 0);
  }
  for (const [cx, cy] of [
    [3, 3],
    [size - 4, 3],
    [3, size - 4],
  ] as const) {
    for (let dy = -4; dy <= 4; dy++) {
      for (let dx = -4; dx <= 4; dx++) {
        const ring = Math.max(Math.abs(dx), Math.abs(dy));
        set(cx + dx, cy + dy, ring !== 2 && ring !== 4);
      }
    }
  }
  const centres = alignmentCentres(version, size);
  const last = centres.length - 1;
  for (const [i, cx] of centres.entries()) {
    for (const [j, cy] of centres.entries()) {
      const isInCorner = (i === 0 && j === 0) || (i === 0 && j === last) || (i === last && j === 0);
      if (isInCorner) continue;
      for (let dy = -2; dy <= 2; dy++) {
        for (let dx = -2; dx <= 2; dx++) set(cx + dx, cy + dy, Math.max(Math.abs(dx), Math.abs(dy)) !== 1);
      }
    }
  }
}

function alignmentCentres(version: number, size: number): number[] {
  if (version === 1) return [];
  const count = Math.floor(version / 7) + 2;
  const step = Math.floor((version * 8 + count * 3 + 5) / (count * 4 - 4)) * 2;
  const centres = Array.from({ length: count - 1 }, (_, index) => size - 7 - index * step);
  return [6, ...centres.reverse()];
}

function remainder(value: number, bits: number, generator: number, degree: number): number {
  let rest = value;
  for (let i = 0; i < bits; i++) rest = (rest << 1) ^ ((rest >>> (degree - 1)) * generator);
  return rest;
}

/** Level L is written as 01. */
export const formatBits = (mask: number): number => {
  const data = (1 << 3) | mask;
  return ((data << 10) | remainder(data, 10, 0x537, 10)) ^ 0x5412;
};

function drawFormat(set: SetModule, size: number, mask: number): void {
  const bits = formatBits(mask);
  const bit = (i: number) => ((bits >>> i) & 1) === 1;
  for (let i = 0; i <= 5; i++) set(8, i, bit(i));
  set(8, 7, bit(6));
  set(8, 8, bit(7));
  set(7, 8, bit(8));
  for (let i = 9; i < 15; i++) set(14 - i, 8, bit(i));
  for (let i = 0; i < 8; i++) set(size - 1 - i, 8, bit(i));
  for (let i = 8; i < 15; i++) set(8, size - 15 + i, bit(i));
  set(8, size - 8, true);
}

function drawVersion(set: SetModule, size: number, version: number): void {
  const bits = (version << 12) | remainder(version, 12, 0x1f25, 12);
  for (let i = 0; i < 18; i++) {
    const isDark = ((bits >>> i) & 1) === 1;
    const [a, b] = [size - 11 + (i % 3), Math.floor(i / 3)];
    set(a, b, isDark);
    set(b, a, isDark);
  }
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
