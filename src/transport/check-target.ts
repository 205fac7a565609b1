import { decodeEscapes, findLookAlike } from "../kernel/look-alike-characters.ts";

/** Printable ASCII without space, backslash and number sign, after exactly one slash. */
const plainTarget = /^\/(?:[!"$-.0-[\]-~][!"$-[\]-~]*)?$/;
/**
 * Paths that a server may decode to another path: encoded slashes, backslashes and control characters, also encoded
 * twice; empty segments; dots with a path parameter behind them.
 */
const ambiguousPath = /%(?:25)*(?:2f|5c|[01][0-9a-f]|7f)|%25(?:25)*2e|\/\/|\/(?:\.|%2e)+;/i;

/**
 * Most paths: no segment is empty or starts with a dot, nothing is encoded, and the parser leaves every character
 * unchanged. Parsing such a path would find nothing and costs more than all other checks here.
 */
const plainPath = /^(?:\/[\w~:@!$&'()*+,=-][\w.~:@!$&'()*+,=-]*)+$/;

/** Encoded characters beyond ASCII, also encoded twice: `%EF%BC%8E` is a full-width dot. */
const beyondAscii = /%(?:25)*[89a-f][0-9a-f]/i;
const decodeTwice = (path: string): string => decodeEscapes(decodeEscapes(path));

/**
 * The last check of path and query before sending: why they are refused, or null. Other files decide which paths a
 * system has; this one ensures that a target cannot mean another path than it shows.
 */
export function refuseTarget(origin: string, target: string): string | null {
  if (!plainTarget.test(target)) {
    return "A path begins with exactly one slash, and holds no spaces, control characters, backslashes or fragments.";
  }
  const queryStart = target.indexOf("?");
  const path = queryStart < 0 ? target : target.slice(0, queryStart);
  if (plainPath.test(path)) return null;
  if (ambiguousPath.test(path)) return "The path holds an encoded slash, an empty segment or the like.";
  if (beyondAscii.test(path) && findLookAlike(decodeTwice(path)) !== null) {
    return "The path holds a character that others read as a dot, a slash or the like.";
  }
  const url = URL.parse(target, origin);
  if (url === null || url.origin !== origin) return "The path leads to another address.";
  // Dot segments, encoded or not, and characters that needed encoding change in the parser.
  if (url.pathname !== path) return "The path is not in its normal form.";
  return null;
}
