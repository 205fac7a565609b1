import { atOnce, endOf, type Pausing, replacing, scrub } from "../kernel/scrub.ts";
import { Secret } from "../kernel/secret.ts";
import { someText } from "../kernel/some-text.ts";

/** What may be kept of requests and answers: everything but the secrets in them. */

/** Stands where a secret was. */
export const secretMark = "[secret]";
/** Whether something was taken out of the value, or somebody wrote as if it had been. */
export const holdsSecretMark = (value: unknown): boolean => someText(value, (text) => text.includes(secretMark));
const mark = secretMark;

/** Names whose values are secrets wherever they stand, written without dashes, underscores and capitals. */
const secretNames = new Set([
  ...[
    "authorization",
    "proxyauthorization",
    "cookie",
    "setcookie",
    "setcookie2",
    "session",
    "sessionid",
    "sessiontoken",
  ],
  ...["token", "accesstoken", "refreshtoken", "idtoken", "bearertoken", "authtoken", "apitoken", "securitytoken"],
  ...["csrftoken", "bypasstoken", "secret", "clientsecret", "appsecret", "sharedsecret", "secretkey", "signingsecret"],
  ...["webhooksecret", "signingkey", "password", "passwd", "passphrase", "pwd", "apikey", "xapikey", "xgoogapikey"],
  ...["accesskey", "secretaccesskey", "privatekey", "encryptionkey", "masterkey", "credential", "credentials"],
  ...["assertion", "clientassertion", "codeverifier", "jwt", "otp"],
]);

const judged = new Map<string, boolean>();
const judgedMax = 10_000;

/** The same few names come again and again, so each is looked at once. */
export function isSecretName(name: string): boolean {
  const before = judged.get(name);
  if (before !== undefined) return before;
  const isSecret = secretNames.has(name.toLowerCase().replace(/[-_. ]/g, ""));
  if (judged.size >= judgedMax) judged.clear();
  if (name.length <= 100) judged.set(name, isSecret);
  return isSecret;
}

// Texts hold fields too: forms, query strings, JSON that could not be parsed.
const secretWord =
  "(?:access|refresh|id|bearer|auth|api)[-_]?token|(?:client|app|shared|signing)[-_]?secret|password|passwd|api[-_]?key|private[-_]?key|authorization|client[-_]?assertion|code[-_]?verifier";
/** One cheap look that spares most texts the dear ones. The signs are those of `scrub`. */
const mayHoldSecret = /[=:]|sb[ks]_|whsec_|eyJ|Bearer/;
// These alone are secrets only as whole names: a page_token is none.
const wholeWord = "token|secret|pwd";
export const mayHoldField = new RegExp(`${secretWord}|${wholeWord}`, "i");
/** The name of a field in a text, and what stands between it and the value. */
const fieldName = new RegExp(`(?:(?<![a-z])(?:${secretWord})|(?<![a-z0-9_-])(?:${wholeWord}))`, "gi");
const betweenNameAndValue = /(?:\\?["'])?\s*[=:]\s*/y;
const scheme = /(?:basic|bearer|digest)\s+/iy;
const plainLetters = /[^\s&"',;}\\]*/y;

const [doubleQuote, singleQuote, backslash] = [34, 39, 92];
const isLineEnd = (code: number): boolean => code === 10 || code === 13 || code === 0x2028 || code === 0x2029;

/** A value is quoted, or quoted within a quoted text, or ends where a form, a list or a line goes on. -1: there is none. */
function endOfValue(text: string, start: number): number {
  const first = text.charCodeAt(start);
  if (first === doubleQuote) return endOfQuoted(text, start + 1);
  if (first === singleQuote) return text.indexOf("'", start + 1) + 1 || text.length;
  if (first === backslash) return text.charCodeAt(start + 1) === doubleQuote ? endOfQuotedTwice(text, start + 2) : -1;
  const behindScheme = endOf(scheme, text, start);
  const from = behindScheme > 0 ? behindScheme : start;
  const end = endOf(plainLetters, text, from);
  if (end > from) return end;
  const endWithout = endOf(plainLetters, text, start);
  return endWithout > start ? endWithout : -1;
}

/** Behind the quote that no backslash escapes; a backslash at the end of a line, or of everything, ends it too. */
function endOfQuoted(text: string, start: number): number {
  for (let at = start; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === doubleQuote) return at + 1;
    if (code !== backslash) continue;
    if (at + 1 === text.length || isLineEnd(text.charCodeAt(at + 1))) return at;
    at++;
  }
  return text.length;
}

/** Behind the next quote that has a backslash of its own. */
function endOfQuotedTwice(text: string, start: number): number {
  for (let at = start; at < text.length; at++) {
    if (text.charCodeAt(at) !== backslash) continue;
    if (at + 1 === text.length) return at;
    if (text.charCodeAt(at + 1) === doubleQuote) return at + 2;
    at++;
  }
  return text.length;
}

/**
 * Replaces every known secret, whole or within a text, also where it is encoded for an address or in base64; and whatever
 * stands under the name of a secret, or under one of `names`. Parts without any are handed back as they are, not copied.
 */
export function redact(value: unknown, secrets: readonly string[], names: readonly string[] = []): unknown {
  return redactValue(value, soughtOf(secrets, names), redactDepthMax);
}

export const soughtOf = (secrets: readonly string[], names: readonly string[]): Sought => ({
  needles: formsOfAll(secrets),
  names,
});

/** What is looked for: texts, and names of members beside those that always hold secrets. */
export interface Sought {
  needles: readonly string[];
  names: readonly string[];
}

export const redactDepthMax = 200;

export function redactValue(value: unknown, sought: Sought, depthLeft: number): unknown {
  if (typeof value === "string") return redactText(value, sought.needles);
  if (value === null || typeof value !== "object") return value;
  if (value instanceof Secret || depthLeft === 0) return mark;
  if (Array.isArray(value)) return redactList(value, sought, depthLeft - 1);
  return redactMembers(value as Record<string, unknown>, sought, depthLeft - 1);
}

function redactList(list: readonly unknown[], sought: Sought, depthLeft: number): readonly unknown[] {
  let copy: unknown[] | null = null;
  for (let index = 0; index < list.length; index++) {
    const kept = redactValue(list[index], sought, depthLeft);
    if (kept === list[index]) continue;
    copy ??= [...list];
    copy[index] = kept;
  }
  return copy ?? list;
}

function redactMembers(object: Record<string, unknown>, sought: Sought, depthLeft: number) {
  const names = Object.keys(object);
  let copy: [string, unknown][] | null = null;
  for (let index = 0; index < names.length; index++) {
    const name = names[index] as string;
    const value = object[name];
    const isSecret = isSecretName(name) || sought.names.includes(name);
    const kept = isSecret ? hide(value) : redactValue(value, sought, depthLeft);
    const keptName = sought.needles.length === 0 ? name : redactKnown(name, sought.needles);
    if (copy === null && kept === value && keptName === name) continue;
    copy ??= names.slice(0, index).map((before) => [before, object[before]]);
    copy.push([keptName, kept]);
  }
  return copy === null ? object : Object.fromEntries(copy);
}

/** That there is none, or whether there is one, may be told. */
export const hide = (value: unknown): unknown =>
  value === null || value === undefined || value === "" || typeof value === "boolean" ? value : mark;

function redactText(text: string, needles: readonly string[]): string {
  const rest = redactKnown(text, needles);
  if (!mayHoldSecret.test(rest)) return rest;
  const kept = scrub(rest);
  return mayHoldField.test(kept) ? atOnce(redactingFields(kept)) : kept;
}

/** Takes out the values of fields that a text names like secrets; with pauses, for a text of megabytes. */
export const redactingFields = (text: string): Pausing =>
  replacing(
    text,
    fieldName,
    (index, match) => {
      const from = endOf(betweenNameAndValue, text, index + match[0].length);
      const end = from === 0 ? -1 : endOfValue(text, from);
      return end < 0 ? null : [from, end];
    },
    mark,
  );

export function redactKnown(text: string, needles: readonly string[]): string {
  let kept = text;
  for (const needle of needles) {
    if (kept.length >= needle.length && kept.includes(needle)) kept = kept.replaceAll(needle, mark);
  }
  return kept;
}

/** Shorter ones would be found in innocent words; no system hands out such secrets. */
const lengthMin = 4;
const formsMax = 1000;
const known = new Map<string, string[]>();

/** Most calls have one secret, or none. */
const formsOfAll = (secrets: readonly string[]): readonly string[] =>
  secrets.length === 1 ? formsOf(secrets[0] as string) : secrets.flatMap(formsOf);

/** All ways in which a secret is usually written. Computed once for the secrets in use: it costs more than a small body. */
export function formsOf(secret: string): string[] {
  if (secret.length < lengthMin) return [];
  const found = known.get(secret);
  if (found) return found;
  const encoded = encodeURIComponent(secret);
  const forms = [
    secret,
    encoded,
    encoded.replace(/%[0-9A-F]{2}/g, (octet) => octet.toLowerCase()),
    encoded.replaceAll("%20", "+"),
    JSON.stringify(secret).slice(1, -1),
    ...base64Forms(secret),
  ];
  const unique = [...new Set(forms)].sort((a, b) => b.length - a.length);
  if (known.size >= formsMax) known.clear();
  known.set(secret, unique);
  return unique;
}

/** Base64 writes three bytes in four letters, so a secret within a longer text (`id:secret`) has three appearances. */
function base64Forms(secret: string): string[] {
  const bytes = Buffer.from(secret);
  return [0, 1, 2].flatMap((before) => {
    const text = Buffer.concat([Buffer.alloc(before), bytes]).toString("base64url");
    // The outermost letters also hold bits of the neighbours.
    const first = before === 0 ? 0 : before + 1;
    const last = (before + bytes.length) % 3 === 0 ? text.length : text.length - 1;
    const core = text.slice(first, last);
    return core.length < 6 ? [] : [core, core.replaceAll("-", "+").replaceAll("_", "/")];
  });
}
