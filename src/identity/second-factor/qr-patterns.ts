/** What is the same in every QR code of a size: where readers find it, and how its squares are to be read. */

export type SetModule = (x: number, y: number, isDark: boolean) => void;

/** Everything that holds no data. */
export function drawFrame(set: SetModule, version: number, size: number, mask: number): void {
  drawPatterns(set, version, size);
  drawFormat(set, size, mask);
  if (version >= 7) drawVersion(set, size, version);
}

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
