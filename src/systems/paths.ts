import * as z from "zod";
import { decodeEscapes, findLookAlike, nameOfCharacter } from "../kernel/look-alike-characters.ts";
import type { Query, QueryValue } from "./work.ts";

/** The form of a system's paths, as callers write them. */
export interface PathRules {
  /** Marketing and deployment paths start with a slash, analytics paths do not. */
  leadingSlash: boolean;
  /** The prefix of every path, tested with a leading slash whatever the caller wrote. */
  prefix: RegExp;
  /** A valid path, for refusals. */
  example: string;
  /** Query names, in lower case, that callers may not set, and what to write instead. */
  reserved?: Readonly<Record<string, string>>;
}

/** Part of a StepRequest: the path starts with one slash, is encoded, and has no query. */
export interface Target {
  path: string;
  query: Record<string, QueryValue>;
}

const textMax = 65_536;

/**
 * Reads a caller's path, or returns the sentence that refuses it. Anything that could leave the host or the prefix is
 * refused before it is parsed, in every encoding that some parser on the way might undo.
 */
export function readTarget(text: string, rules: PathRules): Target | string {
  if (text.length > textMax) return "This is too long: put what is long into the body or the query.";
  if (last.text !== text || last.rules !== rules) last = { text, rules, read: readAnew(text, rules) };
  return last.read;
}

/** A path is checked with the input of its call, and read again at once for the request. */
let last: { text: string; rules: PathRules | null; read: Target | string } = { text: "", rules: null, read: "" };

function readAnew(text: string, rules: PathRules): Target | string {
  const mark = text.indexOf("?");
  const pathText = mark < 0 ? text : text.slice(0, mark);
  const isPlain = plainPath.test(pathText);
  const refusal = refuseText(text, pathText, rules) ?? (isPlain ? null : refuseSegments(pathText));
  if (refusal !== null) return refusal;
  const written = rules.leadingSlash ? pathText : `/${pathText}`;
  const path = isPlain ? written : canonical(written);
  if (!rules.prefix.test(path)) return `Write a path of this system, such as \`${rules.example}\`.`;
  const query = mark < 0 ? {} : readQuery(text.slice(mark + 1));
  const reserved = refuseReserved(query, rules);
  return reserved ?? { path, query };
}

/**
 * Most paths: ASCII words between single slashes, none starting with a dot. They have only one spelling, so they need
 * no further checks.
 */
const plainPath = /^\/?[\w~-][\w.~-]*(?:\/[\w~-][\w.~-]*)*$/;

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
const control = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/;

function refuseText(text: string, path: string, rules: PathRules): string | null {
  if (text === "") return `Write a path, such as \`${rules.example}\`.`;
  if (control.test(text)) return "Control characters and line breaks are not allowed in a path: leave them out.";
  if (text.includes("#")) return "Leave the fragment out; where `#` belongs to a value, write `%23`.";
  if (path.includes("\\")) return "Separate the parts of the path with `/`, not with a backslash.";
  if (/^[^/]*[:@]/.test(path)) {
    return `Leave out scheme, host and user: the connection knows the address. Write \`${rules.example}\`.`;
  }
  if (path.includes("//")) return "Write single slashes: `//` would name another host.";
  if (rules.leadingSlash && !path.startsWith("/")) return `Begin with a slash: \`${rules.example}\`.`;
  const blank = /\{\w*\}/.exec(path)?.[0];
  if (blank !== undefined) return `Replace \`${blank}\` with a value.`;
  if (!rules.leadingSlash && path.startsWith("/")) return `Leave the leading slash out: \`${rules.example}\`.`;
  return null;
}

function refuseSegments(path: string): string | null {
  for (const segment of path.split("/")) {
    const refusal = segment === "" ? null : refuseSegment(segment);
    if (refusal !== null) return refusal;
  }
  return null;
}

/**
 * `%252e` is `.` to a server that decodes twice, `．` to one that normalizes, `%EF%BC%8E` to one that does both: all are
 * checked.
 */
function refuseSegment(segment: string): string | null {
  if (!isEncodedText(segment)) return "Write a percent sign as `%25`, and text as UTF-8.";
  let spelling = segment;
  for (let times = 0; times < 8; times++) {
    const refusal = refuseSpelling(spelling);
    if (refusal !== null) return refusal;
    const decoded = decodeEscapes(spelling);
    if (decoded === spelling) return null;
    spelling = decoded;
  }
  return "Encode each part of the path once.";
}

function refuseSpelling(spelling: string): string | null {
  const plain = spelling.normalize("NFKC");
  if (control.test(plain)) return "Encoded control characters such as `%00` are not allowed in a path: leave them out.";
  if (/[/\\]/.test(plain)) return "An encoded slash or backslash (`%2f`, `%5c`) is not allowed in a part of the path.";
  // Some servers cut a segment at `;`, so that `trigger.json;x` is `trigger.json` to them and not to a policy.
  if (plain.includes(";")) return "Leave `;` out of the path: parameters go into the query.";
  if (plain === "." || plain === "..") return "Write the path without `.` and `..` in it, in any spelling.";
  const alike = findLookAlike(spelling);
  if (alike !== null) {
    return `Write ${nameOfCharacter(alike)} as the plain character that it stands for, or leave it out: programs on the way read it differently.`;
  }
  if (spelling.includes("\ufffd")) return "Write a percent sign as `%25`, and text as UTF-8.";
  return null;
}

function isEncodedText(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    // A malformed escape throws; that is the answer.
    return false;
  }
}

/** Like the most lenient server: an invalid escape stays, and hides no other. */
const decodeOnce = (text: string): string =>
  text.replace(/%([0-7][0-9a-f])/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));

/**
 * One spelling per path, so that policies and tables see what the system will see: characters are encoded only where
 * necessary, without a trailing slash.
 */
const canonical = (path: string): string =>
  path
    .replace(/%[0-9a-f]{2}/gi, (code) => {
      const plain = decodeOnce(code);
      return /[A-Za-z0-9\-._~]/.test(plain) && plain.length === 1 ? plain : code.toUpperCase();
    })
    .replace(/%[0-9A-F]{2}|[^A-Za-z0-9\-._~!$&'()*+,=:@/]/gu, (part) =>
      part.length === 3 && part.startsWith("%") ? part : encodeURIComponent(part.toWellFormed()),
    )
    .replace(/\/$/, "");

/** A repeated name becomes a list. */
function readQuery(text: string): Record<string, QueryValue> {
  const values = new Map<string, string[]>();
  for (const [name, value] of new URLSearchParams(text)) values.set(name, [...(values.get(name) ?? []), value]);
  return Object.fromEntries([...values].map(([name, all]) => [name, all.length === 1 ? (all[0] ?? "") : all]));
}

export function refuseReserved(query: Query, rules: PathRules): string | null {
  for (const name of Object.keys(query)) {
    const instead = rules.reserved?.[name.toLowerCase()];
    if (instead !== undefined) return `Leave \`${name}\` out: ${instead}`;
  }
  return null;
}

/** The input member for a path or endpoint. It stays as written; `targetOf` reads it again. */
export const pathField = (rules: PathRules) =>
  z.string().superRefine((text, context) => {
    const read = readTarget(text, rules);
    if (typeof read === "string") context.addIssue({ code: "custom", message: read });
  });

const scalar = z.union([z.string(), z.number(), z.boolean()]);
/** No system takes as many names or values, nor as much text, which is encoded several times on its way. */
const queryItemsMax = 1000;
const queryCharactersMax = 131_072;

/** The input member for query parameters: text, numbers, true or false, and lists of them. */
export const queryField = (rules: PathRules) =>
  z
    .record(z.string().min(1), z.union([scalar, z.array(scalar).max(queryItemsMax)]))
    .superRefine((query, context) => {
      const refusal = refuseSize(query) ?? refuseReserved(query, rules);
      if (refusal !== null) context.addIssue({ code: "custom", message: refusal });
    })
    .meta({ maxProperties: queryItemsMax });

function refuseSize(query: Query): string | null {
  const pairs = Object.entries(query);
  if (pairs.length > queryItemsMax) return `At most ${queryItemsMax} parameters.`;
  const characters = pairs.flat(2).reduce<number>((sum, text) => sum + String(text).length, 0);
  if (characters > queryCharactersMax) return `At most ${queryCharactersMax} characters in all parameters together.`;
  return null;
}

/** The target of a valid input; if path and query input name the same parameter, the input wins. */
export function targetOf(text: string, query: Query | undefined, rules: PathRules): Target {
  const read = readTarget(text, rules);
  if (typeof read === "string") throw new Error(`A path that was not checked: ${read}`);
  return { path: read.path, query: { ...read.query, ...query } };
}

/** One segment of a path that we build: an id or a name, encoded so that it stays one segment. */
export const segment = (value: string): string => encodeURIComponent(value.toWellFormed());
