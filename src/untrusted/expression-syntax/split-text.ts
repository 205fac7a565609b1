import jsonata from "jsonata";
import { type PlainPath, readPlainPath } from "./plain-path.ts";
import { type References, referencesOfPath, referencesOfTree } from "./references.ts";

/** One expression, as written between its braces. */
export interface Expression {
  text: string;
  /** Null if it needs the evaluator. */
  path: PlainPath | null;
  references: References;
}

/** A mistake that is known before any values. */
export interface SyntaxMistake {
  text: string;
  mistake: string;
}

export type Part = string | Expression | SyntaxMistake;

export const expressionCharactersMax = 4_000;
/** Braces may also appear inside an expression; this many ends are tried. */
const endsTriedMax = 20;
const cachedMax = 2_000;

const cached = new Map<string, Part[]>();

export const hasBraces = (text: string): boolean => text.includes("{{");
export const isExpression = (part: Part): part is Expression => typeof part !== "string" && "references" in part;
export const isMistake = (part: Part): part is SyntaxMistake => typeof part !== "string" && "mistake" in part;

/** How many expressions the server reads itself. Paths and cached texts do not count. */
export interface ReadLimit {
  expressions: number;
  characters: number;
}

/** One takes up to 0.2 ms, and 15 ms at its maximum length. */
export const readAtOnceMax: ReadLimit = { expressions: 20, characters: 4_000 };

export function areReadAtOnce(texts: readonly string[], max: ReadLimit = readAtOnceMax): boolean {
  let expressions = 0;
  let characters = 0;
  for (const text of texts) {
    if (cached.has(text)) continue;
    for (const segment of text.split("{{").slice(1)) {
      const end = segment.indexOf("}}");
      if (end >= 0 && readPlainPath(segment.slice(0, end))) continue;
      expressions++;
      characters += segment.length;
      if (expressions > max.expressions || characters > max.characters) return false;
    }
  }
  return true;
}

/** Text and expressions in turn. `{{params.x}}` alone is one part, and its value keeps its type. */
export function partsOf(text: string): Part[] {
  let parts = cached.get(text);
  if (parts) return parts;
  parts = split(text);
  cacheParts(text, parts);
  return parts;
}

/** Caches parts that a child process has read. */
export function cacheParts(text: string, parts: Part[]): void {
  // Long texts are mostly prose; caching them would cost more than reading them again.
  if (text.length > expressionCharactersMax) return;
  if (cached.size >= cachedMax) cached.clear();
  cached.set(text, parts);
}

function split(text: string): Part[] {
  const parts: Part[] = [];
  let position = 0;
  for (;;) {
    const start = text.indexOf("{{", position);
    if (start < 0) break;
    if (start > position) parts.push(text.slice(position, start));
    const { part, end } = readExpression(text, start + 2);
    parts.push(part);
    if (isMistake(part)) return parts;
    position = end;
  }
  if (position < text.length) parts.push(text.slice(position));
  return parts;
}

/**
 * An expression ends at the first closing braces that leave a complete expression before them: `{{ {"a": {"b": 1}} }}`.
 */
function readExpression(text: string, start: number): { part: Expression | SyntaxMistake; end: number } {
  let first: SyntaxMistake | null = null;
  let end = text.indexOf("}}", start);
  if (end < 0) return { part: { text: text.slice(start), mistake: "The braces are not closed." }, end: text.length };
  for (let tries = 0; end >= 0 && tries < endsTriedMax; tries++) {
    const part = parse(text.slice(start, end));
    if (!isMistake(part)) return { part, end: end + 2 };
    first ??= part;
    end = text.indexOf("}}", end + 1);
  }
  return { part: first as SyntaxMistake, end: text.length };
}

function parse(text: string): Expression | SyntaxMistake {
  const path = readPlainPath(text);
  if (path) return { text, path, references: referencesOfPath(path, text) };
  if (text.length > expressionCharactersMax) {
    return { text, mistake: `An expression has at most ${expressionCharactersMax} characters.` };
  }
  if (text.trim() === "") return { text, mistake: "There is nothing between the braces." };
  try {
    const references = referencesOfTree(jsonata(text).ast());
    if (references.forbidden !== null) return { text, mistake: `${references.forbidden} is not available here.` };
    return { text, path: null, references };
  } catch (error) {
    return { text, mistake: messageOf(error) };
  }
}

// The parser throws plain objects; deep nesting ends in a RangeError instead.
const messageOf = (error: unknown): string =>
  error instanceof RangeError || !isMessage(error) ? "The expression cannot be read." : error.message;

const isMessage = (error: unknown): error is { message: string } =>
  typeof error === "object" && error !== null && "message" in error && typeof error.message === "string";
