/** A path that needs no evaluator: `params.x`, `steps.name.output.items[0].id`. Nearly every expression is one. */
export type PlainPath = readonly [root: RootName, ...hops: (string | number)[]];

/** The names that an expression can start with. */
export const rootNames = ["params", "steps", "foreach", "event"] as const;
export type RootName = (typeof rootNames)[number];

const plainShape = /^\s*(params|steps|foreach|event)((?:\.[A-Za-z_]\w*|\[\d{1,6}\])*)\s*$/;
const hopShape = /\.(\w+)|\[(\d+)\]/g;
// The language always reads these as values.
const valueWords = new Set(["true", "false", "null"]);

export function readPlainPath(expression: string): PlainPath | null {
  const [, root, rest = ""] = plainShape.exec(expression) ?? [];
  if (root === undefined) return null;
  const hops = [...rest.matchAll(hopShape)].map(([, name, index]) => name ?? Number(index));
  return hops.some((hop) => typeof hop === "string" && valueWords.has(hop)) ? null : [root as RootName, ...hops];
}

/** Returned where the language has its own rule, such as a name behind a list. */
export const needsEvaluator = Symbol("needs the evaluator");

/** The value at the path, undefined if the path ends early. Only own members count, so no path leads to a prototype. */
export function followPath(path: PlainPath, values: object): unknown {
  let value: unknown = values;
  for (const hop of path) {
    if (value === undefined || value === null) return undefined;
    if (typeof hop === "number") {
      if (!Array.isArray(value) || Array.isArray(value[hop])) return needsEvaluator;
      value = value[hop];
    } else {
      if (Array.isArray(value)) return needsEvaluator;
      value =
        typeof value === "object" && Object.hasOwn(value, hop) ? (value as Record<string, unknown>)[hop] : undefined;
    }
  }
  return value;
}
