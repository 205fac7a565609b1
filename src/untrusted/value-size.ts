import { endOfString } from "../kernel/strict-json.ts";
import { giveWay } from "../kernel/work-in-slices.ts";
import { characterOfNode } from "./weight.ts";

/** The size of a value in two units. */
export interface ValueSize {
  /** As the documentation counts it: the characters of its JSON, and 8 more for each value. */
  weight: number;
  /** An estimate of the bytes that it takes up in this process. */
  memory: number;
}

/**
 * What a value takes up beyond its characters. Measured on Node 26: 55 bytes for a list in a list, 64 for an object in one, 32 for a
 * short string. Names of members are mostly shared between objects, so half of a string is counted for each.
 */
const bytesOf = { item: 8, list: 48, object: 56, string: 12 };

/** One pass over every value, like that of `weightUpTo`, for both units. */
export function sizeOfValue(value: unknown): ValueSize {
  let weight = 0;
  let memory = 0;
  const open: unknown[] = [value];
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

const charactersBetweenLooks = 16 * 1024;

/**
 * The same, computed from a JSON text without visiting every value, for a value that is kept beside its text. A text that
 * is no JSON has some size, too. In slices: ten megabytes of `"",` took 170 ms at once.
 */
export async function sizeOfJson(text: string): Promise<ValueSize> {
  const turn = giveWay();
  let weight = text.length;
  let memory = 2 * text.length;
  let looked = 0;
  let quote = text.indexOf('"');
  for (let at = 0; at < text.length; ) {
    const end = Math.min(quote < 0 ? text.length : quote, at + charactersBetweenLooks);
    for (; at < end; at++) {
      const code = text.charCodeAt(at);
      if (code !== comma && code !== openList && code !== openObject) continue;
      weight += characterOfNode;
      memory += bytesOf.item;
      if (code === openList) memory += bytesOf.list;
      else if (code === openObject) memory += bytesOf.object;
    }
    if (at === quote) {
      memory += bytesOf.string;
      const close = endOfString(text, quote);
      if (close < 0) break;
      at = close + 1;
      quote = text.indexOf('"', at);
    }
    if (at - looked < charactersBetweenLooks) continue;
    looked = at;
    const pause = turn();
    if (pause) await pause;
  }
  return { weight, memory };
}
