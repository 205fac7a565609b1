import type { Db, Value } from "../../store/db.ts";
import { copyLarge, isLarge, outputColumns, readLarge, saveLarge, textOf } from "../record/large-outputs.ts";
import { hasLargeOutput, type StepRecord, type StepRow, toRecord } from "./step-record.ts";

const stepRows = (db: Db, runId: string, more = ""): Promise<StepRow[]> =>
  db.query<StepRow>(`select * from run_steps where run_id = $1 ${more} order by position, turn`, [runId]);

async function withOutputs(db: Db, runId: string, rows: readonly StepRow[]): Promise<StepRecord[]> {
  const records: StepRecord[] = [];
  for (const row of rows) {
    const record = toRecord(row);
    records.push(hasLargeOutput(row) ? { ...record, output: await readLarge(db, runId, record) } : record);
  }
  return records;
}

/**
 * All records of a run, with their outputs, however large: a worker continues from these. The output of a finished
 * foreach holds those of its iterations, which are left out.
 */
export async function listStepRecords(db: Db, runId: string): Promise<StepRecord[]> {
  const rows = await stepRows(db, runId);
  const whole = new Set(rows.filter((row) => row.turn < 0 && row.finished_at !== null).map(({ position }) => position));
  const bare = { input: null, output: null, output_bytes: 0 };
  return withOutputs(
    db,
    runId,
    rows.map((row) => (row.turn >= 0 && whole.has(row.position) ? { ...row, ...bare } : row)),
  );
}

/** The records of steps that have not ended. */
export const listOpenRecords = async (db: Db, runId: string): Promise<StepRecord[]> =>
  withOutputs(db, runId, await stepRows(db, runId, "and finished_at is null"));

/** Returns the places of the deleted records. */
export const deleteOpenRecords = (db: Db, runId: string): Promise<{ position: number; turn: number }[]> =>
  db.query("delete from run_steps where run_id = $1 and finished_at is null returning position, turn", [runId]);

/** All records, without inputs and outputs. */
export async function listBareRecords(db: Db, runId: string): Promise<StepRecord[]> {
  const rows = await db.query<StepRow>(
    `select run_id, position, turn, name, step_id, connection_id, status, null as input, null as output, 0 as output_bytes,
            warnings, problem, attempts, '[]' as written, tries, looks, started_at, finished_at, fence
       from run_steps where run_id = $1 order by position, turn`,
    [runId],
  );
  return rows.map(toRecord);
}

/** The size of all records in characters, without reading them. */
export async function weighStepRecords(db: Db, runId: string): Promise<number> {
  const [row] = await db.query<{ weight: number | string | null }>(
    "select sum(output_bytes + coalesce(length(input), 0) + length(written)) as weight from run_steps where run_id = $1",
    [runId],
  );
  return Number(row?.weight ?? 0);
}

/** The size of the outputs that a caller is shown: those of steps, without those of iterations. */
export async function weighStepOutputs(db: Db, runId: string): Promise<number> {
  const [row] = await db.query<{ weight: number | string | null }>(
    "select sum(output_bytes) as weight from run_steps where run_id = $1 and turn < 0",
    [runId],
  );
  return Number(row?.weight ?? 0);
}

/** Copies the steps before a position into another run, except one. The database copies them by itself. */
export async function copyStepRecords(
  db: Db,
  from: string,
  to: string,
  { before, but }: { before: number; but: number },
): Promise<void> {
  const copied = columns.replace("run_id", "$1");
  await db.query(
    `insert into run_steps (${columns}) select ${copied} from run_steps where run_id = $2 and position < $3 and position <> $4`,
    [to, from, before, but],
  );
  await copyLarge(db, from, to, { before, but });
}

const columns = `run_id, position, turn, name, step_id, connection_id, status, input, output, output_bytes, warnings, problem,
  attempts, written, tries, started_at, finished_at, looks`;

const marks = Array.from({ length: 18 }, (_, index) => `$${index + 1}`).join(", ");

const overwrite = `on conflict (run_id, position, turn) do update set status = excluded.status, input = excluded.input,
  output = excluded.output, output_bytes = excluded.output_bytes, warnings = excluded.warnings, problem = excluded.problem,
  attempts = excluded.attempts, written = excluded.written, tries = excluded.tries, finished_at = excluded.finished_at,
  looks = excluded.looks, started_at = excluded.started_at`;

const outputText = ({ output }: StepRecord): string | null =>
  output === undefined || output === null ? null : textOf(output);

const listText = (list: readonly unknown[]): string => (list.length === 0 ? "[]" : JSON.stringify(list));

function valuesOf(record: StepRecord, output: string | null): Value[] {
  return [
    record.runId,
    record.position,
    record.turn,
    record.name,
    record.stepId,
    record.connectionId,
    record.status,
    record.input === undefined || record.input === null ? null : JSON.stringify(record.input),
    ...outputColumns(output),
    listText(record.warnings),
    record.problem === null ? null : JSON.stringify(record.problem),
    listText(record.attempts),
    listText(record.written),
    record.tries,
    record.startedAt,
    record.finishedAt,
    record.probes,
  ];
}

/** Saves what a person decided about a step, in the transaction of their change. */
export async function putStepRecord(db: Db, record: StepRecord): Promise<void> {
  const output = outputText(record);
  await db.query(`insert into run_steps (${columns}) values (${marks}) ${overwrite}`, valuesOf(record, output));
  if (isLarge(output)) await saveLarge(db, record.runId, record, output);
}

/** So many records are written by one statement at most. Each number of them has its own text, which stays prepared. */
const recordsAtOnce = 16;
const lastColumns = `${columns}, fence`;

function lastText(count: number): string {
  const width = lastColumns.split(",").length;
  const marksOf = (row: number) =>
    Array.from({ length: width }, (_, index) => `$${row * width + index + 1}`).join(", ");
  const rows = Array.from({ length: count }, (_, row) => `(${marksOf(row)})`).join(", ");
  return `insert into run_steps (${lastColumns}) values ${rows} ${overwrite}, fence = excluded.fence`;
}
const lastTexts = Array.from({ length: recordsAtOnce + 1 }, (_, count) => lastText(count));

/** Saves the worker's last steps. Leaving the run in the same transaction has checked the claim. */
export async function putLastRecords(db: Db, records: readonly StepRecord[], fence: number): Promise<void> {
  for (let from = 0; from < records.length; from += recordsAtOnce) {
    const some = records.slice(from, from + recordsAtOnce).map((record) => ({ record, output: outputText(record) }));
    const values = some.flatMap(({ record, output }) => [...valuesOf(record, output), fence]);
    await db.query(lastTexts[some.length] ?? lastText(some.length), values);
    for (const { record, output } of some) {
      if (isLarge(output)) await saveLarge(db, record.runId, record, output);
    }
  }
}

/**
 * Saves what a worker has done, if it still holds the run. The statement locks the run's row, so no other worker can
 * claim it meanwhile. Returns whether the worker held the run.
 */
export async function putOwnRecord(
  db: Db,
  record: StepRecord,
  claim: { worker: string; fence: number },
): Promise<boolean> {
  const output = outputText(record);
  const rows = await db.query(
    `insert into run_steps (${columns}, fence)
     select ${marks}, $20 from runs where id = $1 and worker = $19 and fence = $20 and status = 'running' ${db.lockRow}
     ${overwrite}, fence = excluded.fence
     returning run_id`,
    [...valuesOf(record, output), claim.worker, claim.fence],
  );
  if (rows.length > 0 && isLarge(output)) await saveLarge(db, record.runId, record, output);
  return rows.length > 0;
}
