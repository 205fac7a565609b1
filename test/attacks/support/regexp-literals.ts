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
  return nodesIn(program, isRegularExpression)
    .sort((one, other) => one.start - other.start)
    .map(({ start, regex }) => ({
      file,
      line: text.slice(0, start).split("\n").length,
      source: regex.pattern,
      flags: regex.flags,
    }));
}

/** What stands between the brackets of each `new RegExp(…)` or `RegExp(…)`, in the order of the text. */
export function builtIn(file: string, text: string): string[] {
  return nodesIn(parseSync(file, text).program, isBuilt)
    .sort((one, other) => one.start - other.start)
    .map(({ arguments: given }) => text.slice(given[0]?.start, given.at(-1)?.end));
}

interface Built {
  start: number;
  arguments: { start: number; end: number }[];
}

const isBuilt = (node: object): node is Built => {
  const { type, callee } = node as { type?: string; callee?: { name?: string } };
  return (type === "NewExpression" || type === "CallExpression") && callee?.name === "RegExp";
};

interface RegularExpression {
  start: number;
  regex: { pattern: string; flags: string };
}

function nodesIn<T extends object>(tree: object, isWanted: (node: object) => node is T): T[] {
  const found: T[] = [];
  const left: unknown[] = [tree];
  while (left.length > 0) {
    const node = left.pop();
    if (node === null || typeof node !== "object") continue;
    if (isWanted(node)) found.push(node);
    for (const child of Object.values(node)) left.push(child);
  }
  return found;
}

const isRegularExpression = (node: object): node is RegularExpression =>
  "type" in node && node.type === "Literal" && "regex" in node;
