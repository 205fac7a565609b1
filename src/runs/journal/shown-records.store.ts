import type { Db } from "../../store/db.ts";
import { type LargeOutput, previewCharacters, readLargePreviews } from "../record/large-outputs.ts";
import { hasLargeOutput, type StepRecord, type StepRow, toRecord } from "./step-record.ts";

/** A record to show. Of a large output it has only the preview. */
export interface ShownRecord extends StepRecord {
  large?: LargeOutput | undefined;
  /** Its attempts are left out, because the records before it fill what one response may hold. */
  hasMoreAttempts?: boolean;
}

interface ShownRow extends StepRow {
  beginning: string | null;
  more_attempts: number;
}

/** Bounds one response: a run may have a hundred steps with a thousand iterations each. */
const shownOutputBytesMax = 2 * 1024 * 1024;
const shownAttemptCharactersMax = 2 * 1024 * 1024;

export async function listShownRecords(db: Db, runId: string): Promise<ShownRecord[]> {
  // Inputs, written answers and outputs of iterations are not shown, and may be megabytes each.
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
  const large = rows.some(hasLargeOutput) ? await readLargePreviews(db, runId) : () => undefined;
  return rows.map((row) => ({
    ...toRecord(row),
    large: row.beginning === null ? (hasLargeOutput(row) ? large(row) : undefined) : beginningOf(row, row.beginning),
    hasMoreAttempts: row.more_attempts === 1,
  }));
}

const beginningOf = ({ position, turn, output_bytes: bytes }: ShownRow, preview: string): LargeOutput => ({
  position,
  turn,
  bytes,
  preview,
});
