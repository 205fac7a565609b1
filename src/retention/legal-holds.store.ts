import type { Db } from "../store/db.ts";

/** While it is open, nothing of the project is deleted; without a project, nothing of the organization. */
export interface LegalHold {
  id: string;
  organizationId: string;
  projectId: string | null;
  reason: string;
  createdBy: string;
  createdAt: string;
  releasedBy: string | null;
  releasedAt: string | null;
  releaseReason: string | null;
}

interface HoldRow {
  id: string;
  organization_id: string;
  project_id: string | null;
  reason: string;
  created_by: string;
  created_at: string;
  released_by: string | null;
  released_at: string | null;
  release_reason: string | null;
}

const toHold = (row: HoldRow): LegalHold => ({
  id: row.id,
  organizationId: row.organization_id,
  projectId: row.project_id,
  reason: row.reason,
  createdBy: row.created_by,
  createdAt: row.created_at,
  releasedBy: row.released_by,
  releasedAt: row.released_at,
  releaseReason: row.release_reason,
});

export async function insertHold(db: Db, hold: LegalHold): Promise<void> {
  await db.query(
    `insert into legal_holds (id, organization_id, project_id, reason, created_by, created_at)
     values ($1, $2, $3, $4, $5, $6)`,
    [hold.id, hold.organizationId, hold.projectId, hold.reason, hold.createdBy, hold.createdAt],
  );
}

export async function findHold(db: Db, organizationId: string, id: string): Promise<LegalHold | null> {
  const [row] = await db.query<HoldRow>("select * from legal_holds where organization_id = $1 and id = $2", [
    organizationId,
    id,
  ]);
  return row ? toHold(row) : null;
}

/** Returns null for one that is released already. */
export async function updateReleased(
  db: Db,
  id: string,
  released: { by: string; at: string; reason: string },
): Promise<LegalHold | null> {
  const [row] = await db.query<HoldRow>(
    `update legal_holds set released_by = $2, released_at = $3, release_reason = $4
      where id = $1 and released_at is null returning *`,
    [id, released.by, released.at, released.reason],
  );
  return row ? toHold(row) : null;
}

/** Newest first. */
export async function listHoldRows(
  db: Db,
  organizationId: string,
  onlyOpen: boolean,
  page: { after: string; limit: number },
): Promise<LegalHold[]> {
  const rows = await db.query<HoldRow>(
    `select * from legal_holds
      where organization_id = $1 ${onlyOpen ? "and released_at is null" : ""} ${page.after === "" ? "" : "and id < $3"}
      order by id desc limit $2`,
    [organizationId, page.limit, ...(page.after === "" ? [] : [page.after])],
  );
  return rows.map(toHold);
}

/** The projects of the open holds; null stands for the whole organization. */
export async function listHeld(db: Db, organizationId: string): Promise<(string | null)[]> {
  const rows = await db.query<{ project_id: string | null }>(
    "select project_id from legal_holds where organization_id = $1 and released_at is null",
    [organizationId],
  );
  return rows.map((row) => row.project_id);
}
