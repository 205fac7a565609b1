import type { ToolDefinition } from "./definition.ts";

const cachedMax = 500;
/** Longer definitions are rare, and would fill the memory. */
const cachedLength = 16 * 1024;

const cache = new Map<string, ToolDefinition>();
const texts = new WeakMap<ToolDefinition, string>();

/**
 * A definition from its stored text. The same text gives the same frozen value, so anything that is compiled for it,
 * such as the schema of its params, serves every run of the tool.
 */
export function readDefinition(text: string): ToolDefinition {
  const known = cache.get(text);
  if (known) return known;
  const definition = JSON.parse(text) as ToolDefinition;
  if (text.length > cachedLength) return definition;
  freezeDeeply(definition);
  // Evicts the oldest; a definition in use returns with its next run.
  for (const oldest of cache.keys()) {
    if (cache.size < cachedMax) break;
    cache.delete(oldest);
  }
  cache.set(text, definition);
  texts.set(definition, text);
  return definition;
}

export const definitionText = (definition: ToolDefinition): string =>
  texts.get(definition) ?? JSON.stringify(definition);

export function freezeDeeply(value: unknown): void {
  if (typeof value !== "object" || value === null) return;
  Object.freeze(value);
  for (const member of Object.values(value)) freezeDeeply(member);
}
