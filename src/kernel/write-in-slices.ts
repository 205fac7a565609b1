import { isSlowToList, notedMembers } from "./large-objects.ts";
import { giveWay, turnAlone } from "./work-in-slices.ts";

/** The weight that one slice visits or writes: a millisecond or two. */
export const sliceWeight = 4_000;
/** A value below this weight is written at once. */
const largeWeight = 25_000;
/** In bits: a text counts once more for each 16 characters. Whole numbers, because V8 allocates each fraction. */
const lettersForOneBits = 4;

/**
 * Whether a value is too large to be visited at once. It visits no more of it than needed: a value counts once, a text
 * once more for every so many characters.
 */
export const isLarge = (value: unknown, weight = largeWeight, known?: KnownLarge): boolean =>
  known?.has(value as object) || weigh(value, weight, known) < 0;

/**
 * Lists and objects in which a weight was used up. To visit their parts is right even if some of them fit by
 * themselves, and saves weighing them again: to begin with an object of very many members takes milliseconds.
 */
export type KnownLarge = WeakSet<object>;

/** What is left of `budget` after a value; negative if it does not fit. */
function weigh(value: unknown, budget: number, known: KnownLarge | undefined): number {
  if (typeof value === "string") return budget - 1 - (value.length >> lettersForOneBits);
  if (value === null || typeof value !== "object") return budget - 1;
  const left = weighParts(value, budget - 2, known);
  if (left < 0) known?.add(value);
  return left;
}

function weighParts(value: object, budget: number, known: KnownLarge | undefined): number {
  let left = budget;
  if (Array.isArray(value)) {
    if (value.length > left) return -1;
    for (let index = 0; index < value.length && left >= 0; index++) left = weigh(value[index], left, known);
    return left;
  }
  if (notedMembers(value) > left) return -1;
  for (const name in value) {
    left = weigh((value as Record<string, unknown>)[name], left - 1 - (name.length >> lettersForOneBits), known);
    if (left < 0) return left;
  }
  return left;
}

/**
 * Returns the text of `JSON.stringify` for a value without cycles. It writes a slice at a time and lets the event loop
 * turn between slices.
 */
export async function writeInSlices(value: unknown): Promise<string> {
  const turn = giveWay();
  const written: string[] = [];
  const known: KnownLarge = new WeakSet();
  const isLargeContainer = (part: unknown): part is object =>
    typeof part === "object" && part !== null && !("toJSON" in part) && isLarge(part, sliceWeight, known);

  async function write(part: unknown): Promise<void> {
    if (isLongText(part)) return writeText(part);
    if (!isLargeContainer(part)) {
      written.push(JSON.stringify(part) ?? "null");
      return;
    }
    written.push(Array.isArray(part) ? "[" : "{");
    await (Array.isArray(part) ? writeItems(part) : writeMembers(part));
    written.push(Array.isArray(part) ? "]" : "}");
  }

  async function writeText(text: string): Promise<void> {
    written.push('"');
    for (let from = 0; from < text.length; ) {
      const end = endOfPiece(text, from);
      written.push(JSON.stringify(text.slice(from, end)).slice(1, -1));
      from = end;
      const pause = turn();
      if (pause) await pause;
    }
    written.push('"');
  }

  /** Consecutive small items are written together. */
  async function writeItems(list: readonly unknown[]): Promise<void> {
    let isFirst = true;
    for (let index = 0; index < list.length; ) {
      let end = index;
      for (let budget = sliceWeight; end < list.length; end++) {
        budget = weigh(list[end], budget, undefined);
        if (budget < 0) break;
      }
      if (!isFirst) written.push(",");
      isFirst = false;
      if (end > index) written.push(JSON.stringify(list.slice(index, end)).slice(1, -1));
      else await write(list[index]);
      index = Math.max(end, index + 1);
      const pause = turn();
      if (pause) await pause;
    }
  }

  async function writeMembers(object: object): Promise<void> {
    let isFirst = true;
    if (isSlowToList(object)) await turnAlone();
    for (const name of Object.keys(object)) {
      const member = (object as Record<string, unknown>)[name];
      const text = isLargeContainer(member) || isLongText(member) ? null : JSON.stringify(member);
      // As in JSON.stringify, a value that cannot be written is left out.
      if (text === undefined) continue;
      written.push(`${isFirst ? "" : ","}${JSON.stringify(name)}:${text ?? ""}`);
      isFirst = false;
      if (text === null) await write(member);
      const pause = turn();
      if (pause) await pause;
    }
  }

  await write(value);
  await turnAlone();
  return written.join("");
}

/** Half of a character is written as an escape, which takes twenty times longer than a letter. */
const pieceCharacters = 64 * 1024;

const isLongText = (value: unknown): value is string => typeof value === "string" && value.length > pieceCharacters;

/** The two halves of a character stay together. */
function endOfPiece(text: string, from: number): number {
  const end = from + pieceCharacters;
  const [last, next] = [text.charCodeAt(end - 1), text.charCodeAt(end)];
  return last >= 0xd800 && last <= 0xdbff && next >= 0xdc00 && next <= 0xdfff ? end + 1 : end;
}
