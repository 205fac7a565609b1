import { decodeEscapes, findLookAlike } from "../kernel/look-alikes.ts";

/** Printable ASCII without space, backslash and number sign, after exactly one slash. */
const plainTarget = /^\/(?!\/)[!"$-[\]-~]*$/;
/**
 * What reads differently once a server behind the address decodes it: encoded slashes, backslashes and control characters,
 * also encoded twice; empty segments; dots with a path parameter behind them.
 */
const twoFacedPath = /%(?:25)*(?:2f|5c|[01][0-9a-f]|7f)|%25(?:25)*2e|\/\/|\/(?:\.|%2e)+;/i;

/**
 * Most paths: no segment is empty or begins with a dot, nothing is encoded, and every letter is one that the parser leaves
 * as it is. It could find nothing here, and asking it costs more than the rest of this file together.
 */
const innocentPath = /^(?:\/[\w~:@!$&'()*+,=-][\w.~:@!$&'()*+,=-]*)+$/;

/** Encoded letters beyond ASCII, also encoded twice: `%EF%BC%8E` is a full-width dot. */
const beyondAscii = /%(?:25)*[89a-f][0-9a-f]/i;
const decodeTwice = (path: string): string => decodeEscapes(decodeEscapes(path));

/**
 * The last look at path and query before they go on the wire: why they are refused, or null. Rules about which paths a
 * system has stand elsewhere; this one knows only that a target must not mean another place than it says.
 */
export function refuseTarget(origin: string, target: string): string | null {
  if (!plainTarget.test(target)) {
    return "A path begins with exactly one slash, and holds no spaces, control characters, backslashes or fragments.";
  }
  const queryStart = target.indexOf("?");
  const path = queryStart < 0 ? target : target.slice(0, queryStart);
  if (innocentPath.test(path)) return null;
  if (twoFacedPath.test(path)) return "The path holds an encoded slash, an empty segment or the like.";
  if (beyondAscii.test(path) && findLookAlike(decodeTwice(path)) !== null) {
    return "The path holds a character that others read as a dot, a slash or the like.";
  }
  const url = URL.parse(target, origin);
  if (url === null || url.origin !== origin) return "The path leads to another address.";
  // Dot segments, encoded ones too, and characters that should have been encoded do not survive the parser.
  if (url.pathname !== path) return "The path is not in its normal form.";
  return null;
}
