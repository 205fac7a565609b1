import { isAlias, isMap, isScalar, isSeq, parseDocument, stringify } from "yaml";
import { pointerTo } from "../kernel/json-pointer.ts";
import { type FieldError, fieldErrorsMax } from "../kernel/problem.ts";

/** Writes a JSON value as readable YAML, which parses to exactly the same value. */
export function toYaml(value: unknown): string {
  const text = write(value, "PLAIN");
  // Some strings change unless quoted, mostly those with line ends.
  return isSame(text, value) ? text : write(value, "QUOTE_DOUBLE");
}

const write = (value: unknown, defaultStringType: "PLAIN" | "QUOTE_DOUBLE"): string =>
  stringify(value, { lineWidth: 0, aliasDuplicateObjects: false, defaultKeyType: "PLAIN", defaultStringType });

const isSame = (text: string, value: unknown): boolean => {
  const read = fromYaml(text, Number.POSITIVE_INFINITY);
  return "value" in read && JSON.stringify(read.value) === JSON.stringify(value);
};

/**
 * Returns the value of the text, or its mistakes; as JSON it has at most `charactersMax` characters. Some texts take
 * the library minutes, so the server passes every text to the task of this name.
 */
export function fromYaml(text: string, charactersMax: number): { value: unknown } | { errors: FieldError[] } {
  // The library compares every key with every other, which takes half a minute at the allowed size.
  const document = parseDocument(text, { uniqueKeys: false, version: "1.2", schema: "core" });
  const wrong = [...document.errors, ...document.warnings];
  if (wrong.length > 0) return { errors: wrong.slice(0, fieldErrorsMax).map(({ message }) => refusal("", message)) };
  try {
    const unusable = findUnusable(document.contents, "", { aliases: 0 });
    if (unusable) return { errors: [unusable] };
    const value: unknown = document.toJS({ maxAliasCount: aliasesMax });
    const strange = notJson(value, "");
    if (strange.length > 0) return { errors: strange };
    if (JSON.stringify(value).length <= charactersMax) return { value };
    return { errors: [refusal("", `As JSON it has at most ${charactersMax} characters.`)] };
  } catch (error) {
    // Aliases that multiply, or form a cycle.
    return { errors: [refusal("", error instanceof Error ? error.message : "The text cannot be read.")] };
  }
}

const aliasesMax = 100;

/**
 * Finds what is not JSON or takes far longer to convert than to parse: keys that are lists or objects, whose names
 * repeat at every level, and unlimited aliases.
 */
function findUnusable(node: unknown, pointer: string, count: { aliases: number }): FieldError | null {
  if (isAlias(node) && ++count.aliases > aliasesMax)
    return refusal(pointer, `There are more than ${aliasesMax} aliases.`);
  if (isSeq(node)) return firstOf(node.items, (item, index) => findUnusable(item, pointerTo(pointer, index), count));
  if (!isMap(node)) return null;
  const names = new Set<string>();
  return firstOf(node.items, ({ key, value }) => {
    if (!isScalar(key)) return refusal(pointer, "The name of a member is a text, not a list, an object or an alias.");
    const name = key.value === null ? "" : String(key.value);
    if (names.has(name))
      return refusal(pointer, `Map keys must be unique, and "${name.slice(0, 100)}" stands there twice.`);
    names.add(name);
    return findUnusable(value, pointerTo(pointer, name), count);
  });
}

function firstOf<Item>(
  items: readonly Item[],
  look: (item: Item, index: number) => FieldError | null,
): FieldError | null {
  for (const [index, item] of items.entries()) {
    const found = look(item, index);
    if (found) return found;
  }
  return null;
}

const refusal = (pointer: string, detail: string): FieldError => ({ pointer, code: "invalid_yaml", detail });

/** YAML has numbers and types that JSON lacks. */
function notJson(value: unknown, pointer: string): FieldError[] {
  if (typeof value === "number" && !Number.isFinite(value)) return [refusal(pointer, "This is not a number of JSON.")];
  if (typeof value === "bigint" || value === undefined) return [refusal(pointer, "This is not a value of JSON.")];
  if (typeof value !== "object" || value === null) return [];
  const isPlain = Array.isArray(value) || Object.getPrototypeOf(value) === Object.prototype;
  if (!isPlain) return [refusal(pointer, "This is not a value of JSON.")];
  return Object.entries(value).flatMap(([name, inner]) => notJson(inner, pointerTo(pointer, name)));
}
