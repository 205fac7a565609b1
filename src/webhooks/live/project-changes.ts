import { createHash } from "node:crypto";
import type { ProjectState } from "./project-state.ts";

/** What changed in a project. Null: more than can be listed, so everything of that kind may have changed. */
export interface Changes {
  runs: string[] | null;
  connections: string[] | null;
  /** Tools that were published, or deleted. */
  tools: string[] | null;
}

export const nothing: Changes = { runs: [], connections: [], tools: [] };
export const everything: Changes = { runs: null, connections: null, tools: null };

const listedMax = 100;

export function changesBetween(before: ProjectState, after: ProjectState): Changes {
  const runs = [...after.runs].filter(([id, { seen }]) => before.runs.get(id)?.seen !== seen).map(([id]) => id);
  // An ended run that is no longer among the newest has not changed. An open one that is gone has ended.
  for (const [id, { hasEnded }] of before.runs) if (!hasEnded && !after.runs.has(id)) runs.push(id);
  const connections = [...after.connections].filter(([id, seen]) => before.connections.get(id) !== seen);
  return {
    runs: listed(runs),
    connections: listed(connections.map(([id]) => id)),
    tools: listed(changedTools(before.tools, after.tools)),
  };
}

function changedTools(before: ProjectState["tools"], after: ProjectState["tools"]): string[] {
  const ids = new Set([...before.keys(), ...after.keys()]);
  return [...ids].filter((id) => before.get(id) !== after.get(id));
}

export const isNothing = ({ runs, connections, tools }: Changes): boolean =>
  runs?.length === 0 && connections?.length === 0 && tools?.length === 0;

/** Both, as one. */
export const together = (first: Changes, second: Changes): Changes => ({
  runs: union(first.runs, second.runs),
  connections: union(first.connections, second.connections),
  tools: union(first.tools, second.tools),
});

const union = (first: string[] | null, second: string[] | null): string[] | null =>
  first === null || second === null ? null : listed([...new Set([...first, ...second])]);

const listed = (ids: string[]): string[] | null => (ids.length > listedMax ? null : ids);

/** The same on every node: a caller who returns to another node learns whether anything has changed meanwhile. */
export function cursorOf({ runs, connections, tools }: ProjectState): string {
  const hash = createHash("sha256");
  for (const [id, { seen }] of [...runs].sort(([a], [b]) => (a < b ? -1 : 1))) hash.update(`${id} ${seen}\n`);
  for (const [id, seen] of [...connections, ...tools]) hash.update(`${id} ${seen}\n`);
  return hash.digest("base64url").slice(0, 22);
}
