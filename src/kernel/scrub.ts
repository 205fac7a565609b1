/**
 * Takes out whatever has the shape of a secret: our keys and tokens, signing secrets, JWTs, header values. Texts come from
 * callers and from external systems, at any size, so one walk finds them all: time grows with the length and nothing else.
 */
export function scrub(text: string): string {
  if (!secretSigns.some((sign) => text.includes(sign))) return text;
  return replaceFound(text, signOfSecret, endFinder(text), "[secret]");
}

// Looking for five words is many times cheaper than the expression, and nearly every line holds none of them.
const secretSigns = ["sbk_", "sbs_", "whsec_", "eyJ", "Bearer"];

/** Where a secret may begin. A match is at most as long as its longest word, so that looking goes on behind it at once. */
const signOfSecret = /\b(?:(sb[ks]_(?:au|eu|us)_)|(whsec_)|(eyJ)|(Bearer))/g;

const keyLetters = /[0-9A-Za-z]*/y;
const signingLetters = /[0-9A-Za-z+/=_-]*/y;
const tokenLetters = /[\w-]*/y;
const space = /\s*/y;
const headerLetters = /[^\s"\\]*/y;

const dot = 46;

/** Answers where the secret that begins with a match ends, or -1 where there is none. */
function endFinder(text: string): (match: RegExpExecArray) => number {
  const behind = (letters: RegExp, start: number): number => {
    const end = endOf(letters, text, start);
    return end > start ? end : -1;
  };
  // Where the letters end that a JWT may consist of is the same for all who begin among them, and is looked for once.
  let lettersEnd = -1;
  const endOfJwt = (start: number): number => {
    if (start >= lettersEnd) lettersEnd = endOf(tokenLetters, text, start);
    if (lettersEnd === start || text.charCodeAt(lettersEnd) !== dot) return -1;
    const end = behind(tokenLetters, lettersEnd + 1);
    return end > 0 && text.charCodeAt(end) === dot ? endOf(tokenLetters, text, end + 1) : end;
  };
  const endOfHeader = (start: number): number => {
    const from = behind(space, start);
    return from < 0 ? -1 : behind(headerLetters, from);
  };
  return ({ index, 0: sign, 1: isKey, 2: isSigning, 3: isJwt }) => {
    const start = index + sign.length;
    if (isKey) return behind(keyLetters, start);
    if (isSigning) return behind(signingLetters, start);
    return isJwt ? endOfJwt(start) : endOfHeader(start);
  };
}

/** Where the letters of a sticky expression end, from here. It is one class repeated, so it never looks back. */
export function endOf(letters: RegExp, text: string, from: number): number {
  letters.lastIndex = from;
  letters.test(text);
  return letters.lastIndex;
}

/**
 * Replaces what begins with a match of `sign` and ends where `findEnd` says; the mark stands behind whatever `sign` matched
 * if `keepsSign`, else in its place. Where there is no end, looking goes on one letter later.
 */
export function replaceFound(
  text: string,
  sign: RegExp,
  findEnd: (match: RegExpExecArray) => number,
  mark: string,
  keepsSign = false,
): string {
  let kept = "";
  let done = 0;
  sign.lastIndex = 0;
  for (let match = sign.exec(text); match !== null; match = sign.exec(text)) {
    const end = findEnd(match);
    if (end < 0) {
      sign.lastIndex = match.index + 1;
      continue;
    }
    kept += text.slice(done, match.index + (keepsSign ? match[0].length : 0)) + mark;
    done = end;
    sign.lastIndex = end;
  }
  return done === 0 ? text : kept + text.slice(done);
}
