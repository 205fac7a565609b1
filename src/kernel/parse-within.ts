import * as z from "zod";
import "./validation-sentences.ts";

/**
 * Checks a value by a schema without visiting more items than the schema allows: zod checks every item, and collects
 * its mistakes, before it counts them. A list that is too long is first cut to one item too many, and so is a record
 * beyond its `maxProperties`. Both are then refused for their size.
 */
export function parseWithin<S extends z.ZodType>(
  schema: S,
  value: unknown,
  params?: z.core.ParseContext<z.core.$ZodIssue>,
): z.ZodSafeParseResult<z.output<S>> {
  const bounds = boundsOf(schema);
  return schema.safeParse(bounds === null ? value : cut(value, bounds), params);
}

/** The maximum number of items at and below a position of a schema. Infinity: a list without a limit. */
interface Bounds {
  items?: { max: number; each: Bounds | null };
  names?: { max: number; each: Bounds | null };
  members: Map<string, Bounds>;
}

const known = new WeakMap<z.ZodType, Bounds | null>();

function boundsOf(schema: z.ZodType): Bounds | null {
  const found = known.get(schema);
  if (found !== undefined) return found;
  const bounds = boundsIn(describeInput(schema));
  known.set(schema, bounds);
  return bounds;
}

/** What a schema says of sizes, in the words of JSON Schema. */
export interface Described {
  type?: string | string[];
  maxItems?: number;
  maxProperties?: number;
  items?: Described;
  properties?: Record<string, Described>;
  additionalProperties?: Described | boolean;
  anyOf?: Described[];
  oneOf?: Described[];
  allOf?: Described[];
  $defs?: Record<string, Described>;
  enum?: unknown[];
}

export const describeInput = (schema: z.ZodType): Described =>
  z.toJSONSchema(schema, { io: "input", unrepresentable: "any" }) as Described;

function boundsIn(schema: Described): Bounds | null {
  const { items, properties = {}, additionalProperties: more, maxItems, maxProperties } = schema;
  const choices = [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])];
  // A position that allows any value is not cut.
  if (choices.some(({ type, anyOf, oneOf, enum: words }) => !type && !anyOf && !oneOf && !words)) return null;
  const own: Bounds = { members: new Map() };
  if (schema.type === "array")
    own.items = { max: maxItems ?? Number.POSITIVE_INFINITY, each: items ? boundsIn(items) : null };
  if (typeof more === "object") own.names = { max: maxProperties ?? Number.POSITIVE_INFINITY, each: boundsIn(more) };
  for (const [name, member] of Object.entries(properties)) {
    const bounds = boundsIn(member);
    if (bounds) own.members.set(name, bounds);
  }
  const all = [own, ...choices.map(boundsIn)].reduce(either);
  return all && (isBound(all.items) || isBound(all.names) || all.members.size > 0) ? all : null;
}

const isBound = (part: Bounds["items"]): boolean =>
  part !== undefined && (part.max !== Number.POSITIVE_INFINITY || part.each !== null);

/** The larger of the two bounds. */
function either(a: Bounds | null, b: Bounds | null): Bounds | null {
  if (!a || !b) return a ?? b;
  const wider = (one: Bounds["items"], other: Bounds["items"]): Bounds["items"] =>
    one && other ? { max: Math.max(one.max, other.max), each: either(one.each, other.each) } : (one ?? other);
  const members = new Map(a.members);
  for (const [name, bounds] of b.members) members.set(name, either(members.get(name) ?? null, bounds) as Bounds);
  const [items, names] = [wider(a.items, b.items), wider(a.names, b.names)];
  return { members, ...(items && { items }), ...(names && { names }) };
}

/** The value itself if nothing is too long, which is nearly always. */
function cut(value: unknown, bounds: Bounds): unknown {
  if (value === null || typeof value !== "object") return value;
  if (Array.isArray(value)) return bounds.items ? cutList(value, bounds.items) : value;
  return cutObject(value as Record<string, unknown>, bounds);
}

function cutList(list: unknown[], { max, each }: NonNullable<Bounds["items"]>): unknown[] {
  const kept = list.length > max ? list.slice(0, max + 1) : list;
  if (!each) return kept;
  const inner = kept.map((item) => cut(item, each));
  return inner.some((item, index) => item !== kept[index]) ? inner : kept;
}

function cutObject(object: Record<string, unknown>, { names, members }: Bounds): Record<string, unknown> {
  let kept = object;
  const put = (name: string, value: unknown) => {
    if (value === kept[name]) return;
    if (kept === object) kept = { ...object };
    Object.defineProperty(kept, name, { value, enumerable: true, writable: true, configurable: true });
  };
  if (names) {
    const all = Object.keys(object);
    if (all.length > names.max)
      kept = Object.fromEntries(all.slice(0, names.max + 1).map((name) => [name, object[name]]));
    if (names.each)
      for (const name of Object.keys(kept)) if (!members.has(name)) put(name, cut(kept[name], names.each));
  }
  for (const [name, bounds] of members) if (Object.hasOwn(kept, name)) put(name, cut(kept[name], bounds));
  return kept;
}
