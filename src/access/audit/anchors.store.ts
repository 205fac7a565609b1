import type { Db } from "../../store/db.ts";

/** The last archived row of an organization's chain: in the database, the chain goes on behind it. */
export interface Anchor {
  id: string;
  organizationId: string;
  seq: number;
  hash: string;
  archiveId: string;
  sealed: string;
  dataKeyId: string;
  createdAt: string;
}

interface AnchorRow {
  id: string;
  organization_id: string;
  seq: number;
  hash: string;
  archive_id: string;
  sealed: string;
  data_key_id: string;
  created_at: string;
}

const toAnchor = (row: AnchorRow): Anchor => ({
  id: row.id,
  organizationId: row.organization_id,
  seq: Number(row.seq),
  hash: row.hash,
  archiveId: row.archive_id,
  sealed: row.sealed,
  dataKeyId: row.data_key_id,
  createdAt: row.created_at,
});

/** The newest one. */
export async function findAnchor(db: Db, organizationId: string): Promise<Anchor | null> {
  const [row] = await db.query<AnchorRow>(
    "select * from audit_anchors where organization_id = $1 order by seq desc limit 1",
    [organizationId],
  );
  return row ? toAnchor(row) : null;
}

export async function findAnchorOfArchive(db: Db, organizationId: string, archiveId: string): Promise<Anchor | null> {
  const [row] = await db.query<AnchorRow>(
    "select * from audit_anchors where organization_id = $1 and archive_id = $2",
    [organizationId, archiveId],
  );
  return row ? toAnchor(row) : null;
}

export async function insertAnchor(db: Db, anchor: Anchor): Promise<void> {
  await db.query(
    `insert into audit_anchors (id, organization_id, seq, hash, archive_id, sealed, data_key_id, created_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [
      anchor.id,
      anchor.organizationId,
      anchor.seq,
      anchor.hash,
      anchor.archiveId,
      anchor.sealed,
      anchor.dataKeyId,
      anchor.createdAt,
    ],
  );
}

/** Rows up to the anchor; the database refuses to delete others. Returns how many were deleted. */
export async function deleteArchivedRows(db: Db, anchor: Anchor, limit: number): Promise<number> {
  const rows = await db.query(
    `delete from audit_log where organization_id = $1 and seq in
       (select seq from audit_log where organization_id = $1 and seq <= $2 order by seq limit $3) returning seq`,
    [anchor.organizationId, anchor.seq, limit],
  );
  return rows.length;
}
