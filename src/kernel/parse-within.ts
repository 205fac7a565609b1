import * as z from "zod";
import "./validation-sentences.ts";

/**
 * Checks a value by a schema without visiting more items than the schema allows: zod checks every item, and collects
 * its mistakes, before it counts them. A list that is too long is first cut to one item too many, and so is a record
 * beyond its `maxProperties`. Both are then refused for their size. An object with a fixed set of names keeps a few of
 * those that it does not have, enough to be refused and to say why.
 */
export function parseWithin<S extends z.ZodType>(
  schema: S,
  value: unknown,
  params?: z.core.ParseContext<z.core.$ZodIssue>,
): z.ZodSafeParseResult<z.output<S>> {
  const bounds = boundsOf(schema);
  return schema.safeParse(bounds === null ? value : cut(value, bounds), params);
}

/** The maximum number of items at and below a position of a schema. Infinity: no limit. Null: nothing to cut. */
interface Bounds {
  items?: Limit;
  /** Of members other than those in `known`. */
  names?: Limit;
  known: Set<string>;
  members: Map<string, Bounds | null>;
}
interface Limit {
  max: number;
  each: Bounds | null;
}

/** Of an object with a fixed set of names: as many as an error shows. */
const unknownNamesMax = 20;

const boundsBySchema = new WeakMap<z.ZodType, Bounds | null>();

function boundsOf(schema: z.ZodType): Bounds | null {
  const found = boundsBySchema.get(schema);
  if (found !== undefined) return found;
  const bounds = withLimitsOnly(boundsIn(describeInput(schema)));
  boundsBySchema.set(schema, bounds);
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
  const { type, items, properties = {}, additionalProperties: more, maxItems, maxProperties } = schema;
  const choices = [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])];
  const takesAnything = !type && choices.length === 0 && !schema.enum;
  if (takesAnything) return null;
  const members = new Map(Object.entries(properties).map(([name, member]) => [name, boundsIn(member)]));
  const own: Bounds = { known: new Set(members.keys()), members };
  if (type === "array") own.items = { max: maxItems ?? Number.POSITIVE_INFINITY, each: items ? boundsIn(items) : null };
  if (more === false) own.names = { max: unknownNamesMax, each: null };
  else if (typeof more === "object")
    own.names = { max: maxProperties ?? Number.POSITIVE_INFINITY, each: boundsIn(more) };
  return [own, ...choices.map(boundsIn)].reduce(either);
}

/** The larger of the two bounds. */
function either(a: Bounds | null, b: Bounds | null): Bounds | null {
  if (!a || !b) return null;
  const wider = (one?: Limit, other?: Limit): Limit | undefined =>
    one && other ? { max: Math.max(one.max, other.max), each: either(one.each, other.each) } : (one ?? other);
  const known = a.known.union(b.known);
  const members = new Map([...known].map((name) => [name, memberOf(a, b, name)]));
  const [items, names] = [wider(a.items, b.items), wider(a.names, b.names)];
  return { known, members, ...(items && { items }), ...(names && { names }) };
}

/** What both say of a member. A side that does not know its name may take it among any others. */
function memberOf(a: Bounds, b: Bounds, name: string): Bounds | null {
  const [one, ...others] = [a, b].flatMap(({ known, members, names }) =>
    known.has(name) ? [members.get(name) ?? null] : names ? [names.each] : [],
  );
  return others.reduce<Bounds | null>(either, one ?? null);
}

/** Without the parts that limit nothing. */
function withLimitsOnly(bounds: Bounds | null): Bounds | null {
  if (!bounds) return null;
  const limited = (limit?: Limit): Limit | undefined => {
    if (!limit) return undefined;
    const each = withLimitsOnly(limit.each);
    return limit.max === Number.POSITIVE_INFINITY && !each ? undefined : { max: limit.max, each };
  };
  const inner = [...bounds.members].map(([name, member]): [string, Bounds | null] => [name, withLimitsOnly(member)]);
  const members = new Map(inner.filter(([, member]) => member !== null));
  const [items, names] = [limited(bounds.items), limited(bounds.names)];
  if (!items && !names && members.size === 0) return null;
  return { known: bounds.known, members, ...(items && { items }), ...(names && { names }) };
}

/** The value itself if nothing is too long, which is nearly always. */
function cut(value: unknown, bounds: Bounds): unknown {
  if (value === null || typeof value !== "object") return value;
  if (Array.isArray(value)) return bounds.items ? cutList(value, bounds.items) : value;
  return cutObject(value as Record<string, unknown>, bounds);
}

function cutList(list: unknown[], { max, each }: Limit): unknown[] {
  const kept = list.length > max ? list.slice(0, max + 1) : list;
  if (!each) return kept;
  const inner = kept.map((item) => cut(item, each));
  return inner.some((item, index) => item !== kept[index]) ? inner : kept;
}

function cutObject(object: Record<string, unknown>, { names, known, members }: Bounds): Record<string, unknown> {
  let kept = names ? cutNames(object, names.max, known) : object;
  const put = (name: string, value: unknown) => {
    if (value === kept[name]) return;
    // Without `names`, the check drops unknown members, and there may be very many.
    if (kept === object) kept = names ? { ...object } : pick(object, known);
    Object.defineProperty(kept, name, { value, enumerable: true, writable: true, configurable: true });
  };
  if (names?.each) for (const name of Object.keys(kept)) if (!known.has(name)) put(name, cut(kept[name], names.each));
  for (const [name, bounds] of members) if (bounds && Object.hasOwn(kept, name)) put(name, cut(kept[name], bounds));
  return kept;
}

function cutNames(object: Record<string, unknown>, max: number, known: Set<string>): Record<string, unknown> {
  const names = Object.keys(object);
  if (names.length <= known.size + max) return object;
  const others = names.values().filter((name) => !known.has(name));
  return pick(object, [...known, ...others.take(max + 1)]);
}

function pick(object: Record<string, unknown>, names: Iterable<string>): Record<string, unknown> {
  const picked = [...names].filter((name) => Object.hasOwn(object, name));
  return Object.fromEntries(picked.map((name) => [name, object[name]]));
}
