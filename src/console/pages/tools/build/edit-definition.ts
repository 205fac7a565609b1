import { replaceExpressions } from "../../../forms/text-in-braces.ts";
import type { Definition, ToolStep } from "../tool.ts";
import { toolWords } from "./built-in-steps.ts";

/** Changes of a definition. Each returns a new one. */

export const emptyDefinition: Definition = { title: "", params_schema: { type: "object", properties: {} }, steps: [] };

/** A name that no other step has: `list_deployments`, `list_deployments_2` … */
export function freeName(steps: readonly ToolStep[], wanted: string): string {
  const taken = new Set(steps.map(({ name }) => name));
  if (!taken.has(wanted)) return wanted;
  for (let count = 2; ; count++) if (!taken.has(`${wanted}_${count}`)) return `${wanted}_${count}`;
}

export function addStep(definition: Definition, step: string, connectionId: string | undefined): [Definition, string] {
  const name = freeName(definition.steps, step);
  const made: ToolStep = {
    name,
    step,
    ...(connectionId === undefined ? {} : { connection_id: connectionId }),
    input: toolWords[step]?.input ?? {},
  };
  return [{ ...definition, steps: [...definition.steps, made] }, name];
}

export const changeStep = (definition: Definition, index: number, step: ToolStep): Definition => ({
  ...definition,
  steps: definition.steps.with(index, step),
});

export const removeStep = (definition: Definition, index: number): Definition => ({
  ...definition,
  steps: definition.steps.toSpliced(index, 1),
});

export function moveStep(definition: Definition, from: number, to: number): Definition {
  const step = definition.steps[from];
  if (!step || to < 0 || to >= definition.steps.length) return definition;
  return { ...definition, steps: definition.steps.toSpliced(from, 1).toSpliced(to, 0, step) };
}

export function duplicateStep(definition: Definition, index: number): Definition {
  const step = definition.steps[index];
  if (!step) return definition;
  const copy = { ...step, name: freeName(definition.steps, step.name) };
  return { ...definition, steps: definition.steps.toSpliced(index + 1, 0, copy) };
}

/** Renames a step and the references to it in templates. */
export function renameStep(definition: Definition, index: number, to: string): Definition {
  const step = definition.steps[index];
  if (!step || step.name === to) return definition;
  const from = step.name;
  const isUnique = definition.steps.filter(({ name }) => name === from).length === 1;
  const renamed = changeStep(definition, index, { ...step, name: to });
  return isUnique && /^\w+$/.test(from)
    ? (mapTexts(renamed, (text) => renameIn(text, from, to)) as Definition)
    : renamed;
}

function renameIn(text: string, from: string, to: string): string {
  const reference = new RegExp(`\\bsteps\\.${from}(?![A-Za-z0-9_])`, "g");
  return replaceExpressions(text, (expression) => `{{${expression.replace(reference, `steps.${to}`)}}}`);
}

function mapTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === "string") return change(value);
  if (Array.isArray(value)) return value.map((inner) => mapTexts(inner, change));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, mapTexts(inner, change)]));
}

/** A member that is left out when it is empty. */
export function withMember<K extends keyof ToolStep>(
  step: ToolStep,
  name: K,
  value: ToolStep[K] | undefined,
): ToolStep {
  const { [name]: _, ...rest } = step;
  return (value === undefined || value === "" ? rest : { ...rest, [name]: value }) as ToolStep;
}
