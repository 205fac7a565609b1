import type { Attempt } from "../../steps/ports.ts";
import type { Db, Value } from "../../store/db.ts";
import type { StepProblem } from "../../systems/problems.ts";
import type { Answer } from "../../systems/work.ts";
import { copyLarge } from "./large-outputs.store.ts";
import {
  inRow,
  isLarge,
  keepLarge,
  type LargeOutput,
  largeAt,
  previewCharacters,
  readLarge,
  textOf,
} from "./large-outputs.ts";

export type StepStatus = "running" | "waiting" | "succeeded" | "failed" | "skipped" | "outcome_unknown";

/** One step of a run, or one round of a step that is repeated. */
export interface StepRecord {
  runId: string;
  position: number;
  /** The round of a foreach; -1 for the step as a whole. */
  turn: number;
  name: string;
  stepId: string;
  connectionId: string | null;
  status: StepStatus;
  input: unknown;
  output: unknown;
  warnings: string[];
  problem: StepProblem | null;
  attempts: readonly Attempt[];
  /** Answers of requests that changed something, in the order in which they were sent. */
  written: readonly Answer[];
  /** How often it was taken up again. */
  tries: number;
  /** How often the system was asked whether a write has happened whose answer was lost. */
  looks: number;
  startedAt: string;
  finishedAt: string | null;
  /** The fence of the claim under which it was last kept, as far as a worker has. */
  fence?: number;
}

interface StepRow {
  run_id: string;
  position: number;
  turn: number;
  name: string;
  step_id: string;
  connection_id: string | null;
  status: string;
  input: string | null;
  output: string | null;
  output_bytes: number;
  warnings: string;
  problem: string | null;
  attempts: string;
  written: string;
  tries: number;
  looks: number;
  started_at: string;
  finished_at: string | null;
  fence: number;
}

const toRecord = (row: StepRow): StepRecord => ({
  runId: row.run_id,
  position: row.position,
  turn: row.turn,
  name: row.name,
  stepId: row.step_id,
  connectionId: row.connection_id,
  status: row.status as StepStatus,
  input: row.input === null ? null : JSON.parse(row.input),
  output: row.output === null ? null : JSON.parse(row.output),
  warnings: JSON.parse(row.warnings) as string[],
  problem: row.problem === null ? null : (JSON.parse(row.problem) as StepProblem),
  attempts: JSON.parse(row.attempts) as Attempt[],
  written: JSON.parse(row.written) as Answer[],
  tries: row.tries,
  looks: row.looks,
  startedAt: row.started_at,
  finishedAt: row.finished_at,
  fence: row.fence,
});

const liesApart = ({ output, output_bytes }: StepRow): boolean => output === null && output_bytes > 0;

const stepRows = (db: Db, runId: string, more = ""): Promise<StepRow[]> =>
  db.query<StepRow>(`select * from run_steps where run_id = $1 ${more} order by position, turn`, [runId]);

async function withOutputs(db: Db, runId: string, rows: readonly StepRow[]): Promise<StepRecord[]> {
  const records: StepRecord[] = [];
  for (const row of rows) {
    const record = toRecord(row);
    records.push(liesApart(row) ? { ...record, output: await readLarge(db, runId, record) } : record);
  }
  return records;
}

/**
 * With everything that its steps gave, however large: a run goes on from these. What single rounds gave is left out where it
 * stands in the whole.
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

/** Those that have not come to their end. */
export const listOpenRecords = async (db: Db, runId: string): Promise<StepRecord[]> =>
  withOutputs(db, runId, await stepRows(db, runId, "and finished_at is null"));

/** How each stands, without what it was given and gave. */
export async function listBareRecords(db: Db, runId: string): Promise<StepRecord[]> {
  const rows = await db.query<StepRow>(
    `select run_id, position, turn, name, step_id, connection_id, status, null as input, null as output, 0 as output_bytes,
            warnings, problem, attempts, '[]' as written, tries, looks, started_at, finished_at, fence
       from run_steps where run_id = $1 order by position, turn`,
    [runId],
  );
  return rows.map(toRecord);
}

/** How much all of it is, in characters, before any of it is read. */
export async function weighStepRecords(db: Db, runId: string): Promise<number> {
  const [row] = await db.query<{ weight: number | string | null }>(
    "select sum(output_bytes + coalesce(length(input), 0) + length(written)) as weight from run_steps where run_id = $1",
    [runId],
  );
  return Number(row?.weight ?? 0);
}

/** The same of what whoever waited for the run is shown: outputs of steps, and not of their rounds. */
export async function weighStepOutputs(db: Db, runId: string): Promise<number> {
  const [row] = await db.query<{ weight: number | string | null }>(
    "select sum(output_bytes) as weight from run_steps where run_id = $1 and turn < 0",
    [runId],
  );
  return Number(row?.weight ?? 0);
}

/** Takes the steps before a position over into another run, but for one of them. Nothing of it passes through this process. */
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

/** A record to look at, and not to go on from: of an output that lies apart, or would be too much, it has the beginning. */
export interface ShownRecord extends StepRecord {
  large?: LargeOutput | undefined;
  /** It has attempts that are not here, because those before it are as many as can be looked at in one go. */
  hasMoreAttempts?: boolean;
}

interface ShownRow extends StepRow {
  beginning: string | null;
  more_attempts: number;
}

/** A hundred steps with a thousand rounds each are more than anybody reads, and more than one answer may cost. */
const shownOutputBytesMax = 2 * 1024 * 1024;
const shownAttemptCharactersMax = 2 * 1024 * 1024;

export async function listShownRecords(db: Db, runId: string): Promise<ShownRecord[]> {
  // What each was given, what it may go on from, and what single rounds gave is shown nowhere, and may be megabytes each.
  const rows = await db.query<ShownRow>(
    `select run_id, position, turn, name, step_id, connection_id, status, null as input,
            case when turn < 0 and output_so_far <= $2 then output end as output,
            case when turn < 0 then output_bytes else 0 end as output_bytes,
            case when turn < 0 and output_so_far > $2 then substr(output, 1, ${previewCharacters}) end as beginning,
            warnings, problem,
            case when attempts_so_far <= $3 then attempts else '[]' end as attempts,
            case when attempts_so_far <= $3 then 0 else 1 end as more_attempts,
            '[]' as written, tries, looks, started_at, finished_at, fence
       from (select run_steps.*,
                    sum(case when output is null or turn >= 0 then 0 else output_bytes end)
                      over (order by position, turn) as output_so_far,
                    sum(length(attempts)) over (order by position, turn) as attempts_so_far
               from run_steps where run_id = $1) as added_up
      order by position, turn`,
    [runId, shownOutputBytesMax, shownAttemptCharactersMax],
  );
  const large = rows.some(liesApart) ? await largeAt(db, runId) : () => undefined;
  return rows.map((row) => ({
    ...toRecord(row),
    large: row.beginning === null ? (liesApart(row) ? large(row) : undefined) : beginningOf(row, row.beginning),
    hasMoreAttempts: row.more_attempts === 1,
  }));
}

const beginningOf = ({ position, turn, output_bytes: bytes }: ShownRow, preview: string): LargeOutput => ({
  position,
  turn,
  bytes,
  preview,
});

const columns = `run_id, position, turn, name, step_id, connection_id, status, input, output, output_bytes, warnings, problem,
  attempts, written, tries, started_at, finished_at, looks`;

const marks = Array.from({ length: 18 }, (_, index) => `$${index + 1}`).join(", ");

const overwrite = `on conflict (run_id, position, turn) do update set status = excluded.status, input = excluded.input,
  output = excluded.output, output_bytes = excluded.output_bytes, warnings = excluded.warnings, problem = excluded.problem,
  attempts = excluded.attempts, written = excluded.written, tries = excluded.tries, finished_at = excluded.finished_at,
  looks = excluded.looks`;

const outputText = ({ output }: StepRecord): string | null =>
  output === undefined || output === null ? null : textOf(output);

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
    ...inRow(output),
    JSON.stringify(record.warnings),
    record.problem === null ? null : JSON.stringify(record.problem),
    JSON.stringify(record.attempts),
    JSON.stringify(record.written),
    record.tries,
    record.startedAt,
    record.finishedAt,
    record.looks,
  ];
}

/** What a person says about a step, in the transaction of their change. */
export async function putStepRecord(db: Db, record: StepRecord): Promise<void> {
  const output = outputText(record);
  await db.query(`insert into run_steps (${columns}) values (${marks}) ${overwrite}`, valuesOf(record, output));
  if (isLarge(output)) await keepLarge(db, record.runId, record, output);
}

/** The last that a worker has done, behind the run's leaving it in the same transaction, which proves that it was its own. */
export async function putLastRecord(db: Db, record: StepRecord, fence: number): Promise<void> {
  const output = outputText(record);
  await db.query(
    `insert into run_steps (${columns}, fence) values (${marks}, $19) ${overwrite}, fence = excluded.fence`,
    [...valuesOf(record, output), fence],
  );
  if (isLarge(output)) await keepLarge(db, record.runId, record, output);
}

/**
 * What a worker has done, if the run is still its own: the run's row is locked with it, so nobody claims it in between.
 * Answers whether it was.
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
  if (rows.length > 0 && isLarge(output)) await keepLarge(db, record.runId, record, output);
  return rows.length > 0;
}
