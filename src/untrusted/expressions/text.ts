import jsonata from "jsonata";
import { type PlainPath, readPlainPath } from "./path.ts";
import { type References, referencesOfPath, referencesOfTree } from "./references.ts";

/** One expression, as it stands between its braces. */
export interface Expression {
  text: string;
  /** Set where it can be followed without the evaluator. */
  path: PlainPath | null;
  references: References;
}

/** What is wrong with an expression before any value is known. */
export interface SyntaxMistake {
  text: string;
  mistake: string;
}

export type Part = string | Expression | SyntaxMistake;

export const expressionCharactersMax = 4_000;
/** Braces may stand inside of an expression too; so many places are tried for its end. */
const endsTriedMax = 20;
const keptMax = 2_000;

const kept = new Map<string, Part[]>();

export const hasBraces = (text: string): boolean => text.includes("{{");
export const isExpression = (part: Part): part is Expression => typeof part !== "string" && "references" in part;
export const isMistake = (part: Part): part is SyntaxMistake => typeof part !== "string" && "mistake" in part;

/** How many expressions are read at once in the server. Paths, and what was read before, count for nothing. */
export interface ReadAtOnce {
  expressions: number;
  characters: number;
}

/** One takes up to 0.2 ms, and 15 ms where it is as long as it may be. */
export const soonRead: ReadAtOnce = { expressions: 20, characters: 4_000 };

export function isSoonRead(texts: readonly string[], max: ReadAtOnce = soonRead): boolean {
  let expressions = 0;
  let characters = 0;
  for (const text of texts) {
    if (kept.has(text)) continue;
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
  let parts = kept.get(text);
  if (parts) return parts;
  parts = split(text);
  keepParts(text, parts);
  return parts;
}

/** What was read elsewhere need not be read again. */
export function keepParts(text: string, parts: Part[]): void {
  // Long texts are mostly prose; keeping them would cost more than reading them again.
  if (text.length > expressionCharactersMax) return;
  if (kept.size >= keptMax) kept.clear();
  kept.set(text, parts);
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

/** It ends at the first pair of braces that leaves a whole expression before it: `{{ {"a": {"b": 1}} }}`. */
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

// The parser throws plain objects; a text nested too deeply ends in an error of the machine instead.
const messageOf = (error: unknown): string =>
  error instanceof RangeError || !isMessage(error) ? "The expression cannot be read." : error.message;

const isMessage = (error: unknown): error is { message: string } =>
  typeof error === "object" && error !== null && "message" in error && typeof error.message === "string";
