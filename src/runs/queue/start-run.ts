import { newId } from "../../kernel/ids.ts";
import type { Region } from "../../kernel/regions.ts";
import { isoTime } from "../../kernel/times.ts";
import { traceToKeep } from "../../kernel/tracing.ts";
import { isLarge, writeInSlices } from "../../kernel/write-in-slices.ts";
import type { Db } from "../../store/db.ts";
import { storeLargeText } from "../../store/large-texts.ts";
import { rememberText } from "../record/large-outputs.ts";
import { type PlannedRun, type PlannedWork, type Run, type RunSource, withWork } from "../record/run-record.ts";
import { insertPlannedRun } from "./queue.ts";

export interface RunStart {
  region: Region;
  organizationId: string;
  projectId: string;
  work: PlannedWork;
  params: unknown;
  source: RunSource;
  startedBy: string;
  keyId: string | null;
  now: Date;
}

/** A run that is due at once. */
export const newRun = (start: RunStart): PlannedRun => withWork(runOf(start), start.work);

const runOf = (start: RunStart): Run => ({
  id: newId("run", start.region),
  organizationId: start.organizationId,
  projectId: start.projectId,
  work: start.work,
  status: "queued",
  params: start.params,
  output: null,
  outputBytes: 0,
  problem: null,
  waitingFor: null,
  source: start.source,
  trace: traceToKeep(),
  startedBy: start.startedBy,
  keyId: start.keyId,
  createdAt: isoTime(start.now),
  finishedAt: null,
  runAt: isoTime(start.now),
  worker: null,
  leaseUntil: null,
  fence: 0,
  claimsWithoutProgress: 0,
  failures: 0,
  cancelAsked: false,
  attempts: [],
  warnings: [],
  limits: [],
});

/**
 * Serializes large params, and stores them for each of the rows that will have them, before the transaction of these rows
 * and with turns of the event loop in between.
 */
export async function storeLargeParams(db: Db, params: unknown, now: Date, rows = 1): Promise<void> {
  if (!isLarge(params)) return;
  const text = await writeInSlices(params);
  const references: string[] = [];
  for (let row = 0; row < rows; row++) references.push(await storeLargeText(db, text, now));
  await rememberText(params, text, { references });
}

/** Inserts a run in the caller's transaction and returns its id. Wake the worker after the commit. */
export async function queueRun(db: Db, start: RunStart): Promise<string> {
  const run = newRun(start);
  await insertPlannedRun(db, run);
  return run.id;
}
