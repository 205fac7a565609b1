import { endOfString } from "../../kernel/json.ts";
import { parseInSlices } from "../../kernel/parse-in-slices.ts";
import type { Db } from "../../store/db.ts";
import { characterOfNode, weightUpTo } from "../../untrusted/weight.ts";
import {
  findInRow,
  findLarge,
  type LargeOutput,
  listLarge,
  type OutputPlace,
  putLarge,
} from "./large-outputs.store.ts";

export type { LargeOutput } from "./large-outputs.store.ts";

/** "Big outputs are kept outside the row": above this, and read only by whoever asks for them. */
const largeCharacters = 128 * 1024;
export const previewCharacters = 1000;

/** The place of what the run itself gives. */
export const wholeRun: OutputPlace = { position: -1, turn: -1 };

export const isLarge = (output: string | null): output is string => output !== null && output.length > largeCharacters;

interface Remembered {
  text: string;
  weight: number;
}

const remembered = new WeakMap<object, Remembered>();

/** The JSON of an output that somebody has written already: megabytes are not written twice, and never at once. */
export function rememberText(output: unknown, text: string, weight = weightOfJson(text)): void {
  if (typeof output === "object" && output !== null) remembered.set(output, { text, weight });
}

const findRemembered = (output: unknown): Remembered | undefined =>
  typeof output === "object" && output !== null ? remembered.get(output) : undefined;

export const textOf = (output: unknown): string => findRemembered(output)?.text ?? JSON.stringify(output);

/** What an output costs in memory, as `weightUpTo` counts. */
export const weightOf = (output: unknown): number =>
  findRemembered(output)?.weight ?? weightUpTo(output, Number.POSITIVE_INFINITY);

const [comma, openList, openObject] = [44, 91, 123];

/** The same from its text, without a look at every value. */
function weightOfJson(text: string): number {
  let weight = text.length;
  for (let at = 0; at < text.length; ) {
    const quote = text.indexOf('"', at);
    const outsideEnd = quote < 0 ? text.length : quote;
    for (; at < outsideEnd; at++) {
      const code = text.charCodeAt(at);
      if (code === comma || code === openList || code === openObject) weight += characterOfNode;
    }
    if (quote >= 0) at = endOfString(text, quote) + 1;
  }
  return weight;
}

/** What of an output stands in the row: its text, unless that is kept apart, and how large it is. */
export const inRow = (output: string | null): [text: string | null, bytes: number] => [
  isLarge(output) ? null : output,
  output === null ? 0 : Buffer.byteLength(output),
];

export function keepLarge(db: Db, runId: string, { position, turn }: OutputPlace, output: string): Promise<void> {
  const preview = output.slice(0, previewCharacters);
  return putLarge(db, runId, { position, turn, bytes: Buffer.byteLength(output), preview }, output);
}

/** How large each is, and how it begins. */
export async function largeAt(db: Db, runId: string): Promise<(place: OutputPlace) => LargeOutput | undefined> {
  const all = await listLarge(db, runId);
  return ({ position, turn }) => all.find((each) => each.position === position && each.turn === turn);
}

/** As its JSON; null where there is none. */
export const readLargeText = async (db: Db, runId: string, place: OutputPlace): Promise<string | null> =>
  (await findLarge(db, runId, place)) ?? (await findInRow(db, runId, place));

const atOnceCharacters = 512 * 1024;
/** We wrote it ourselves. */
const unlimited = { depth: 1000, weight: Number.POSITIVE_INFINITY, members: Number.POSITIVE_INFINITY };

export async function readLarge(db: Db, runId: string, place: OutputPlace): Promise<unknown> {
  const text = await readLargeText(db, runId, place);
  if (text === null) return null;
  if (text.length <= atOnceCharacters) return JSON.parse(text);
  const output = await parseInSlices(text, unlimited);
  rememberText(output, text);
  return output;
}
