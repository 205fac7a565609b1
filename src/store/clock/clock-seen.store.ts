import type { Db } from "../db.ts";
import type { SeenClock } from "./judge-clock.ts";

interface ClockRow {
  seen_at: string;
  ahead_milliseconds: number;
  jumped_at: string | null;
}

/** `lock` is `db.lockRow` in a transaction that changes it. Null for a store that no server of this version has used. */
export async function readClock(db: Pick<Db, "query">, lock = ""): Promise<SeenClock | null> {
  const [row] = await db.query<ClockRow>(
    `select seen_at, ahead_milliseconds, jumped_at from clock_seen where id = 'current' ${lock}`,
  );
  if (!row) return null;
  return {
    seenAt: new Date(row.seen_at),
    aheadMilliseconds: Number(row.ahead_milliseconds),
    jumpedAt: row.jumped_at === null ? null : new Date(row.jumped_at),
  };
}

export async function saveClock(db: Db, { seenAt, aheadMilliseconds, jumpedAt }: SeenClock): Promise<void> {
  await db.query(
    `insert into clock_seen (id, seen_at, ahead_milliseconds, jumped_at) values ('current', $1, $2, $3)
     on conflict (id) do update set seen_at = $1, ahead_milliseconds = $2, jumped_at = $3`,
    [seenAt.toISOString(), Math.round(aheadMilliseconds), jumpedAt?.toISOString() ?? null],
  );
}
