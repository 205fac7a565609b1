import { nodesIn } from "./syntax-tree.ts";

/** One regular expression as the source has it, and where. */
export interface Literal {
  file: string;
  line: number;
  source: string;
  flags: string;
}

/** Every regular expression literal of a TypeScript text, JSX included. */
export function literalsIn(file: string, text: string): Literal[] {
  return nodesIn(file, text, isRegularExpression)
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
  return nodesIn(file, text, isBuilt)
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

const isRegularExpression = (node: object): node is RegularExpression =>
  "type" in node && node.type === "Literal" && "regex" in node;
