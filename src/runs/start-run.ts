import { newId } from "../kernel/ids.ts";
import type { Region } from "../kernel/regions.ts";
import type { Db } from "../store/db.ts";
import type { ToolDefinition } from "../tools/definition.ts";
import { insertToolRun, type RunSource, type ToolRun } from "./queue/queue.ts";

export interface RunStart {
  region: Region;
  organizationId: string;
  projectId: string;
  tool: { id: string | null; version: number | null; definition: ToolDefinition };
  params: unknown;
  source: RunSource;
  startedBy: string;
  keyId: string | null;
  now: Date;
}

/** A run that is due at once. */
export const newToolRun = (start: RunStart): ToolRun => ({
  id: newId("run", start.region),
  organizationId: start.organizationId,
  projectId: start.projectId,
  toolId: start.tool.id,
  toolVersion: start.tool.version,
  definition: start.tool.definition,
  status: "queued",
  params: start.params,
  output: null,
  problem: null,
  waitingFor: null,
  source: start.source,
  startedBy: start.startedBy,
  keyId: start.keyId,
  createdAt: start.now.toISOString(),
  finishedAt: null,
  runAt: start.now.toISOString(),
  fence: 0,
  claimsWithoutProgress: 0,
  failures: 0,
  cancelAsked: false,
});

/** Inserts it in the caller's transaction, and answers its id; wake the worker once that is committed. */
export async function queueRun(db: Db, start: RunStart): Promise<string> {
  const run = newToolRun(start);
  await insertToolRun(db, run, null);
  return run.id;
}
