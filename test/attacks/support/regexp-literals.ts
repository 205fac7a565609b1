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
  return [...nodesOf(program)].filter(isRegularExpression).map(({ start, regex }) => ({
    file,
    line: text.slice(0, start).split("\n").length,
    source: regex.pattern,
    flags: regex.flags,
  }));
}

/** Every object of a syntax tree, in the order of the text. */
function* nodesOf(tree: unknown): Generator<object> {
  if (tree === null || typeof tree !== "object") return;
  yield tree;
  for (const child of Object.values(tree)) yield* nodesOf(child);
}

const isRegularExpression = (node: object): node is { start: number; regex: { pattern: string; flags: string } } =>
  "type" in node && node.type === "Literal" && "regex" in node;
