import { endOfString } from "../../kernel/json.ts";
import { parseInSlices } from "../../kernel/parse-in-slices.ts";
import type { Db } from "../../store/db.ts";
import { characterOfNode, weightUpTo } from "../../untrusted/weight.ts";
import { findInRow, findLarge, type LargeOutput, listLarge, type OutputKey, putLarge } from "./large-outputs.store.ts";

export type { LargeOutput } from "./large-outputs.store.ts";

/** "Big outputs are kept outside the row": above this size, and read only on request. */
const largeCharacters = 128 * 1024;
export const previewCharacters = 1000;

/** The key of the run's own output. */
export const wholeRun: OutputKey = { position: -1, turn: -1 };

export const isLarge = (output: string | null): output is string => output !== null && output.length > largeCharacters;

/** The size of an output in two units. */
export interface OutputSize {
  /** As users are told it: the characters of its JSON, and 8 more for each value. */
  weight: number;
  /** An estimate of the bytes that it takes up in this process. */
  memory: number;
}

interface Remembered extends OutputSize {
  text: string;
}

/**
 * What a value takes up beyond its characters. Measured on Node 26: 55 bytes for a list in a list, 64 for an object in one, 32 for a
 * short string. Names of members are mostly shared between objects, so half of a string is counted for each.
 */
const bytesOf = { item: 8, list: 48, object: 56, string: 12 };

const remembered = new WeakMap<object, Remembered>();

/** Remembers the JSON of an output, so that megabytes are not serialized twice or in one slice. */
export function rememberText(output: unknown, text: string, size: OutputSize = sizeOfJson(text)): void {
  if (typeof output === "object" && output !== null) remembered.set(output, { text, ...size });
}

const findRemembered = (output: unknown): Remembered | undefined =>
  typeof output === "object" && output !== null ? remembered.get(output) : undefined;

export const textOf = (output: unknown): string => findRemembered(output)?.text ?? JSON.stringify(output);

/** As counted by `weightUpTo`. */
export const weightOf = (output: unknown): number =>
  findRemembered(output)?.weight ?? weightUpTo(output, Number.POSITIVE_INFINITY);

export const sizeOf = (output: unknown): OutputSize => findRemembered(output) ?? measure(output);

/** One visit to every value, like that of `weightUpTo`, for both units. */
function measure(output: unknown): OutputSize {
  let weight = 0;
  let memory = 0;
  const open: unknown[] = [output];
  while (open.length > 0) {
    const each = open.pop();
    weight += characterOfNode;
    memory += bytesOf.item;
    if (typeof each === "string") {
      weight += each.length;
      memory += bytesOf.string + each.length;
    } else if (Array.isArray(each)) {
      memory += bytesOf.list;
      for (const item of each) open.push(item);
    } else if (typeof each === "object" && each !== null) {
      memory += bytesOf.object;
      for (const name in each) {
        weight += name.length;
        memory += bytesOf.string;
        open.push((each as Record<string, unknown>)[name]);
      }
    }
  }
  return { weight, memory };
}

const [comma, openList, openObject] = [44, 91, 123];

/** The same, computed from the JSON text without visiting every value. The text is remembered beside the value. */
function sizeOfJson(text: string): OutputSize {
  let weight = text.length;
  let memory = 2 * text.length;
  for (let at = 0; at < text.length; ) {
    const quote = text.indexOf('"', at);
    const outsideEnd = quote < 0 ? text.length : quote;
    for (; at < outsideEnd; at++) {
      const code = text.charCodeAt(at);
      if (code !== comma && code !== openList && code !== openObject) continue;
      weight += characterOfNode;
      memory += bytesOf.item;
      if (code === openList) memory += bytesOf.list;
      else if (code === openObject) memory += bytesOf.object;
    }
    if (quote < 0) continue;
    memory += bytesOf.string;
    at = endOfString(text, quote) + 1;
  }
  return { weight, memory };
}

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
/** The server itself wrote this text. */
const unlimited = { depth: 1000, weight: Number.POSITIVE_INFINITY, members: Number.POSITIVE_INFINITY };

export async function readLarge(db: Db, runId: string, key: OutputKey): Promise<unknown> {
  const text = await readLargeText(db, runId, key);
  if (text === null) return null;
  if (text.length <= atOnceCharacters) return JSON.parse(text);
  const output = await parseInSlices(text, unlimited);
  rememberText(output, text);
  return output;
}
