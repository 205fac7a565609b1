import type { PickableGroup, PickableValue } from "../../../forms/form-context.ts";
import { replaceExpressions } from "../../../forms/text-in-braces.ts";
import type { Definition } from "../tool.ts";

/** What templates can reach: what the tool was started with, and what its steps returned. */
export interface KnownValues {
  params: Record<string, unknown> | null;
  outputs: Record<string, unknown>;
  /** The steps whose output a person pinned. */
  pinned?: readonly string[];
  foreach?: { item: unknown; index: number };
}

export interface Preview {
  isKnown: boolean;
  value: unknown;
}

const unknown: Preview = { isKnown: false, value: undefined };

/** The value of a template, where every expression in it is a plain path. Others are computed on the server, when it runs. */
export function previewOf(template: string, known: KnownValues): Preview {
  const only = /^\{\{([^{}]*)\}\}$/.exec(template.trim());
  if (only) return lookUp(only[1] ?? "", known);
  let isKnown = true;
  const value = replaceExpressions(template, (expression) => {
    const found = lookUp(expression, known);
    if (!found.isKnown) isKnown = false;
    return typeof found.value === "string" ? found.value : (JSON.stringify(found.value) ?? "");
  });
  return isKnown ? { isKnown, value } : unknown;
}

/** Every template in a value filled in, or the first one that cannot be. */
export function fillIn(value: unknown, known: KnownValues): { value: unknown; missing: string | null } {
  let missing: string | null = null;
  const fill = (part: unknown): unknown => {
    if (typeof part === "string") {
      if (!part.includes("{{")) return part;
      const found = previewOf(part, known);
      if (!found.isKnown) missing ??= part;
      return found.value;
    }
    if (Array.isArray(part)) return part.map(fill);
    if (typeof part !== "object" || part === null) return part;
    return Object.fromEntries(Object.entries(part).map(([name, inner]) => [name, fill(inner)]));
  };
  const filled = fill(value);
  return { value: filled, missing };
}

function lookUp(expression: string, known: KnownValues): Preview {
  const path = pathOf(expression.trim());
  if (!path) return unknown;
  const [root, ...rest] = path;
  if (root === "params") return known.params ? follow(known.params, rest) : unknown;
  if (root === "foreach" && known.foreach) return follow(known.foreach, rest);
  const [name, member, ...inner] = rest;
  if (root !== "steps" || typeof name !== "string" || member !== "output" || !(name in known.outputs)) return unknown;
  return follow(known.outputs[name], inner);
}

type Path = (string | number)[];

const part = /^(?:\.?([A-Za-z_$][\w$]*)|\.?`([^`]+)`|\[(\d+)\])/;

/** `steps.latest.output.deployments[0].url` as its parts; null for anything that is more than a path. */
function pathOf(expression: string): Path | null {
  const path: Path = [];
  let rest = expression;
  while (rest !== "") {
    const match = part.exec(rest);
    if (!match || (path.length > 0 && !/^[.[]/.test(rest))) return null;
    path.push(match[3] === undefined ? (match[1] ?? match[2] ?? "") : Number(match[3]));
    rest = rest.slice(match[0].length);
  }
  return path.length === 0 ? null : path;
}

/** A name asked of a list is asked of its items, as the expression language does. */
function follow(value: unknown, path: Path): Preview {
  let current = value;
  for (const name of path) {
    if (current === null || typeof current !== "object") return unknown;
    if (Array.isArray(current) && typeof name === "string") {
      const members = current.flatMap((item) => (isObject(item) && name in item ? [item[name]] : []));
      current = members.length === 1 ? members[0] : members;
    } else current = (current as Record<string | number, unknown>)[name];
  }
  return current === undefined ? unknown : { isKnown: true, value: current };
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null;

const depthMax = 5;
const valuesMax = 200;

/** What the step at `index` can use: params, and every value of the steps before it. */
export function pickableFor(
  definition: Definition,
  index: number,
  known: KnownValues,
  hasForeach: boolean,
): PickableGroup[] {
  const groups: PickableGroup[] = [];
  const names = Object.keys((definition.params_schema.properties as object | undefined) ?? {});
  if (names.length > 0) {
    const values = names.map((name) => toPickable(`params${memberText(name)}`, name, known.params?.[name]));
    groups.push({ title: "The start of the tool", values });
  }
  if (hasForeach) {
    groups.push({
      title: "The item of the list",
      values: [
        toPickable("foreach.item", "item", known.foreach?.item),
        ...valuesIn(known.foreach?.item, "foreach.item", "item", 1),
        toPickable("foreach.index", "index", known.foreach?.index),
      ],
    });
  }
  for (const { name } of definition.steps.slice(0, index)) {
    const base = `steps.${name}.output`;
    const output = known.outputs[name];
    const values = [toPickable(base, "output", output), ...valuesIn(output, base, "", 0)].slice(0, valuesMax);
    groups.push({ title: `Step ${name}${known.pinned?.includes(name) ? ", pinned output" : ""}`, values });
  }
  return groups;
}

function valuesIn(value: unknown, base: string, label: string, depth: number): PickableValue[] {
  if (depth >= depthMax || !isObject(value)) return [];
  const entries: [string, string, unknown][] = Array.isArray(value)
    ? value.slice(0, 1).map((item) => [`${base}[0]`, `${label}[0]`, item])
    : Object.entries(value).map(([name, inner]) => [
        `${base}${memberText(name)}`,
        label === "" ? name : `${label}${memberText(name)}`,
        inner,
      ]);
  return entries.flatMap(([expression, shown, inner]) => [
    toPickable(expression, shown, inner),
    ...valuesIn(inner, expression, shown, depth + 1),
  ]);
}

const memberText = (name: string): string => (/^[A-Za-z_]\w*$/.test(name) ? `.${name}` : `.\`${name}\``);

const toPickable = (expression: string, label: string, sample: unknown): PickableValue => ({
  expression,
  label,
  sample,
  hasSample: sample !== undefined,
});
