import { giveWay } from "./give-way.ts";
import { endOfString, JsonUnwieldy, nextStructure } from "./json.ts";

/** What a text may hold: how deep, and how much in all. */
export interface SliceLimits {
  depth: number;
  /** An item of a list counts once, a list or an object twice, a member of an object three times. */
  weight: number;
  /** Of one object: whoever wants the first name of a million has to wait for all of them. */
  members: number;
}

export const tooDeep = "It is nested too deeply.";

/** So much is parsed at once: a few milliseconds, whatever it holds. */
const sliceCharacters = 64 * 1024;
const tokensBetweenLooks = 1024;

const [quote, comma, colon] = [34, 44, 58];
const [openList, openObject, closeList] = [91, 123, 93];

/** A list or an object whose end was not seen yet. */
interface Open {
  isList: boolean;
  start: number;
  members: number;
  /** From here on its text is not parsed yet. */
  from: number;
  /** The last comma of its own behind `from`, before which everything is whole; -1 where there is none. */
  comma: number;
  /** A comma was passed, so something has to follow. */
  needsMore: boolean;
  /** Right before `from` stands a part that was made on its own: a comma or the end must follow. */
  isBehindPart: boolean;
  /** Null as long as it is small enough to be parsed together with its neighbours. */
  made: unknown[] | Record<string, unknown> | null;
}

/**
 * The value that `JSON.parse` gives, or a SyntaxError where it throws one; parsed a slice at a time, with a turn for everybody
 * else between slices. One walk finds where lists and objects begin, go on and end; what is small is left to `JSON.parse`.
 */
export async function parseInSlices(text: string, limits: SliceLimits): Promise<unknown> {
  const turn = giveWay();
  const open: Open[] = [];
  let root: { value: unknown; end: number } | null = null;
  let weight = 0;
  let count = 0;
  for (let at = nextStructure(text, 0); at >= 0; at = nextStructure(text, at + 1)) {
    const code = text.charCodeAt(at);
    const top = open.at(-1);
    let isLarge = false;
    if (root) throw invalid();
    if (code === quote) {
      at = endOfString(text, at);
      if (at < 0) throw invalid();
    } else if (code === openList || code === openObject) {
      weight += 2;
      if (open.length >= limits.depth) throw new JsonUnwieldy(tooDeep);
      if (top ? top.isBehindPart : !isBlank(text, 0, at)) throw invalid();
      open.push(opened(at, code === openList));
    } else if (!top) throw invalid();
    else if (code === colon) {
      weight += 2;
      if (++top.members > limits.members) throw new JsonUnwieldy("An object of it has too many members.");
    } else if (code === comma) {
      weight++;
      if (top.isBehindPart) passPart(text, top, at);
      else top.comma = at;
      isLarge = at - top.from > sliceCharacters;
      if (isLarge) makeAll(text, open);
    } else {
      if (top.isList !== (code === closeList)) throw invalid();
      open.pop();
      if (top.made) finish(text, top, at);
      const parent = open.at(-1);
      if (!parent) root = { value: top.made ?? JSON.parse(text.slice(top.start, at + 1)), end: at + 1 };
      else if (top.made) Object.assign(parent, { from: at + 1, comma: -1, needsMore: false, isBehindPart: true });
    }
    if (weight > limits.weight) throw new JsonUnwieldy("It holds more values than are read at once.");
    if (isLarge || ++count % tokensBetweenLooks === 0) {
      const pause = turn();
      if (pause) await pause;
    }
  }
  // Numbers, texts and the like; and whatever is cut off, for the parser to say so.
  if (!root) return JSON.parse(text);
  if (!isBlank(text, root.end, text.length)) throw invalid();
  return root.value;
}

const opened = (start: number, isList: boolean): Open => ({
  isList,
  start,
  members: 0,
  from: start + 1,
  comma: -1,
  needsMore: false,
  isBehindPart: false,
  made: null,
});

/** All that are open are large, because the innermost is: what is whole of each is parsed, and each becomes part of the one round it. */
function makeAll(text: string, open: readonly Open[]): void {
  for (const [index, each] of open.entries()) {
    const part = open[index + 1];
    if (each.comma >= 0) {
      take(each, text.slice(each.from, each.comma));
      Object.assign(each, { from: each.comma + 1, comma: -1, needsMore: true });
    }
    each.made ??= each.isList ? [] : {};
    if (part && !part.made) {
      part.made = part.isList ? [] : {};
      put(each, nameBefore(text, each, part.start), part.made);
    }
  }
}

/** The name of a member that is not whole yet; nothing in a list. */
function nameBefore(text: string, { isList, from }: Open, at: number): string {
  if (isList) {
    if (!isBlank(text, from, at)) throw invalid();
    return "";
  }
  const [name, ...others] = Object.keys(JSON.parse(`{${text.slice(from, at)}0}`));
  if (name === undefined || others.length > 0) throw invalid();
  return name;
}

/** Parts that stand behind each other, with commas between. */
function take(open: Open, parts: string): void {
  if (open.isList) {
    const items = JSON.parse(`[${parts}]`) as unknown[];
    if (items.length === 0) throw invalid();
    open.made ??= [];
    for (const item of items) (open.made as unknown[]).push(item);
    return;
  }
  const members = JSON.parse(`{${parts}}`) as Record<string, unknown>;
  const names = Object.keys(members);
  if (names.length === 0) throw invalid();
  open.made ??= {};
  for (const name of names) put(open, name, members[name]);
}

function put(open: Open, name: string, value: unknown): void {
  open.made ??= open.isList ? [] : {};
  if (open.isList) (open.made as unknown[]).push(value);
  else if (name === "__proto__") {
    Object.defineProperty(open.made, name, { value, enumerable: true, writable: true, configurable: true });
  } else (open.made as Record<string, unknown>)[name] = value;
}

function passPart(text: string, open: Open, at: number): void {
  if (!isBlank(text, open.from, at)) throw invalid();
  Object.assign(open, { from: at + 1, comma: -1, needsMore: true, isBehindPart: false });
}

function finish(text: string, open: Open, at: number): void {
  if (!isBlank(text, open.from, at)) {
    if (open.isBehindPart) throw invalid();
    take(open, text.slice(open.from, at));
  } else if (open.needsMore) throw invalid();
}

const isBlank = (text: string, from: number, to: number): boolean => /^[ \t\r\n]*$/.test(text.slice(from, to));

const invalid = (): SyntaxError => new SyntaxError("This is not JSON.");
