import { readSeenRuns, type SeenRun } from "../../runs/runs.ts";
import type { Db } from "../../store/db.ts";
import { readPublishedVersions } from "../../tools/tools.ts";
import { listSeenConnections } from "../../vault/connections.ts";

/** What can be seen of a project's runs, connections and published tools, by their ids. A text changes with what it stands for. */
export interface ProjectState {
  runs: Map<string, SeenRun>;
  connections: Map<string, string>;
  tools: Map<string, string>;
}

export async function readProjectState(db: Db, projectId: string): Promise<ProjectState> {
  const runs = await readSeenRuns(db, projectId);
  const connections = await listSeenConnections(db, projectId);
  const versions = await readPublishedVersions(db, projectId);
  return {
    runs,
    connections: new Map(connections.map(({ id, revision, state }) => [id, `${revision} ${state}`])),
    tools: new Map([...versions].map(([id, version]) => [id, String(version)])),
  };
}
