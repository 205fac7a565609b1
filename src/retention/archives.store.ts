import type { Db, Row } from "../store/db.ts";

/** A file with the exported records of one organization and one kind. */
export interface Archive {
  id: string;
  organizationId: string;
  kind: "runs" | "events" | "deliveries" | "audit";
  /** Relative to the archive folder. */
  file: string;
  /** Runs, events, deliveries or audit rows; a run counts once, with its steps and outputs. */
  records: number;
  /** When the first and the last of them were created. */
  firstAt: string;
  lastAt: string;
  bytes: number;
  sha256: string;
  createdAt: string;
}

const toArchive = (row: Row): Archive => ({
  id: String(row.id),
  organizationId: String(row.organization_id),
  kind: row.kind as Archive["kind"],
  file: String(row.file),
  records: Number(row.record_count),
  firstAt: String(row.first_at),
  lastAt: String(row.last_at),
  bytes: Number(row.bytes),
  sha256: String(row.sha256),
  createdAt: String(row.created_at),
});

export async function insertArchive(db: Db, archive: Archive): Promise<void> {
  await db.query(
    `insert into archives (id, organization_id, kind, file, record_count, first_at, last_at, bytes, sha256, created_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
    [
      archive.id,
      archive.organizationId,
      archive.kind,
      archive.file,
      archive.records,
      archive.firstAt,
      archive.lastAt,
      archive.bytes,
      archive.sha256,
      archive.createdAt,
    ],
  );
}

/** Newest first. */
export async function listArchives(
  db: Db,
  organizationId: string,
  page: { after: string; limit: number },
): Promise<Archive[]> {
  const rows = await db.query(
    "select * from archives where organization_id = $1 and ($2 = '' or id < $2) order by id desc limit $3",
    [organizationId, page.after, page.limit],
  );
  return rows.map(toArchive);
}

export async function findArchive(db: Db, id: string): Promise<Archive | null> {
  const [row] = await db.query("select * from archives where id = $1", [id]);
  return row ? toArchive(row) : null;
}
