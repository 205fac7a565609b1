import type { Db } from "../../store/db.ts";

export async function listWaitingOwners(db: Db): Promise<{ startedBy: string; projectId: string }[]> {
  const rows = await db.query<{ started_by: string; project_id: string }>(
    "select distinct started_by, project_id from runs where status = 'waiting'",
  );
  return rows.map((row) => ({ startedBy: row.started_by, projectId: row.project_id }));
}

/** What waits is due at this moment; what is due already stays as it is. */
export async function makeDue(
  db: Db,
  { startedBy, projectId }: { startedBy: string; projectId: string },
  now: string,
): Promise<number> {
  const rows = await db.query(
    `update runs set run_at = $3
      where id in (select id from runs where status = 'waiting' and started_by = $1 and project_id = $2
                    and (run_at is null or run_at > $3) order by id ${db.skipLocked})
     returning id`,
    [startedBy, projectId, now],
  );
  return rows.length;
}
