import type { ChangingScope } from "../access/changing-scope.ts";
import { Problem } from "../kernel/problem.ts";
import type { Compute } from "../untrusted/compute.ts";
import type { ToolDefinition } from "./definition.ts";
import { type Basis, createTool, publishDraft, requireBasis, requireSound, type Tool, updateDraft } from "./tools.ts";

/** What the audit log says of a change, from the tool as it is afterwards. */
type DetailsOf = (tool: Tool) => Record<string, unknown>;

/** The whole definition is checked before it is stored. */
export async function saveNewTool(
  scope: ChangingScope,
  compute: Compute,
  definition: ToolDefinition,
  detailsOf: DetailsOf,
): Promise<Tool> {
  await requireSound(scope, definition, compute);
  return scope.change(async (inside) => {
    const tool = await createTool(inside, definition);
    return { value: tool, target: tool.id, details: detailsOf(tool), reference: tool.id };
  });
}

/**
 * Changes the draft. The whole definition is checked before it is stored. A repeat of the call finds the tool by its id, or
 * more by another reference.
 */
export const saveDraft = (
  scope: ChangingScope,
  compute: Compute,
  basis: Basis,
  change: (tool: Tool) => ToolDefinition | Promise<ToolDefinition>,
  detailsOf: DetailsOf,
  referenceOf: (tool: Tool) => string = ({ id }) => id,
): Promise<Tool> =>
  onDraft(basis, async () => {
    const before = await requireBasis(scope, basis);
    const definition = await change(before);
    await requireSound(scope, definition, compute);
    return scope.change(async (inside) => {
      const tool = await updateDraft(inside, before, definition);
      return { value: tool, target: tool.id, details: detailsOf(tool), reference: referenceOf(tool) };
    });
  });

/** Publishes the draft, after it is checked once more: what it names may be gone. */
export const saveVersion = (
  scope: ChangingScope,
  compute: Compute,
  basis: Basis,
  note: string | null,
): Promise<{ tool: Tool; version: number }> =>
  onDraft(basis, async () => {
    const draft = await requireBasis(scope, basis);
    await requireSound(scope, draft.definition, compute);
    return scope.change(async (inside) => {
      // Another caller may have changed or published it in the meantime.
      const current = await requireBasis(inside, { toolId: draft.id, revision: draft.revision });
      const value = await publishDraft(inside, current, note);
      return { value, target: draft.id, details: { version: value.version }, reference: draft.id };
    });
  });

/** How often a save is retried when others change the draft at the same time. */
const triesMax = 5;

/**
 * Runs a change that was prepared outside of the transaction, because checking a definition can wait for another
 * process. If another caller changed the draft first, a caller who named no revision is retried with the new one.
 */
async function onDraft<T>(basis: Basis, work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await work();
    } catch (error) {
      const isOutrun = error instanceof Problem && error.code === "tool_changed" && basis.revision === undefined;
      if (!isOutrun || tries >= triesMax) throw error;
    }
  }
}
