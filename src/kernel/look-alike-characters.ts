/**
 * Finds characters that some programs read as others: `．` as a dot, `／` as a slash, `①` as a one, or as nothing. In an
 * address each of them is a disguise: the checked address is not the called one.
 */
export function findLookAlike(text: string): string | null {
  if (!beyondAscii.test(text)) return null;
  for (const character of text) if (character > "\u007f" && isLookAlike(character)) return character;
  return null;
}

/** The sentence for the author of such an address. The query may contain anything. */
export function refuseLookAlikes(address: string): string | null {
  const found = findLookAlike(address.slice(0, address.search(/\?|$/)));
  if (found === null) return null;
  return `The address holds ${nameOfCharacter(found)}, which others read as a plain character, or not at all: write the plain one.`;
}

const beyondAscii = /[^\0-\u007f]/;
/**
 * Unicode normalization does not turn these into dots and slashes, but programs do: host names read the full stops as
 * dots (UTS 46), and older character sets read the strokes as slashes.
 */
const dotsAndStrokes = /[\u3002\uff61\u2044\u2215\u2216\u29f5\u29f8\u29f9]/;
/** Invisible characters, which most programs drop before they compare. */
const unseen = /\p{Default_Ignorable_Code_Point}/u;
const visibleAscii = /[!-~]/;

const isLookAlike = (character: string): boolean =>
  dotsAndStrokes.test(character) || unseen.test(character) || visibleAscii.test(character.normalize("NFKC"));

/** A character's name, so that a person can find it in the text. */
export const nameOfCharacter = (character: string): string =>
  `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;

/** The text with its percent-encoding undone once; invalid UTF-8 becomes U+FFFD. */
export const decodeEscapes = (text: string): string =>
  text.replace(/(?:%[0-9a-f]{2})+/gi, (run) => Buffer.from(run.replaceAll("%", ""), "hex").toString("utf8"));
