import { projectOf, type Scope } from "../access/scope.ts";
import { Problem } from "../kernel/problem.ts";
import { readParams } from "../tools/params.ts";
import { definitionFor, requireTool } from "../tools/tools.ts";
import type { Compute } from "../untrusted/compute.ts";
import type { RunStart } from "./queue/start-run.ts";

export interface ToolStart {
  toolId: string;
  params: Record<string, unknown>;
  version?: "draft" | "published" | number | undefined;
}

/** The run of a tool that a caller starts: the requested version, with valid params. */
export async function toolStart(scope: Scope, { compute }: { compute: Compute }, wish: ToolStart): Promise<RunStart> {
  const tool = await requireTool(scope.db, projectOf(scope), wish.toolId);
  const { definition, version } = await definitionFor(scope.db, tool, wish.version);
  const on = { compute, organizationId: tool.organizationId };
  const read = await readParams(definition, wish.params, on);
  if ("errors" in read) {
    const errors = read.errors.map((error) => ({ ...error, pointer: error.pointer.replace(/^#?/, "#/params") }));
    throw new Problem("validation_failed", "The params do not fit the tool.", { errors });
  }
  return {
    region: scope.region,
    organizationId: tool.organizationId,
    projectId: tool.projectId,
    work: { kind: "tool", id: tool.id, version, definition },
    params: read.params,
    source: { kind: "call" },
    startedBy: scope.actor.userId,
    keyId: scope.actor.keyId,
    now: scope.now(),
  };
}
