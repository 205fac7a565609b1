import type { Db } from "../../store/db.ts";

/** Identifies an output: of a step, of one of its iterations, or of the run itself. */
export interface OutputKey {
  position: number;
  turn: number;
}

/** What is shown of an output that is stored outside its row. */
export interface LargeOutput extends OutputKey {
  bytes: number;
  /** The beginning of its JSON. */
  preview: string;
}

export async function putLarge(
  db: Db,
  runId: string,
  { position, turn, bytes, preview }: LargeOutput,
  output: string,
): Promise<void> {
  await db.query(
    `insert into large_outputs (run_id, position, turn, bytes, preview, output) values ($1, $2, $3, $4, $5, $6)
     on conflict (run_id, position, turn) do update
        set bytes = excluded.bytes, preview = excluded.preview, output = excluded.output`,
    [runId, position, turn, bytes, preview, output],
  );
}

/** Copies the outputs of the steps before a position, except one. */
export async function copyLarge(
  db: Db,
  from: string,
  to: string,
  { before, but }: { before: number; but: number },
): Promise<void> {
  await db.query(
    `insert into large_outputs (run_id, position, turn, bytes, preview, output)
     select $1, position, turn, bytes, preview, output from large_outputs
      where run_id = $2 and position >= 0 and position < $3 and position <> $4`,
    [to, from, before, but],
  );
}

/** Without the outputs themselves. */
export const listLarge = (db: Db, runId: string): Promise<LargeOutput[]> =>
  db.query<LargeOutput>("select position, turn, bytes, preview from large_outputs where run_id = $1", [runId]);

export async function findLarge(db: Db, runId: string, { position, turn }: OutputKey): Promise<string | null> {
  const [row] = await db.query<{ output: string }>(
    "select output from large_outputs where run_id = $1 and position = $2 and turn = $3",
    [runId, position, turn],
  );
  return row?.output ?? null;
}

/** An output in its row, left out of a response only because of its neighbours' size. */
export async function findInRow(db: Db, runId: string, { position, turn }: OutputKey): Promise<string | null> {
  const [row] = await db.query<{ output: string | null }>(
    "select output from run_steps where run_id = $1 and position = $2 and turn = $3",
    [runId, position, turn],
  );
  return row?.output ?? null;
}
