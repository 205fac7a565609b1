import { parseSync } from "vite";

/** One regular expression as the source has it, and where. */
export interface Literal {
  file: string;
  line: number;
  source: string;
  flags: string;
}

/** Every regular expression literal of a TypeScript text, JSX included. */
export function literalsIn(file: string, text: string): Literal[] {
  const { program, errors } = parseSync(file, text);
  if (errors[0]) throw new Error(`${file}: ${errors[0].message}`);
  return regularExpressionsIn(program).map(({ start, regex }) => ({
    file,
    line: text.slice(0, start).split("\n").length,
    source: regex.pattern,
    flags: regex.flags,
  }));
}

interface RegularExpression {
  start: number;
  regex: { pattern: string; flags: string };
}

/** In the order of the text. */
function regularExpressionsIn(tree: object): RegularExpression[] {
  const found: RegularExpression[] = [];
  const left: unknown[] = [tree];
  while (left.length > 0) {
    const node = left.pop();
    if (node === null || typeof node !== "object") continue;
    if (isRegularExpression(node)) found.push(node);
    for (const child of Object.values(node)) left.push(child);
  }
  return found.sort((one, other) => one.start - other.start);
}

const isRegularExpression = (node: object): node is RegularExpression =>
  "type" in node && node.type === "Literal" && "regex" in node;
