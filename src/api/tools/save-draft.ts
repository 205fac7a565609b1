import type { OutsideScope, Rooms } from "../../calls/define.ts";
import { Problem } from "../../kernel/problem.ts";
import type { ToolDefinition } from "../../tools/definition.ts";
import { type Basis, requireBasis, requireSound, type Tool, updateDraft } from "../../tools/tools.ts";

/** How often a save is retried when others change the draft at the same time. */
const triesMax = 5;

/**
 * Does something to a draft that was looked at before, outside of the transaction: checking a definition may wait for another
 * process. Where somebody was faster, whoever named no revision is served with what is there now.
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

/** Changes the draft, which is checked as a whole before it is kept. */
export const saveDraft = (
  scope: OutsideScope,
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
