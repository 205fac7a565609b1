import type { Db } from "../../store/db.ts";

/** Where an output belongs: to a step, to one of its rounds, or to the run itself. */
export interface OutputPlace {
  position: number;
  turn: number;
}

/** What is shown of an output that lies apart. */
export interface LargeOutput extends OutputPlace {
  bytes: number;
  /** How its JSON begins. */
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

/** Those of the steps before a position, but for one of them. */
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

export async function findLarge(db: Db, runId: string, { position, turn }: OutputPlace): Promise<string | null> {
  const [row] = await db.query<{ output: string }>(
    "select output from large_outputs where run_id = $1 and position = $2 and turn = $3",
    [runId, position, turn],
  );
  return row?.output ?? null;
}

/** The output of a step that lies with its record, and was only too much beside others. */
export async function findInRow(db: Db, runId: string, { position, turn }: OutputPlace): Promise<string | null> {
  const [row] = await db.query<{ output: string | null }>(
    "select output from run_steps where run_id = $1 and position = $2 and turn = $3",
    [runId, position, turn],
  );
  return row?.output ?? null;
}
