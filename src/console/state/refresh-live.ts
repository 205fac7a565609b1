import type { Query, QueryClient } from "@tanstack/react-query";
import type { Path } from "../../client/wire.ts";
import type { Changes } from "./event-stream.ts";

const runLists: Path = "/latest/runs/list";
const oneRun: Path = "/latest/runs/{run_id}/get";
const connectionLists: Path = "/latest/connections/list";
const oneConnection: Path = "/latest/connections/{connection_id}/get";

const pauseMilliseconds = 250;

/** Reads again what changes touch. Changes that come during a read are gathered, and a read that takes long is repeated less often. */
export function createRefresher(projectId: string, client: QueryClient): { add(changes: Changes): void; stop(): void } {
  let waiting: Changes | null = null;
  let isBusy = false;
  let isStopped = false;

  async function refresh(changes: Changes): Promise<void> {
    const predicate = (query: Query) => query.queryKey[0] === projectId && isTouched(query, changes);
    // A read that began before the change may show the state before it, so it is repeated once it has ended.
    const wasReading = client.isFetching({ predicate }) > 0;
    await client.invalidateQueries({ predicate }, { cancelRefetch: false });
    if (wasReading && !isStopped) await client.invalidateQueries({ predicate }, { cancelRefetch: false });
  }

  async function work(): Promise<void> {
    isBusy = true;
    while (waiting && !isStopped) {
      const changes = waiting;
      waiting = null;
      const startedAt = performance.now();
      await refresh(changes).catch(() => {});
      await new Promise((resolve) =>
        setTimeout(resolve, Math.max(pauseMilliseconds, 2 * (performance.now() - startedAt))),
      );
    }
    isBusy = false;
  }

  return {
    add(changes) {
      if (changes.runs?.length === 0 && changes.connections?.length === 0) return;
      waiting = waiting ? together(waiting, changes) : changes;
      if (!isBusy) void work();
    },
    stop() {
      isStopped = true;
    },
  };
}

/** A list that was loaded page by page is left alone: its first page is read beside it. */
export function isTouched({ queryKey }: Pick<Query, "queryKey">, { runs, connections }: Changes): boolean {
  const [, path, input] = queryKey as [string, Path, Record<string, unknown> | undefined];
  const isOneOf = (ids: string[] | null, id: unknown) => ids === null || ids.includes(String(id));
  if (path === runLists) return runs?.length !== 0 && input?.paged !== true;
  if (path === oneRun) return isOneOf(runs, input?.run_id);
  if (path === connectionLists) return connections?.length !== 0;
  if (path === oneConnection) return isOneOf(connections, input?.connection_id);
  return false;
}

const together = (first: Changes, second: Changes): Changes => ({
  runs: union(first.runs, second.runs),
  connections: union(first.connections, second.connections),
});

const union = (first: string[] | null, second: string[] | null): string[] | null =>
  first === null || second === null ? null : [...new Set([...first, ...second])];
