/** A text that was refused as JSON, with a sentence for the sender. */
export class JsonRefused extends Error {}

/** The text holds more than may be read at once. */
export class JsonTooLarge extends JsonRefused {}

/**
 * Parses JSON strictly. It refuses an object that names a member twice, because two parsers could read two different
 * requests in it (ASVS 1.5.3), and nesting deeper than `depthMax`.
 */
export function parseJson(text: string, depthMax = 32, max: JsonMax = ordinaryMax): unknown {
  const colons = text.length > smallCharacters ? colonsOfLarge(text, depthMax, max) : null;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new JsonRefused(notJson);
  }
  if (countMembers(value, depthMax) !== (colons ?? countColons(text))) {
    throw new JsonRefused(namedTwice);
  }
  return value;
}

export const notJson = "The body is not valid JSON.";
export const namedTwice = "The body names a member of an object twice.";

/** A text this short is parsed without weighing it. */
export const smallCharacters = 64 * 1024;
/**
 * How much a text may hold. Parsing, checking and storing cost time for each value, and a megabyte of `{}` has as many
 * values as fifty of ordinary text. An item of a list counts once, a list or an object twice, a member three times.
 */
export interface JsonMax {
  weight: number;
  /** Distinct names of members: a parser takes ten times longer for a name it has not seen. */
  names: number;
}
export const ordinaryMax: JsonMax = { weight: 200_000, names: Number.POSITIVE_INFINITY };

const [quoteCode, comma, colon, backslash] = [34, 44, 58, 92];
const [openList, openObject, closeList, closeObject] = [91, 123, 93, 125];

// Several times faster than visiting every character, because few characters matter.
const structure = /["{}[\],:]/g;

/** The index of the next structural character at or after `from`; -1 if there is none. */
export function nextStructure(text: string, from: number): number {
  structure.lastIndex = from;
  return structure.test(text) ? structure.lastIndex - 1 : -1;
}

function colonsOfLarge(text: string, depthMax: number, max: JsonMax): number {
  const walk = scanLarge(text, depthMax, max);
  for (;;) {
    const { done, value } = walk.next();
    if (done) return value;
  }
}

const structuresBetweenLooks = 1024;

/**
 * One pass before any value is created: refuses a text that holds too much, and returns how many colons it has. The
 * parser decides whether it is JSON. It yields now and then, so that the caller can pause.
 */
export function* scanLarge(text: string, depthMax: number, max: JsonMax): Generator<void, number> {
  const names = max.names < Number.POSITIVE_INFINITY ? new RecentNames() : null;
  let colons = 0;
  let weight = 0;
  let depth = 0;
  let count = 0;
  let start = nextStructure(text, 0);
  for (; start >= 0; start = nextStructure(text, start + 1)) {
    const code = text.charCodeAt(start);
    if (code === quoteCode) {
      const end = endOfString(text, start);
      if (end < 0) return colons;
      if (names && isName(text, end) && names.count(text, start, end) > max.names) {
        throw new JsonTooLarge(`The body holds more than ${max.names} different names.`);
      }
      start = end;
    } else if (code === comma) weight++;
    else if (code === colon) {
      colons++;
      weight += 2;
    } else if (code === openList || code === openObject) {
      weight += 2;
      if (++depth > depthMax) throw new JsonRefused("The body is nested too deeply.");
    } else if ((code === closeList || code === closeObject) && --depth < 0) return colons;
    if (weight > max.weight) throw new JsonTooLarge("The body holds too many values: send fewer at a time.");
    if (++count % structuresBetweenLooks === 0) yield;
  }
  return colons;
}

/** Whether a colon follows the string that ends here. */
function isName(text: string, end: number): boolean {
  let next = end + 1;
  while (text.charCodeAt(next) <= 32) next++;
  return text.charCodeAt(next) === colon;
}

const recentMax = 8;

/** Objects in a list share a few names. These are recognized without cutting them out of the text. */
class RecentNames {
  readonly #all = new Set<string>();
  readonly #recent: string[] = [];

  /** The number of distinct names, including the one between these indexes. */
  count(text: string, start: number, end: number): number {
    const length = end - start;
    for (const name of this.#recent) {
      if (name.length === length && text.startsWith(name, start)) return this.#all.size;
    }
    const name = text.slice(start, end);
    this.#all.add(name);
    if (this.#recent.unshift(name) > recentMax) this.#recent.pop();
    return this.#all.size;
  }
}

function countMembers(value: unknown, depthLeft: number): number {
  if (value === null || typeof value !== "object") return 0;
  if (depthLeft === 0) throw new JsonRefused("The body is nested too deeply.");
  let count = 0;
  if (Array.isArray(value)) {
    for (const item of value) count += countMembers(item, depthLeft - 1);
    return count;
  }
  for (const key in value) count += 1 + countMembers((value as Record<string, unknown>)[key], depthLeft - 1);
  return count;
}

// Each member has exactly one colon outside of strings, and a repeated member leaves no trace in the parsed value.
// Comparing the two counts finds it without a parser of our own.
function countColons(text: string): number {
  let count = 0;
  let position = 0;
  for (;;) {
    const quote = text.indexOf('"', position);
    const outsideEnd = quote < 0 ? text.length : quote;
    for (; position < outsideEnd; position++) if (text.charCodeAt(position) === 58) count++;
    if (quote < 0) return count;
    position = endOfString(text, quote) + 1;
  }
}

/** The index of the closing quote; -1 if there is none. */
export function endOfString(text: string, start: number): number {
  const quote = text.indexOf('"', start + 1);
  if (quote < 0 || text.charCodeAt(quote - 1) !== backslash) return quote;
  for (let at = text.indexOf("\\", start + 1); at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === backslash) at++;
    else if (code === quoteCode) return at;
  }
  return -1;
}

/** A value with its JSON text, so that megabytes are not serialized twice. */
export class WrittenJson {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

export const writeJson = (value: unknown): string =>
  value instanceof WrittenJson ? value.text : JSON.stringify(value);

/** The same value always gives the same text: members sorted, no white space. */
export function canonicalJson(value: unknown): string {
  if (value === null || typeof value !== "object") return JSON.stringify(value ?? null);
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member)}`);
  return `{${members.join(",")}}`;
}
