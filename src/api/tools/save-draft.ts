import type { ExternalScope, Rooms } from "../../calls/define.ts";
import { Problem } from "../../kernel/problem.ts";
import type { ToolDefinition } from "../../tools/definition.ts";
import { type Basis, requireBasis, requireSound, type Tool, updateDraft } from "../../tools/tools.ts";

/** How often a save is retried when others change the draft at the same time. */
const triesMax = 5;

/**
 * Runs a change that was prepared outside of the transaction, because checking a definition can wait for another
 * process. If another caller changed the draft first, a caller who named no revision is retried with the new one.
 */
export async function onDraft<T>(basis: Basis, work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await work();
    } catch (error) {
      const isOutrun = error instanceof Problem && error.code === "tool_changed" && basis.revision === undefined;
      if (!isOutrun || tries >= triesMax) throw error;
    }
  }
}

/** Changes the draft. The whole definition is checked before it is stored. */
export const saveDraft = (
  scope: ExternalScope,
  { compute }: Rooms,
  basis: Basis,
  change: (tool: Tool) => ToolDefinition | Promise<ToolDefinition>,
  detailsOf: (tool: Tool) => Record<string, unknown>,
): Promise<Tool> =>
  onDraft(basis, async () => {
    const before = await requireBasis(scope, basis);
    const definition = await change(before);
    await requireSound(scope, definition, compute);
    return scope.change(async (inside) => {
      const tool = await updateDraft(inside, before, definition);
      return { value: tool, target: tool.id, details: detailsOf(tool), reference: tool.id };
    });
  });
