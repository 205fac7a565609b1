import type { JsonSchema } from "../../../../src/api/reference/operation-schemas.ts";

/** What is sent to make a server work: texts that nearly match, lists and objects without measure, numbers without end. */

/** What a text repeats: what our scanners look for, and what parsers of other languages stumble over. `near-matches.ts` makes more. */
export const units: readonly string[] = [
  ...[
    "eyJ-",
    "eyJ.",
    "Bearer ",
    "access_token=",
    'password="\\',
    "sbk_us_",
    "0",
    "_",
    "\n",
    "\r\n",
    " ",
    "\t",
    "-",
    ".",
  ],
  ...[
    "@",
    "a@",
    "a.",
    ".a",
    "/",
    "//",
    "/../",
    "%2f",
    "%",
    "://:@",
    ":",
    ",",
    ";",
    "=",
    "&",
    "'",
    '"',
    "\\",
    '\\"',
    "\u0000",
  ],
  ...[
    "[",
    "[,",
    "{",
    "{0",
    "{{",
    "{{1+",
    "{{$",
    "(",
    "((a+)+",
    "<a/>",
    "<a ",
    "&a;",
    "<!--",
    "!a ",
    "*a ",
    '"\\q',
    "- ",
    "a: ",
  ],
  ...[
    "~",
    "~1",
    "#",
    "$",
    "é",
    "ﷺ",
    "\u0300",
    "\u202e",
    "😀",
    "\ud800",
    "\u2028",
    "İ",
    "ſ",
    "prj_us_",
    "* ",
    "1 ",
    "1,",
    "0-9,",
  ],
  ...['userName eq "', "not (", "a pr and ", "emails[type eq ", "urn:ietf:", "rest/v1/", "properties/", "-----BEGIN "],
];

/** A text of a size, with an end that spoils what nearly matched. */
export const textOf = (unit: string, characters: number): string =>
  `${unit.repeat(Math.max(1, Math.floor(characters / unit.length)))}!`.slice(-Math.max(1, characters));

/** JSON texts of about a size, because some could not be made from a value. */
export const shapes: Readonly<Record<string, (bytes: number) => string>> = {
  "a list of empty objects": (bytes) => listOf("{}", bytes),
  "a list of empty lists": (bytes) => listOf("[]", bytes),
  "a list of numbers": (bytes) => listOf("1", bytes),
  "a list of empty texts": (bytes) => listOf('""', bytes),
  "a list of nulls": (bytes) => listOf("null", bytes),
  "a list of deep lists": (bytes) => listOf(`${"[".repeat(25)}${"]".repeat(25)}`, bytes),
  "a list of objects with wrong members": (bytes) => listOf('{"name":1,"step":[],"x":"y"}', bytes),
  "an object of many members": (bytes) => members(bytes, (index) => `"m${index}":1`),
  "an object of many empty objects": (bytes) => members(bytes, (index) => `"${index}":{}`),
  "an object with one long name": (bytes) => `{"${"k".repeat(bytes - 10)}":1}`,
  "an object with names like ids": (bytes) => members(bytes, (index) => `"prj_us_${index}":"${index}"`),
  "an object with names that are set": (bytes) => members(bytes, (index) => `"__proto__${index}":{"a":"b"}`),
  "very deep": (bytes) => `${"[".repeat(bytes / 2)}${"]".repeat(bytes / 2)}`,
  "very deep, in objects": (bytes) => `${'{"a":'.repeat(bytes / 6)}1${"}".repeat(bytes / 6)}`,
  "a number of many digits": (bytes) => "7".repeat(bytes),
  "a number of many decimals": (bytes) => `0.${"3".repeat(bytes - 2)}`,
  "a number with a long exponent": (bytes) => `1e-${"9".repeat(bytes - 3)}`,
  "a text of escapes": (bytes) => `"${"\\u0001".repeat(bytes / 6)}"`,
  "a text of halves of characters": (bytes) => `"${"\\ud800".repeat(bytes / 6)}"`,
  "white space": (bytes) => `[${" ".repeat(bytes - 2)}]`,
};

const listOf = (item: string, bytes: number): string =>
  `[${`${item},`.repeat(Math.max(1, bytes / (item.length + 1) - 1))}${item}]`;

function members(bytes: number, member: (index: number) => string): string {
  const all: string[] = [];
  for (let left = bytes - 2; ; ) {
    const each = member(all.length);
    left -= each.length + 1;
    if (left < 0 && all.length > 0) return `{${all.join(",")}}`;
    all.push(each);
  }
}

/** A member of a body, however deep, and what it may hold. */
export interface Place {
  path: (string | number)[];
  takesText: boolean;
  takesMany: boolean;
  charactersMax: number | null;
}

type Schema = JsonSchema & { maxLength?: number; oneOf?: Schema[]; allOf?: Schema[] };

const depthMax = 6;

/** Every place of a schema that takes text, objects or lists. */
export function placesIn(schema: Schema, path: Place["path"] = []): Place[] {
  const inner: Place[] = [];
  if (path.length < depthMax) {
    for (const [name, member] of Object.entries(schema.properties ?? {}))
      inner.push(...placesIn(member, [...path, name]));
    if (schema.items) inner.push(...placesIn(schema.items, [...path, 0]));
    const { additionalProperties: more } = schema;
    if (more && typeof more === "object") inner.push(...placesIn(more, [...path, "another"]));
    for (const each of [...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])])
      inner.push(...placesIn(each, path));
  }
  const types = [schema.type ?? []].flat();
  const isOpen = types.length === 0 && !schema.anyOf && !schema.oneOf && !schema.allOf && schema.enum === undefined;
  const takesText = (types.includes("string") && schema.enum === undefined) || isOpen;
  const takesMany = types.includes("object") || types.includes("array") || isOpen;
  const own = { path, takesText, takesMany, charactersMax: schema.maxLength ?? null };
  const known = new Map(
    [...(takesText || takesMany ? [own] : []), ...inner].map((each) => [each.path.join("/"), each]),
  );
  return path.length === 0 ? [...known.values()].filter((each) => each.path.length > 0) : [...known.values()];
}

/** The JSON text of a body in which this JSON text stands at a place; what stands round it is kept, or made. */
export const bodyWith = (base: Record<string, unknown>, path: Place["path"], json: string): string =>
  bodyWithAll(base, [[path, json]]);

/** The JSON text of a body to which very many members are added, about so many bytes of them. */
export const bodyBeside = (base: Record<string, unknown>, bytes: number): string =>
  `${members(bytes, (index) => `"m${index}":1`).slice(0, -1)},${JSON.stringify(base).slice(1)}`.replace(/,\}$/, "}");

/** Like `bodyWith`, for several places, of which none is within another. */
export function bodyWithAll(base: Record<string, unknown>, all: readonly [Place["path"], string][]): string {
  const body = structuredClone(base);
  for (const [index, [path]] of all.entries()) setAt(body, path, markOf(index));
  let [text, written] = [JSON.stringify(body), ""];
  // In the order in which they stand there.
  for (let at = text.indexOf(mark); at >= 0; at = text.indexOf(mark)) {
    const [whole = "", index = ""] = new RegExp(`${mark}(\\d+)"`).exec(text.slice(at)) ?? [];
    written += `${text.slice(0, at)}${all[Number(index)]?.[1]}`;
    text = text.slice(at + whole.length);
  }
  return written + text;
}

/** As it stands in the JSON text, before the number of the place. */
const mark = '"<here>';
const markOf = (index: number): string => `${mark.slice(1)}${index}`;

function setAt(body: Record<string, unknown>, path: Place["path"], value: unknown): void {
  let at: Record<string | number, unknown> = body;
  for (const [index, step] of path.entries()) {
    if (index === path.length - 1) at[step] = value;
    else {
      const next = path[index + 1];
      const fits = typeof next === "number" ? Array.isArray(at[step]) : isObject(at[step]);
      if (!fits) at[step] = typeof next === "number" ? [] : {};
      at = at[step] as Record<string | number, unknown>;
    }
  }
}

const isObject = (value: unknown): boolean => typeof value === "object" && value !== null && !Array.isArray(value);
