import { noteMembers } from "./large-objects.ts";
import { endOfString, JsonTooLarge, nextStructure } from "./strict-json.ts";
import { giveWay } from "./work-in-slices.ts";

/** How deep a text may nest, and how much it may hold. */
export interface SliceLimits {
  depth: number;
  /** An item of a list counts once, a list or an object twice, a member of an object three times. */
  weight: number;
  /** Members of one object: an object is complete only with its last member. */
  members: number;
}

/** For a text that was checked when it was stored, or that the server itself wrote. */
export const unlimited: SliceLimits = {
  depth: 1000,
  weight: Number.POSITIVE_INFINITY,
  members: Number.POSITIVE_INFINITY,
};

export const tooDeep = "It is nested too deeply.";

/** A few milliseconds of parsing, whatever the text holds. */
const sliceCharacters = 64 * 1024;
const tokensBetweenLooks = 1024;

const [quote, comma, colon] = [34, 44, 58];
const [openList, openObject, closeList] = [91, 123, 93];

/** A list or an object whose end was not reached yet. */
interface Open {
  isList: boolean;
  start: number;
  members: number;
  /** Its text is not parsed from here on. */
  from: number;
  /** The last comma of its own after `from`, before which everything is complete; -1 if there is none. */
  comma: number;
  /** After a comma something has to follow. */
  needsMore: boolean;
  /** A separately parsed part stands right before `from`: a comma or the end must follow. */
  isBehindPart: boolean;
  /** Null while it is small enough to be parsed together with its neighbours. */
  made: unknown[] | Record<string, unknown> | null;
}

/**
 * Returns the value that `JSON.parse` returns, or throws a SyntaxError where it does. It parses a slice at a time and
 * lets the event loop turn between slices. One pass finds where lists and objects begin and end; small parts go to
 * `JSON.parse`.
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
      if (open.length >= limits.depth) throw new JsonTooLarge(tooDeep);
      if (top ? top.isBehindPart : !isBlank(text, 0, at)) throw invalid();
      open.push(opened(at, code === openList));
    } else if (!top) throw invalid();
    else if (code === colon) {
      weight += 2;
      if (++top.members > limits.members) throw new JsonTooLarge("An object of it has too many members.");
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
      if (top.made && !top.isList) noteMembers(top.made, top.members);
      const parent = open.at(-1);
      if (!parent) {
        // One long text may have taken a slice already.
        await turn();
        root = { value: top.made ?? JSON.parse(text.slice(top.start, at + 1)), end: at + 1 };
      } else if (top.made) Object.assign(parent, { from: at + 1, comma: -1, needsMore: false, isBehindPart: true });
    }
    if (weight > limits.weight) throw new JsonTooLarge("It holds more values than are read at once.");
    if (isLarge || ++count % tokensBetweenLooks === 0) {
      const pause = turn();
      if (pause) await pause;
    }
  }
  // Numbers, strings and the like; and truncated texts, which the parser refuses.
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

/**
 * All open ones are large, because the innermost is: the complete parts of each are parsed, and each becomes part of
 * its parent.
 */
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

/** The name of a member that is not complete yet; undefined in a list. */
function nameBefore(text: string, { isList, from }: Open, at: number): string {
  if (isList) {
    if (!isBlank(text, from, at)) throw invalid();
    return "";
  }
  const [name, ...others] = Object.keys(JSON.parse(`{${text.slice(from, at)}0}`));
  if (name === undefined || others.length > 0) throw invalid();
  return name;
}

/** Consecutive parts, with commas between. */
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
