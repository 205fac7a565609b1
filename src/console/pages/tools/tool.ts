import type { OutputOf } from "../../../client/wire.ts";

export type Tool = OutputOf<"/latest/tools/{tool_id}/get">;
export type Definition = Pick<Tool, "title" | "description" | "params_schema" | "steps" | "output">;
export type ToolStep = Definition["steps"][number];
export type Run = OutputOf<"/latest/runs/{run_id}/get">;
export type StepRecord = OutputOf<"/latest/steps/list">["results"][number];

/** What of a tool's record is its definition. */
export const definitionOf = ({ title, description, params_schema, steps, output }: Tool): Definition => ({
  title,
  ...(description === undefined ? {} : { description }),
  params_schema,
  steps,
  ...(output === undefined || output === null ? {} : { output }),
});

export const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(sorted(a)) === JSON.stringify(sorted(b));

/** Members in one order, so that equal values have equal texts. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).filter(([, inner]) => inner !== undefined);
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, inner]) => [name, sorted(inner)]));
}
