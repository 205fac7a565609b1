/** What the squares of a QR code hold: the bytes of a text, and what corrects them where squares cannot be read. */

/** Of level L, by version: codewords of correction in each block, and how many blocks. */
const correctionEach = [0, 7, 10, 15, 20, 26, 18, 20, 24, 30, 18, 20, 24, 26, 30, 22, 24, 28, 30, 28, 28];
const blocks = [0, 1, 1, 1, 1, 1, 2, 2, 2, 2, 4, 4, 4, 4, 4, 6, 6, 6, 6, 7, 8];
const versionMax = 20;

const at = (list: readonly number[], index: number): number => list[index] ?? 0;

/** The smallest version that holds the bytes, and its codewords in the order in which they are drawn. */
export function codewordsOf(bytes: Buffer): { version: number; codewords: number[] } {
  const version = versionFor(bytes.length);
  return { version, codewords: withCorrection(dataCodewords(bytes, version), version) };
}

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
