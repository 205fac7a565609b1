import { parseInSlices, unlimited } from "../../kernel/parse-in-slices.ts";
import type { Db } from "../../store/db.ts";
import { ownText } from "../../store/large-texts.ts";
import { sizeOfJson, sizeOfValue, type ValueSize } from "../../untrusted/value-size.ts";
import { weightUpTo } from "../../untrusted/weight.ts";
import { findInRow, findLarge, type LargeOutput, listLarge, type OutputKey, putLarge } from "./large-outputs.store.ts";

export { copyLarge, type LargeOutput } from "./large-outputs.store.ts";

/** "Big outputs are kept outside the row": above this size, and read only on request. */
const largeCharacters = 128 * 1024;
export const previewCharacters = 1000;

/** The key of the run's own output. */
export const wholeRun: OutputKey = { position: -1, turn: -1 };

export const isLarge = (output: string | null): output is string => output !== null && output.length > largeCharacters;

interface Remembered extends ValueSize {
  text: string;
  /** What `storeLargeText` returned, if the text was stored before: one for each row that is to have it. */
  references: readonly string[];
}

const remembered = new WeakMap<object, Remembered>();

/**
 * Remembers the JSON of an output, so that megabytes are not serialized twice or in one slice, and the references to it
 * if it was stored before.
 */
export async function rememberText(
  output: unknown,
  text: string,
  { size, references = [] }: { size?: ValueSize; references?: readonly string[] } = {},
): Promise<void> {
  if (typeof output !== "object" || output === null) return;
  const known = size ?? (await sizeOfJson(text));
  // The params of a run may be its output, too, or the params of another run.
  const earlier = remembered.get(output)?.references ?? [];
  remembered.set(output, { text, ...known, references: [...earlier, ...references] });
}

const findRemembered = (output: unknown): Remembered | undefined =>
  typeof output === "object" && output !== null ? remembered.get(output) : undefined;

export const textOf = (output: unknown): string => findRemembered(output)?.text ?? writeOnce(output);

/** What a column of a new row holds for a value: a reference that no row has yet, or the text. */
export async function columnOf(db: Db, value: unknown): Promise<string> {
  for (const reference of findRemembered(value)?.references ?? []) {
    if (await ownText(db, reference)) return reference;
  }
  return textOf(value);
}

let lastOutput: unknown;
let lastText = "";

/** The output of a run is mostly that of its last step, and one transaction stores both. */
function writeOnce(output: unknown): string {
  if (output !== null && output === lastOutput) return lastText;
  const text = JSON.stringify(output);
  if (typeof output === "object" && text.length <= largeCharacters) [lastOutput, lastText] = [output, text];
  return text;
}

/** As counted by `weightUpTo`. */
export const weightOf = (output: unknown): number =>
  findRemembered(output)?.weight ?? weightUpTo(output, Number.POSITIVE_INFINITY);

export const sizeOf = (output: unknown): ValueSize => findRemembered(output) ?? sizeOfValue(output);

/** The columns of an output: its text, unless it is large, and its size. */
export const outputColumns = (output: string | null): [text: string | null, bytes: number] => [
  isLarge(output) ? null : output,
  output === null ? 0 : Buffer.byteLength(output),
];

export function saveLarge(db: Db, runId: string, { position, turn }: OutputKey, output: string): Promise<void> {
  const preview = output.slice(0, previewCharacters);
  return putLarge(db, runId, { position, turn, bytes: Buffer.byteLength(output), preview }, output);
}

/** The size and preview of each large output. */
export async function readLargePreviews(db: Db, runId: string): Promise<(key: OutputKey) => LargeOutput | undefined> {
  const all = await listLarge(db, runId);
  return ({ position, turn }) => all.find((each) => each.position === position && each.turn === turn);
}

/** Its JSON, or null. */
export const readLargeText = async (db: Db, runId: string, key: OutputKey): Promise<string | null> =>
  (await findLarge(db, runId, key)) ?? (await findInRow(db, runId, key));

const atOnceCharacters = 512 * 1024;

export async function readLarge(db: Db, runId: string, key: OutputKey): Promise<unknown> {
  const text = await readLargeText(db, runId, key);
  if (text === null) return null;
  if (text.length <= atOnceCharacters) return JSON.parse(text);
  const output = await parseInSlices(text, unlimited);
  await rememberText(output, text);
  return output;
}
