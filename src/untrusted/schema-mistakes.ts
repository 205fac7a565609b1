import { pointerTo } from "../kernel/json-pointer.ts";
import type { FieldError } from "../kernel/problem.ts";
import { innerSchemas, isSchema, type Schema, toZod, typeMistake, unusable } from "./json-schema.ts";
import { isLinearPattern, withLinearPatterns } from "./linear-pattern.ts";

/** Mistakes that make a schema unusable, each with a pointer from its root. */
export function findSchemaMistakes(schema: Schema): FieldError[] {
  const mistakes = [...patternMistakes(schema, ""), ...typeMistake(schema), ...circles(schema)];
  if (mistakes.length > 0) return mistakes;
  try {
    withLinearPatterns(() => toZod(schema));
    return [];
  } catch (error) {
    if (error instanceof RangeError) throw error;
    return [unusable(error)];
  }
}

/** Patterns run against input of callers, so only those that take linear time are allowed. */
function patternMistakes(schema: unknown, pointer: string): FieldError[] {
  if (!isSchema(schema)) return [];
  const own = typeof schema.pattern === "string" ? [[pointerTo(pointer, "pattern"), schema.pattern] as const] : [];
  const named = isSchema(schema.patternProperties) ? Object.keys(schema.patternProperties) : [];
  const at = pointerTo(pointer, "patternProperties");
  const slow = [...own, ...named.map((pattern) => [pointerTo(at, pattern), pattern] as const)].filter(
    ([, pattern]) => !isLinearPattern(pattern),
  );
  return [
    ...slow.map(([where]) => ({ pointer: where, code: "slow_pattern", detail: slowPattern })),
    ...innerSchemas(schema, pointer).flatMap(([inner, where]) => patternMistakes(inner, where)),
  ];
}

const slowPattern =
  "The pattern is not a regular expression, or could take too long: look neither ahead nor behind, do not refer back to a group, and repeat at most 1000 times.";

/** Keywords whose schemas apply to the same value: a cycle of these would never end. */
const forTheSameValue = ["allOf", "anyOf", "oneOf"];

function circles(root: Schema): FieldError[] {
  const found: FieldError[] = [];
  const finished = new Set<unknown>();

  function leadsBack(schema: unknown, trail: readonly unknown[]): boolean {
    if (!isSchema(schema) || finished.has(schema)) return false;
    if (trail.includes(schema)) return true;
    const further = [...trail, schema];
    const lists = forTheSameValue.flatMap((name) => (Array.isArray(schema[name]) ? schema[name] : []));
    const referred = typeof schema.$ref === "string" ? [targetOf(root, schema.$ref)] : [];
    const isCircle = [...referred, ...lists].some((each) => leadsBack(each, further));
    finished.add(schema);
    return isCircle;
  }

  function walk(schema: unknown, pointer: string): void {
    if (!isSchema(schema)) return;
    if (leadsBack(schema, [])) {
      const detail = "This schema refers to itself without end: put the reference into a property or an item.";
      found.push({ pointer, code: "unusable_schema", detail });
    }
    for (const [inner, where] of innerSchemas(schema, pointer)) walk(inner, where);
  }

  walk(root, "");
  return found.slice(0, 1);
}

/** The references that the library supports: the root and its definitions. */
function targetOf(root: Schema, ref: string): unknown {
  if (ref === "#" || ref === "#/") return root;
  const [, where, name = ""] = /^#\/(\$defs|definitions)\/([^/]+)$/.exec(ref) ?? [];
  const definitions = where === undefined ? undefined : root[where];
  const key = name.replaceAll("~1", "/").replaceAll("~0", "~");
  return isSchema(definitions) && Object.hasOwn(definitions, key) ? definitions[key] : undefined;
}
