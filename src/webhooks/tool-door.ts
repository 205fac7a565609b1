import { Problem } from "../kernel/problem.ts";
import { queueRun, type RunStart } from "../runs/start-run.ts";
import { definitionFor, requireTool } from "../runs/tools.ts";
import type { Db } from "../store/db.ts";

export type ToolToRun = RunStart["tool"];

/** What rules need of tools: which one it is, and starting it. */
export interface ToolDoor {
  /** As it would run now; null where the project has no such tool. */
  find(db: Db, projectId: string, toolId: string): Promise<ToolToRun | null>;
  /** Queues a run in the caller's transaction, and answers its id. */
  queue(db: Db, start: RunStart): Promise<string>;
  /** Runs were queued and are durable: look now. */
  wake(): void;
}

export const createToolDoor = (wake: () => void): ToolDoor => ({
  async find(db, projectId, toolId) {
    try {
      const tool = await requireTool(db, projectId, toolId);
      return { id: tool.id, ...(await definitionFor(db, tool)) };
    } catch (error) {
      if (error instanceof Problem && error.code === "tool_not_found") return null;
      throw error;
    }
  },
  queue: queueRun,
  wake,
});
