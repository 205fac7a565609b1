/** A text that a pattern is matched against is no longer than this. */
export const patternTextMax = 500;

/** Each adds a factor of the text's length to the time that a match can take. */
const repetitionsMax = 2;
const patternCharactersMax = 200;

/**
 * Whether a regular expression is surely quick on a short text. Matching goes back and forth, and takes exponential time
 * where a group is repeated that repeats or chooses within itself: those are refused, and so is what looks around or back.
 */
export function isQuickPattern(pattern: string): boolean {
  if (pattern.length > patternCharactersMax || !compiles(pattern)) return false;
  if (/\\[1-9k]|\(\?[=!<]/.test(pattern)) return false;
  const plain = pattern.replace(/\\./g, "e").replace(/\[[^\]]*\]/g, "c");
  let repetitions = 0;
  /** For each open group: whether it repeats or chooses within itself. */
  const groups: boolean[] = [];
  for (let i = 0; i < plain.length; i++) {
    const character = plain[i];
    if (character === "(") groups.push(false);
    else if (character === "|") mark(groups);
    else if (character === ")") {
      const isBranchy = groups.pop() ?? false;
      if (isBranchy && repeats(plain.slice(i + 1)) !== "no") return false;
      if (isBranchy) mark(groups);
    }
    const how = repeats(plain.slice(i + 1));
    if (how === "no" || character === "(" || character === "|") continue;
    mark(groups);
    if (how === "freely") repetitions++;
  }
  return repetitions <= repetitionsMax;
}

const mark = (groups: boolean[]): void => {
  if (groups.length > 0) groups[groups.length - 1] = true;
};

/** What the text begins with: a repetition without a small bound, another one, or none. */
function repeats(text: string): "freely" | "boundedly" | "no" {
  if (/^[*+]/.test(text)) return "freely";
  const [whole, from = "", comma, to = ""] = /^\{(\d+)(,?)(\d*)\}/.exec(text) ?? [];
  if (whole === undefined) return text.startsWith("?") ? "boundedly" : "no";
  if (comma === "") return Number(from) > 100 ? "freely" : "boundedly";
  return to === "" || Number(to) - Number(from) > 10 ? "freely" : "boundedly";
}

function compiles(pattern: string): boolean {
  try {
    new RegExp(pattern);
    new RegExp(pattern, "u");
    return true;
  } catch {
    return false;
  }
}
