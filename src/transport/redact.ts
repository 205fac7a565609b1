import { endOf, type Pausing, replacing, runAtOnce, scrub } from "../kernel/scrub-secrets.ts";
import { Secret } from "../kernel/secret.ts";
import { someText } from "../kernel/some-text.ts";

/** Removes secrets from requests and answers before they are stored. */

/** Replaces a secret. */
export const secretMark = "[secret]";
/** Whether a secret was removed from the value, or the value contains the mark by itself. */
export const holdsSecretMark = (value: unknown): boolean => someText(value, (text) => text.includes(secretMark));

/** Members with these names hold secrets, written here without dashes, underscores and capitals. */
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
  ...["webhooksecret", "signingkey", "password", "passwd", "passphrase", "pwd", "apikey"],
  ...["accesskey", "secretaccesskey", "privatekey", "encryptionkey", "masterkey", "credential", "credentials"],
  ...["assertion", "clientassertion", "codeverifier", "jwt", "otp"],
]);

/** `X-Api-Key`, or with a vendor's name in between. */
const isKeyHeader = /^x\w*apikey$/;

const isSecretByName = new Map<string, boolean>();
const namesMax = 10_000;

/** The same few names repeat, so each is checked once. */
export function isSecretName(name: string): boolean {
  const before = isSecretByName.get(name);
  if (before !== undefined) return before;
  const plain = name.toLowerCase().replace(/[-_. ]/g, "");
  const isSecret = secretNames.has(plain) || isKeyHeader.test(plain);
  if (isSecretByName.size >= namesMax) isSecretByName.clear();
  if (name.length <= 100) isSecretByName.set(name, isSecret);
  return isSecret;
}

// Texts contain fields too: forms, query strings, JSON that could not be parsed.
const secretWord =
  "(?:access|refresh|id|bearer|auth|api)[-_]?token|(?:client|app|shared|signing)[-_]?secret|password|passwd|api[-_]?key|private[-_]?key|authorization|client[-_]?assertion|code[-_]?verifier";
/** A cheap test that spares most texts the expensive ones. It covers the shapes of `scrub`. */
const mayHoldSecret = /[=:]|sb[ks]_|whsec_|eyJ|Bearer/;
// These words name a secret only as whole names: a page_token is none.
const wholeWord = "token|secret|pwd";
export const mayHoldField = new RegExp(`${secretWord}|${wholeWord}`, "i");
/** The name of a field in a text. */
const fieldName = new RegExp(`(?:(?<![a-z])(?:${secretWord})|(?<![a-z0-9_-])(?:${wholeWord}))`, "gi");
const betweenNameAndValue = /(?:\\?["'])?\s*[=:]\s*/y;
const scheme = /(?:basic|bearer|digest)\s+/iy;
const plainCharacters = /[^\s&"',;}\\]*/y;

const [doubleQuote, singleQuote, backslash] = [34, 39, 92];
const isLineEnd = (code: number): boolean => code === 10 || code === 13 || code === 0x2028 || code === 0x2029;

/**
 * A value is quoted, or quoted within a quoted text, or ends at the next separator or line end. Returns -1 without a
 * value.
 */
function endOfValue(text: string, start: number): number {
  const first = text.charCodeAt(start);
  if (first === doubleQuote) return endOfQuoted(text, start + 1);
  if (first === singleQuote) return text.indexOf("'", start + 1) + 1 || text.length;
  if (first === backslash) return text.charCodeAt(start + 1) === doubleQuote ? endOfQuotedTwice(text, start + 2) : -1;
  const behindScheme = endOf(scheme, text, start);
  const from = behindScheme > 0 ? behindScheme : start;
  const end = endOf(plainCharacters, text, from);
  if (end > from) return end;
  const endWithout = endOf(plainCharacters, text, start);
  return endWithout > start ? endWithout : -1;
}

/**
 * Position after the first quote that is not escaped; a backslash before a line end, or at the end of the text, also
 * ends the value.
 */
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

/** Position after the next escaped quote. */
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
 * Replaces every known secret, whole or within a text, also URL-encoded or in base64. Also replaces every value under
 * the name of a secret or one of `names`. Parts without secrets are returned as they are, not copied.
 */
export function redact(value: unknown, secrets: readonly string[], names: readonly string[] = []): unknown {
  return redactValue(value, redactionTargets(secrets, names), redactDepthMax);
}

export const redactionTargets = (secrets: readonly string[], names: readonly string[]): RedactionTargets => ({
  needles: formsOfAll(secrets),
  names,
});

/** The texts to find, and member names beside those that always hold secrets. */
export interface RedactionTargets {
  needles: readonly string[];
  names: readonly string[];
}

export const redactDepthMax = 200;

export function redactValue(value: unknown, targets: RedactionTargets, depthLeft: number): unknown {
  if (typeof value === "string") return redactText(value, targets.needles);
  if (value === null || typeof value !== "object") return value;
  if (value instanceof Secret || depthLeft === 0) return secretMark;
  if (Array.isArray(value)) return redactList(value, targets, depthLeft - 1);
  return redactMembers(value as Record<string, unknown>, targets, depthLeft - 1);
}

function redactList(list: readonly unknown[], targets: RedactionTargets, depthLeft: number): readonly unknown[] {
  let copy: unknown[] | null = null;
  for (let index = 0; index < list.length; index++) {
    const kept = redactValue(list[index], targets, depthLeft);
    if (kept === list[index]) continue;
    copy ??= [...list];
    copy[index] = kept;
  }
  return copy ?? list;
}

function redactMembers(object: Record<string, unknown>, targets: RedactionTargets, depthLeft: number) {
  const names = Object.keys(object);
  let copy: [string, unknown][] | null = null;
  for (let index = 0; index < names.length; index++) {
    const name = names[index] as string;
    const value = object[name];
    const isSecret = isSecretName(name) || targets.names.includes(name);
    const kept = isSecret ? hide(value) : redactValue(value, targets, depthLeft);
    const keptName = targets.needles.length === 0 ? name : redactKnown(name, targets.needles);
    if (copy === null && kept === value && keptName === name) continue;
    copy ??= names.slice(0, index).map((before) => [before, object[before]]);
    copy.push([keptName, kept]);
  }
  return copy === null ? object : Object.fromEntries(copy);
}

/** That a secret is absent or empty, or a boolean, may be shown. */
export const hide = (value: unknown): unknown =>
  value === null || value === undefined || value === "" || typeof value === "boolean" ? value : secretMark;

function redactText(text: string, needles: readonly string[]): string {
  const rest = redactKnown(text, needles);
  if (!mayHoldSecret.test(rest)) return rest;
  const kept = scrub(rest);
  return mayHoldField.test(kept) ? runAtOnce(redactingFields(kept)) : kept;
}

/**
 * Removes the values of fields that a text names like secrets. A generator, so that a text of megabytes can be
 * processed with pauses.
 */
export const redactingFields = (text: string): Pausing =>
  replacing(
    text,
    fieldName,
    (index, match) => {
      const from = endOf(betweenNameAndValue, text, index + match[0].length);
      const end = from === 0 ? -1 : endOfValue(text, from);
      return end < 0 ? null : [from, end];
    },
    secretMark,
  );

export function redactKnown(text: string, needles: readonly string[]): string {
  let kept = text;
  for (const needle of needles) {
    if (kept.length >= needle.length && kept.includes(needle)) kept = kept.replaceAll(needle, secretMark);
  }
  return kept;
}

/** A shorter text would also match ordinary words; no system issues such secrets. */
const lengthMin = 4;
const formsMax = 1000;
const formsBySecret = new Map<string, string[]>();

/** Most calls have one secret or none. */
const formsOfAll = (secrets: readonly string[]): readonly string[] =>
  secrets.length === 1 ? formsOf(secrets[0] as string) : secrets.flatMap(formsOf);

/** All usual encodings of a secret. Cached, because computing them costs more than searching a small body. */
export function formsOf(secret: string): string[] {
  if (secret.length < lengthMin) return [];
  const found = formsBySecret.get(secret);
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
  if (formsBySecret.size >= formsMax) formsBySecret.clear();
  formsBySecret.set(secret, unique);
  return unique;
}

/** Base64 encodes three bytes as four characters, so a secret within a longer text (`id:secret`) has three forms. */
function base64Forms(secret: string): string[] {
  const bytes = Buffer.from(secret);
  return [0, 1, 2].flatMap((before) => {
    const text = Buffer.concat([Buffer.alloc(before), bytes]).toString("base64url");
    // The outermost characters also hold bits of the neighbours.
    const first = before === 0 ? 0 : before + 1;
    const last = (before + bytes.length) % 3 === 0 ? text.length : text.length - 1;
    const core = text.slice(first, last);
    return core.length < 6 ? [] : [core, core.replaceAll("-", "+").replaceAll("_", "/")];
  });
}
