import { Problem } from "../kernel/problem.ts";
import { queueRun, type RunStart } from "../runs/queue/start-run.ts";
import type { Db } from "../store/db.ts";
import { definitionFor, requireTool } from "../tools/tools.ts";
import type { ToolToRun } from "./loop/plan.ts";
import type { Models } from "./models/model.ts";

/** What events need to start runs: the tool, whether the server has the agent's model, and the queue. */
export interface RunStarter {
  /** The tool as it would run now; null if the project has no such tool. */
  find(db: Db, projectId: string, toolId: string): Promise<ToolToRun | null>;
  /** Whether this server has the model that an agent names. */
  hasModel(name: string | null): boolean;
  /** Queues a run in the caller's transaction and returns its id. */
  queue(db: Db, start: RunStart): Promise<string>;
  /** Runs were queued and committed: claim now. */
  wake(): void;
}

const cachedMax = 1_000;

export function createRunStarter(wake: () => void, models: Pick<Models, "find">): RunStarter {
  /** By tool, at its revision: all runs share one value, so its schema is compiled once. */
  const cache = new Map<string, { revision: number; tool: ToolToRun }>();
  return {
    async find(db, projectId, toolId) {
      const tool = await requireTool(db, projectId, toolId).catch(absentAsNull);
      if (!tool) return null;
      const known = cache.get(tool.id);
      if (known?.revision === tool.revision) return known.tool;
      const toRun = { id: tool.id, ...(await definitionFor(db, tool)) };
      if (cache.size >= cachedMax) cache.clear();
      cache.set(tool.id, { revision: tool.revision, tool: toRun });
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
