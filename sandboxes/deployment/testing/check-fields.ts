/**
 * What an answer must hold. A text is one or more words for the type, `|` between them (`string`, `integer`, `boolean`,
 * `null`, `object`, or a literal in quotes); an object is a table of fields, where a name ending in `?` may be absent;
 * an array of one is "each of these".
 */
export type Shape = string | readonly [Shape] | { readonly [field: string]: Shape };

/** Everything about the value that is not of this shape, each with its path. */
export function checkFields(value: unknown, shape: Shape, at = "body"): string[] {
  if (typeof shape === "string") {
    return shape.split("|").some((word) => isOf(value, word)) ? [] : [`${at} is ${show(value)}, not ${shape}`];
  }
  if (isEach(shape)) {
    if (!Array.isArray(value)) return [`${at} is ${show(value)}, not an array`];
    return value.flatMap((item, index) => checkFields(item, shape[0], `${at}[${index}]`));
  }
  if (typeof value !== "object" || value === null || Array.isArray(value))
    return [`${at} is ${show(value)}, not an object`];
  return Object.entries(shape).flatMap(([name, field]) => {
    const isOptional = name.endsWith("?");
    const key = isOptional ? name.slice(0, -1) : name;
    const property = (value as Record<string, unknown>)[key];
    if (property === undefined) return isOptional ? [] : [`${at}.${key} is missing`];
    return checkFields(property, field, `${at}.${key}`);
  });
}

const isEach = (shape: Shape): shape is readonly [Shape] => Array.isArray(shape);

function isOf(value: unknown, word: string): boolean {
  if (word.startsWith("'")) return value === word.slice(1, -1);
  if (word === "null") return value === null;
  if (word === "integer") return Number.isInteger(value);
  if (word === "object") return typeof value === "object" && value !== null && !Array.isArray(value);
  return typeof value === word;
}

const show = (value: unknown) => JSON.stringify(value)?.slice(0, 80) ?? "absent";
