import { globSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import * as z from "zod";
import { operations } from "../../../src/api/index.ts";
import { steps } from "../../../src/systems/index.ts";
import { builtExpressions } from "./built-expressions.ts";
import { type Literal, literalsIn } from "./regexp-literals.ts";

/**
 * Whether a regular expression can take more than linear time, as `recheck` finds it. Run as a program, it looks at all of
 * `src` anew and writes down what it found safe, which takes a minute or two.
 */

const root = fileURLToPath(new URL("../../../", import.meta.url));
const recordFile = fileURLToPath(new URL("safe-expressions.json", import.meta.url));

export const nameOf = ({ source, flags }: Pick<Literal, "source" | "flags">): string => `/${source}/${flags}`;

export const sourceFiles = (): { file: string; text: string }[] =>
  globSync(["src/**/*.ts", "src/**/*.tsx"], { cwd: root })
    .filter((file) => !/\.test\.tsx?$/.test(file))
    .map((file) => ({ file, text: readFileSync(root + file, "utf8") }));

/** Each once, with the first place where it stands. */
export function literalsOfSource(): Literal[] {
  const all = sourceFiles().flatMap(({ file, text }) => literalsIn(file, text));
  return [...new Map(all.toReversed().map((literal) => [nameOf(literal), literal])).values()].toReversed();
}

/** Those of the contract, of its libraries too. */
export function patternsOfContract(): string[] {
  const inputs = [...operations.map(({ input }) => input), ...steps.map(({ input }) => input)];
  return [...new Set(inputs.flatMap((input) => patternsIn(z.toJSONSchema(input, { unrepresentable: "any" }))))];
}

function patternsIn(schema: unknown): string[] {
  if (schema === null || typeof schema !== "object") return [];
  const { pattern } = schema as { pattern?: unknown };
  return [...(typeof pattern === "string" ? [pattern] : []), ...Object.values(schema).flatMap(patternsIn)];
}

/** Every expression that repeats something: literals, those that are built while the program runs, those of the contract. */
export const repeatingExpressions = (): Literal[] =>
  [
    ...literalsOfSource(),
    ...builtExpressions.flatMap(({ file, built }) => built.map((each) => ({ ...each, file, line: 0 }))),
    ...patternsOfContract().map((source) => ({ source, flags: "u", file: "contract", line: 0 })),
  ].filter((expression) => !repeatsNothing(expression));

/** What repeats nothing takes as long as it is itself. */
export const repeatsNothing = ({ source }: Pick<Literal, "source">): boolean =>
  !/[*+{]/.test(source.replace(/\\./g, "").replace(/\[[^\]]*\]/g, "C"));

export const recordedAsSafe = (): string[] => JSON.parse(readFileSync(recordFile, "utf8")) as string[];

type Verdict = { status: "safe" | "unknown" } | { status: "vulnerable"; attack: string };

/** In JavaScript alone: the other ways download a program. */
export async function verdictOf(
  { source, flags }: Pick<Literal, "source" | "flags">,
  timeout: number,
): Promise<Verdict> {
  process.env.RECHECK_BACKEND = "pure";
  const { checkSync } = await import("recheck");
  const found = checkSync(source, flags, { timeout });
  if (found.status === "vulnerable") return { status: found.status, attack: found.attack.pattern };
  return { status: found.status };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const safe: string[] = [];
  for (const literal of new Map(repeatingExpressions().map((each) => [nameOf(each), each])).values()) {
    const verdict = await verdictOf(literal, 60_000);
    if (verdict.status === "safe") safe.push(nameOf(literal));
    else console.log(verdict.status, nameOf(literal), `${literal.file}:${literal.line}`);
  }
  writeFileSync(recordFile, `${JSON.stringify(safe.sort(), null, 2)}\n`);
}
