/**
 * Characters that some program on the way reads as others: `．` as a dot, `／` as a slash, `①` as a one, and those that are
 * read as nothing at all. In an address each of them is a disguise, because what was judged is not what is called.
 */
export function findLookAlike(text: string): string | null {
  if (!beyondAscii.test(text)) return null;
  for (const character of text) if (character > "\u007f" && isLookAlike(character)) return character;
  return null;
}

/** The sentence for whoever wrote such an address; its query may hold what it likes. */
export function refuseLookAlikes(address: string): string | null {
  const found = findLookAlike(address.slice(0, address.search(/\?|$/)));
  if (found === null) return null;
  return `The address holds ${nameOfCharacter(found)}, which others read as a plain character, or not at all: write the plain one.`;
}

const beyondAscii = /[^\0-\u007f]/;
/**
 * No normal form makes dots and slashes of these, and programs do: names of hosts take the full stops for dots (UTS 46), and
 * what writes in an older set of characters takes the strokes for slashes.
 */
const dotsAndStrokes = /[\u3002\uff61\u2044\u2215\u2216\u29f5\u29f8\u29f9]/;
/** Nothing is seen of them, and most programs leave them out before they compare. */
const unseen = /\p{Default_Ignorable_Code_Point}/u;
const visibleAscii = /[!-~]/;

const isLookAlike = (character: string): boolean =>
  dotsAndStrokes.test(character) || unseen.test(character) || visibleAscii.test(character.normalize("NFKC"));

/** A character as a person can find it in the text. */
export const nameOfCharacter = (character: string): string =>
  `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;

/** A text as it reads once everything that is percent-encoded in it is undone, once; what is no UTF-8 becomes U+FFFD. */
export const decodeEscapes = (text: string): string =>
  text.replace(/(?:%[0-9a-f]{2})+/gi, (run) => Buffer.from(run.replaceAll("%", ""), "hex").toString("utf8"));
