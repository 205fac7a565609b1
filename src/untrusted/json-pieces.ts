import { isSlowToList, noteMembers } from "../kernel/large-objects.ts";
import { giveWay, turnAlone } from "../kernel/work-in-slices.ts";
import { writeInSlices } from "../kernel/write-in-slices.ts";
import { weightUpTo } from "./weight.ts";

/**
 * JSON in pieces: large values are written and read without blocking the event loop. A text is a whole value. In a list
 * or an object, a text holds several neighbouring items or members; large ones are pieces of their own.
 */
export type Pieces = string | { items: (string | { item: Pieces })[] } | { members: (string | [string, Pieces])[] };

export class TooLarge extends Error {}

const pieceWeight = 64 * 1024;

/** Throws TooLarge if the value weighs more than `weightMax`. */
export async function writePieces(value: unknown, weightMax: number): Promise<Pieces> {
  const turn = giveWay();
  let written = 0;

  const count = (weight: number): void => {
    written += weight;
    if (written > weightMax) throw new TooLarge("The value is too large.");
  };

  async function write(each: unknown, weight: number): Promise<Pieces> {
    const isDivisible = typeof each === "object" && each !== null;
    if (weight <= pieceWeight || !isDivisible) {
      count(typeof each === "string" ? each.length : weight);
      return textOf(each, weight);
    }
    await turn();
    if (Array.isArray(each)) return { items: await writeItems(each) };
    return { members: await writeMembers(each as Record<string, unknown>) };
  }

  async function writeItems(items: unknown[]): Promise<(string | { item: Pieces })[]> {
    const pieces: (string | { item: Pieces })[] = [];
    for (const { from, to, weight } of groupsOf(items.length, (index) => items[index])) {
      if (weight > pieceWeight) pieces.push({ item: await write(items[from], weight) });
      else {
        count(weight);
        pieces.push(await textOf(items.slice(from, to), weight));
        await turn();
      }
    }
    return pieces;
  }

  async function writeMembers(object: Record<string, unknown>): Promise<(string | [string, Pieces])[]> {
    if (isSlowToList(object)) await turnAlone();
    const names = Object.keys(object);
    const pieces: (string | [string, Pieces])[] = [];
    const at = (index: number) => [names[index], object[names[index] as string]];
    await turn();
    for (const { from, to, weight } of groupsOf(names.length, at)) {
      const name = names[from] as string;
      const inner = object[name];
      if (weight > pieceWeight && typeof inner === "object") pieces.push([name, await write(inner, weight)]);
      else {
        count(weight);
        pieces.push(
          await textOf(Object.fromEntries(names.slice(from, to).map((each) => [each, object[each]])), weight),
        );
        await turn();
      }
    }
    return pieces;
  }

  return write(value, weightUpTo(value, pieceWeight));
}

/** A long text is one piece, and is serialized in slices. */
const textOf = (value: unknown, weight: number): string | Promise<string> =>
  weight > pieceWeight ? writeInSlices(value) : (JSON.stringify(value) ?? "null");

/** Groups neighbours that fit into one piece; a larger one is its own group. */
function* groupsOf(
  length: number,
  at: (index: number) => unknown,
): Generator<{ from: number; to: number; weight: number }> {
  let from = 0;
  let weight = 0;
  for (let index = 0; index < length; index++) {
    const own = weightUpTo(at(index), pieceWeight);
    if (weight + own > pieceWeight && index > from) {
      yield { from, to: index, weight };
      from = index;
      weight = 0;
    }
    weight += own;
  }
  if (from < length) yield { from, to: length, weight };
}

const ordinary = { enumerable: true, writable: true, configurable: true };

export async function readPieces(pieces: Pieces): Promise<unknown> {
  const turn = giveWay();

  async function read(each: Pieces): Promise<unknown> {
    if (typeof each === "string") return JSON.parse(each) as unknown;
    if ("items" in each) {
      const items: unknown[] = [];
      for (const piece of each.items) {
        if (typeof piece !== "string") items.push(await read(piece.item));
        else for (const item of JSON.parse(piece) as unknown[]) items.push(item);
        await turn();
      }
      return items;
    }
    const object: Record<string, unknown> = {};
    let count = 0;
    const put = (name: string, value: unknown): void => {
      count++;
      // Assigned, this name would change the prototype.
      if (name === "__proto__") Object.defineProperty(object, name, { ...ordinary, value });
      else object[name] = value;
    };
    for (const piece of each.members) {
      if (typeof piece !== "string") put(piece[0], await read(piece[1]));
      else for (const [name, value] of Object.entries(JSON.parse(piece) as object)) put(name, value);
      await turn();
    }
    noteMembers(object, count);
    return object;
  }

  return read(pieces);
}
