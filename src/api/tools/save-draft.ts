import type { ExternalScope, Rooms } from "../../calls/define-operation.ts";
import type { ToolDefinition } from "../../tools/definition.ts";
import { onDraft } from "../../tools/retry-save.ts";
import { type Basis, requireBasis, requireSound, type Tool, updateDraft } from "../../tools/tools.ts";

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
