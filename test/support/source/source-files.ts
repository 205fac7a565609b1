import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";

/** The folder of the project. */
export const root = fileURLToPath(new URL("../../..", import.meta.url));

export interface Source {
  /** From the root of the project: src/access/invites.ts */
  path: string;
  text: string;
  /** Without comments. */
  code: string;
  /** Files of the project, as paths from its root. */
  imports: string[];
  packages: string[];
}

const importShape = /^(?:import|export)\b[^"]*?\bfrom\s+"([^"]+)"|^import\s+"([^"]+)"|\bimport\(\s*"([^"]+)"\s*\)/gm;

function readSource(path: string): Source {
  const text = readFileSync(join(root, path), "utf8");
  const code = withoutComments(text);
  const named = [...code.matchAll(importShape)].map((match) => match[1] ?? match[2] ?? match[3] ?? "");
  const isOwn = (name: string) => name.startsWith(".");
  return {
    path,
    text,
    code,
    imports: named.filter(isOwn).map((name) => relative(root, resolve(root, dirname(path), name))),
    packages: named.filter((name) => !isOwn(name)),
  };
}

const withoutComments = (code: string): string => code.replace(/\/\*[\s\S]*?\*\//g, "").replace(/^\s*\/\/.*$/gm, "");

export function sourcesIn(folder: string): Source[] {
  if (!existsSync(join(root, folder))) return [];
  return readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => /\.tsx?$/.test(name) && !name.includes("node_modules"))
    .map((name) => readSource(join(folder, name)));
}

/** The Markdown documents: those for users, and those beside the code. */
export function everyDocument(): { path: string; text: string }[] {
  const inFolders = ["docs", "src", "test", "bench", "scripts", "sandboxes", "deploy"].flatMap((folder) =>
    existsSync(join(root, folder))
      ? readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }).map((name) => join(folder, name))
      : [],
  );
  return [...readdirSync(root), ...inFolders]
    .filter((path) => path.endsWith(".md") && !path.includes("node_modules"))
    .map((path) => ({ path, text: readFileSync(join(root, path), "utf8") }));
}

export const isTest = ({ path }: Pick<Source, "path">): boolean => /\.test\.tsx?$/.test(path);

/** Functions from elsewhere that a `catch` may name: the first is handed in and logs, the second throws what it does not know. */
const handlersFromElsewhere = ["failed", "asFailure"];

/**
 * Failures that code ignores without a word: the line of each `catch` that neither throws, logs nor says why, or that hands
 * the error to a function that does none of these.
 */
export function silentFailures(text: string): number[] {
  const lines = text.split("\n");
  return lines.flatMap((line, index) => {
    const [, handler] = /\.catch\((\w+)\)/.exec(line) ?? [];
    if (handler === undefined && !/\.catch\(\(\) =>|\bcatch \{/.test(line)) return [];
    if (saysWhy(lines, index)) return [];
    const definition = lines.findIndex((each) => new RegExp(`\\b(?:function|const) ${handler}\\b`).test(each));
    const isHandled = definition < 0 ? handlersFromElsewhere.includes(handler ?? "") : saysWhy(lines, definition);
    return isHandled ? [] : [index + 1];
  });
}

/** Whether the block or function that begins there throws, logs, or has a comment. */
function saysWhy(lines: readonly string[], index: number): boolean {
  const line = lines[index] ?? "";
  const indent = /^\s*/.exec(line)?.[0] ?? "";
  const end = line.trimEnd().endsWith("{")
    ? lines.findIndex((each, at) => at > index && each.startsWith(`${indent}}`))
    : index;
  const said = [lines[index - 1] ?? "", ...lines.slice(index, end + 1)].join("\n");
  return /\/\/|\*\/|\bthrow\b|\blog|Problem\(|refus/.test(said);
}

/** Whether two names are one but for a letter or its case: agent-model and agent-models. */
export function areAlmostEqual(one: string, other: string): boolean {
  if (one === other) return false;
  if (one.toLowerCase() === other.toLowerCase()) return true;
  const [short, long] = one.length < other.length ? [one, other] : [other, one];
  if (long.length - short.length !== 1) return false;
  let same = 0;
  while (short[same] === long[same] && same < short.length) same++;
  return short.slice(same) === long.slice(same + 1);
}
