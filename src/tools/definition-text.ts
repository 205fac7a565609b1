import type { ToolDefinition } from "./definition.ts";

const keptMax = 500;
/** Longer ones are seldom, and would fill the memory. */
const keptLength = 16 * 1024;

const kept = new Map<string, ToolDefinition>();
const texts = new WeakMap<ToolDefinition, string>();

/**
 * A definition as the store has it. The same text gives the same value, frozen: what was made ready for it, such as the
 * schema of its params, is ready for every run of the tool.
 */
export function readDefinition(text: string): ToolDefinition {
  const known = kept.get(text);
  if (known) return known;
  const definition = JSON.parse(text) as ToolDefinition;
  if (text.length > keptLength) return definition;
  freeze(definition);
  // The oldest goes; one that is in use comes back with its next run.
  for (const oldest of kept.keys()) {
    if (kept.size < keptMax) break;
    kept.delete(oldest);
  }
  kept.set(text, definition);
  texts.set(definition, text);
  return definition;
}

export const definitionText = (definition: ToolDefinition): string =>
  texts.get(definition) ?? JSON.stringify(definition);

function freeze(value: unknown): void {
  if (typeof value !== "object" || value === null) return;
  Object.freeze(value);
  for (const member of Object.values(value)) freeze(member);
}
