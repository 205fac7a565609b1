import type { Db, Row, Store } from "../store/db.ts";
import { type ExpiringTable, searchedTo, withSameMark } from "../store/expiring-tables.ts";
import {
  deleteOneLargeOutput,
  deleteRemains,
  deleteRuns,
  deleteSomeSteps,
  type EndedRun,
  findEnded,
  findRemains,
  lastRunsOfSchedules,
  liveConversations,
  lockEnded,
  openAmong,
  readRowsOf,
  readRunRow,
  storedEvents,
} from "./expired-runs.store.ts";
import type { RunSource } from "./record/run-record.ts";

/** Ended runs of a project, with their steps, attempts and outputs. */
export const expiredRuns: ExpiringTable = {
  async find(db, projectId, page) {
    const ended = await findEnded(db, projectId, page);
    return { rows: await unreferenced(db, projectId, ended, page.before), searchedTo: searchedTo(ended, page.limit) };
  },
  async unchanged(db, projectId, rows, before) {
    const ids = rows.map(({ id }) => id);
    const ended = await unreferenced(db, projectId, await lockEnded(db, projectId, ids, before), before);
    return withSameMark(rows, ended);
  },
  remove: deleteRuns,
  async *read(db, id) {
    const row = await readRunRow(db, id);
    if (row) yield { table: "runs", row };
    yield* rowsOf(db, "run_steps", id, stepsAtOnce);
    yield* rowsOf(db, "large_outputs", id, 1);
  },
};

const stepsAtOnce = 20;

async function* rowsOf(
  db: Db,
  table: "run_steps" | "large_outputs",
  runId: string,
  limit: number,
): AsyncGenerator<{ table: string; row: Row }> {
  let last = { position: -2, turn: -2 };
  for (;;) {
    const rows = await readRowsOf(db, table, runId, last, limit);
    for (const row of rows) yield { table, row };
    const end = rows.at(-1);
    if (!end || rows.length < limit) return;
    last = { position: Number(end.position), turn: Number(end.turn) };
  }
}

/**
 * Without runs that something refers to: an agent's open run its calls, a stored event the runs that it started, a
 * schedule its last run, and a conversation that is still used its history.
 */
async function unreferenced(db: Db, projectId: string, runs: EndedRun[], before: string): Promise<EndedRun[]> {
  if (runs.length === 0) return [];
  const sources = new Map(runs.map(({ id, source }) => [id, readSource(source)]));
  const named = (kind: RunSource["kind"]): string[] => [
    ...new Set([...sources.values()].flatMap((source) => (source.kind === kind && source.id ? [source.id] : []))),
  ];
  const conversations = [...new Set(runs.flatMap(({ conversationId }) => conversationId ?? []))];
  const live = await liveConversations(db, conversations, before);
  const parents = await openAmong(db, named("agent"));
  const events = await storedEvents(db, named("event"));
  const last = await lastRunsOfSchedules(db, projectId);
  return runs.filter(({ id, conversationId }) => {
    const source = sources.get(id);
    const from = source?.id ?? "";
    if (conversationId !== null && live.has(conversationId)) return false;
    return !parents.has(from) && !events.has(from) && !last.has(id);
  });
}

const readSource = (text: string | null): RunSource =>
  text === null ? { kind: "call" } : (JSON.parse(text) as RunSource);

const stepsDeletedAtOnce = 50;

/**
 * Deletes the next few steps, or one large output, of deleted runs. Returns how many rows, or null if none remain.
 */
export async function deleteSomeRemains(store: Store): Promise<number | null> {
  const runId = await findRemains(store);
  if (runId === null) return null;
  return store.transaction(async (db) => {
    const steps = await deleteSomeSteps(db, runId, stepsDeletedAtOnce);
    if (steps > 0) return steps;
    const outputs = await deleteOneLargeOutput(db, runId);
    if (outputs === 0) await deleteRemains(db, runId);
    return outputs;
  });
}
