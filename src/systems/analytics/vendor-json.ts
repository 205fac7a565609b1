/** Reads JSON of external systems: a missing or unexpected value reads as nothing. */

export type Members = Readonly<Record<string, unknown>>;

export const membersOf = (value: unknown): Members =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Members) : {};

export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

export const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

/** The vendor writes 64-bit numbers as text. */
export function numberOf(value: unknown): number | null {
  const number = typeof value === "number" ? value : textOf(value).trim() === "" ? Number.NaN : Number(value);
  return Number.isFinite(number) ? number : null;
}

/** A member of a request body: the vendor reads `dateRanges` and `date_ranges` alike. */
export const memberOf = (body: Members, name: string): unknown =>
  body[name] ?? body[name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)];
