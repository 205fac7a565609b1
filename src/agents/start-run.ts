import { Problem } from "../kernel/problem.ts";
import { queueRun, type RunStart } from "../runs/start-run.ts";
import type { Db } from "../store/db.ts";
import { definitionFor, requireTool } from "../tools/tools.ts";
import type { ToolToRun } from "./loop/plan.ts";
import type { Models } from "./models/model.ts";

/** What events need of runs: which tool it is, whether there is a model to ask, and starting the one or the other. */
export interface ToolDoor {
  /** As it would run now; null where the project has no such tool. */
  find(db: Db, projectId: string, toolId: string): Promise<ToolToRun | null>;
  /** Whether this server has the model that an agent names. */
  hasModel(name: string | null): boolean;
  /** Queues a run in the caller's transaction, and answers its id. */
  queue(db: Db, start: RunStart): Promise<string>;
  /** Runs were queued and are durable: look now. */
  wake(): void;
}

const keptMax = 1_000;

export function createToolDoor(wake: () => void, models: Pick<Models, "find">): ToolDoor {
  /** As it was at its revision: one value for all runs of it, so that its schema is made ready for checking once. */
  const kept = new Map<string, { revision: number; tool: ToolToRun }>();
  return {
    async find(db, projectId, toolId) {
      const tool = await requireTool(db, projectId, toolId).catch(absentAsNull);
      if (!tool) return null;
      const known = kept.get(tool.id);
      if (known?.revision === tool.revision) return known.tool;
      const toRun = { id: tool.id, ...(await definitionFor(db, tool)) };
      if (kept.size >= keptMax) kept.clear();
      kept.set(tool.id, { revision: tool.revision, tool: toRun });
      return toRun;
    },
    hasModel: (name) => !("missing" in models.find(name)),
    queue: queueRun,
    wake,
  };
}

function absentAsNull(error: unknown): null {
  if (error instanceof Problem && error.code === "tool_not_found") return null;
  throw error;
}
