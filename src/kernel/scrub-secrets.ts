/**
 * Removes everything that looks like a secret: our keys and tokens, signing secrets, JWTs, header values. Texts come
 * from callers and external systems at any size, so one linear pass finds them all.
 */
export const scrub = (text: string): string => (mayHoldShape(text) ? runAtOnce(scrubbing(text)) : text);

/** The same with pauses, for a text of megabytes. */
export const scrubbing = (text: string): Pausing => replacing(text, signOfSecret, endFinder(text), "[secret]");

// Searching for five words is much cheaper than the expression, and nearly every line holds none of them.
const secretSigns = ["sbk_", "sbs_", "whsec_", "eyJ", "Bearer"];

export const mayHoldShape = (text: string): boolean => secretSigns.some((sign) => text.includes(sign));

/** Where a secret may start. */
const signOfSecret = /\b(?:(sb[ks]_(?:au|eu|us)_)|(whsec_)|(eyJ)|(Bearer))/g;

const keyLetters = /[0-9A-Za-z]*/y;
const signingLetters = /[0-9A-Za-z+/=_-]*/y;
const tokenLetters = /[\w-]*/y;
const space = /\s*/y;
const headerLetters = /[^\s"\\]*/y;

const dot = 46;

function endFinder(text: string): FindSecret {
  const behind = (characters: RegExp, start: number): number => {
    const end = endOf(characters, text, start);
    return end > start ? end : -1;
  };
  // The end of the characters of a JWT is the same for all candidates within them, so it is searched once.
  let charactersEnd = -1;
  const endOfJwt = (start: number): number => {
    if (start >= charactersEnd) charactersEnd = endOf(tokenLetters, text, start);
    if (charactersEnd === start || text.charCodeAt(charactersEnd) !== dot) return -1;
    const end = behind(tokenLetters, charactersEnd + 1);
    return end > 0 && text.charCodeAt(end) === dot ? endOf(tokenLetters, text, end + 1) : end;
  };
  const endOfHeader = (start: number): number => {
    const from = behind(space, start);
    return from < 0 ? -1 : behind(headerLetters, from);
  };
  const endFrom = (start: number, { 1: isKey, 2: isSigning, 3: isJwt }: RegExpExecArray): number => {
    if (isKey) return behind(keyLetters, start);
    if (isSigning) return behind(signingLetters, start);
    return isJwt ? endOfJwt(start) : endOfHeader(start);
  };
  return (index, match) => {
    const end = endFrom(index + match[0].length, match);
    return end < 0 ? null : [index, end];
  };
}

/** The end of the characters that a sticky expression matches. It is one repeated class, so it never backtracks. */
export function endOf(characters: RegExp, text: string, from: number): number {
  characters.lastIndex = from;
  characters.test(text);
  return characters.lastIndex;
}

/** The range of the secret whose sign was found at `index`; null if there is none. */
export type FindSecret = (index: number, match: RegExpExecArray) => [from: number, end: number] | null;

/** Work that can pause wherever it yields. */
export type Pausing = Generator<undefined, string>;

export function runAtOnce(work: Pausing): string {
  for (;;) {
    const { done, value } = work.next();
    if (done) return value;
  }
}

/** How much is searched, and how many are found, between two pauses. */
const windowCharacters = 256 * 1024;
const matchesBetweenPauses = 2048;
/** The longest sign, including its lookbehind. */
const signCharacters = 64;

/**
 * Replaces the secret after every match of `sign`, which is global and matches a few characters only. If there is none,
 * the search continues one character later.
 */
export function* replacing(text: string, sign: RegExp, findSecret: FindSecret, mark: string): Pausing {
  const parts: string[] = [];
  let kept = "";
  let done = 0;
  let matches = 0;
  for (let at = 0; ; ) {
    const start = Math.max(0, at - signCharacters);
    const end = at + windowCharacters;
    const window = text.length <= windowCharacters ? text : text.slice(start, end);
    const offset = text.length <= windowCharacters ? 0 : start;
    sign.lastIndex = at - offset;
    const match = sign.exec(window);
    if (match === null) {
      if (end >= text.length) break;
      at = end - signCharacters;
      yield;
      continue;
    }
    const index = match.index + offset;
    const found = findSecret(index, match);
    at = found ? found[1] : index + 1;
    if (found) {
      kept += text.slice(done, found[0]) + mark;
      done = found[1];
    }
    if (++matches % matchesBetweenPauses === 0) {
      // Flattens the string now: V8 would join a million pieces at once at its first use.
      kept.charCodeAt(0);
      parts.push(kept);
      kept = "";
      yield;
    }
  }
  return done === 0 ? text : `${parts.join("")}${kept}${text.slice(done)}`;
}
