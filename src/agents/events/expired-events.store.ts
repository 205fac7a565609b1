import type { Db, Row } from "../../store/db.ts";
import { type ExpiredRow, type ExpiryPage, marksFrom } from "../../store/expiring-tables.ts";
import { markTextsForDeletion, readText } from "../../store/large-texts.ts";

interface HandledRow {
  id: string;
  created_at: string;
  handled_at: string | null;
  status: string;
  bytes: number;
}

const columns = "id, created_at, handled_at, status, octet_length(body) as bytes";

const toExpired = (row: HandledRow): ExpiredRow => ({
  id: row.id,
  createdAt: row.created_at,
  mark: `${row.status} ${row.handled_at}`,
  bytes: Number(row.bytes),
});

export async function findHandled(db: Db, projectId: string, page: ExpiryPage): Promise<ExpiredRow[]> {
  const rows = await db.query<HandledRow>(
    `select ${columns} from events
      where project_id = $1 and id > $2 and id < $3 and created_at < $4 and status <> 'queued' order by id limit $5`,
    [projectId, page.above, page.below, page.before, page.limit],
  );
  return rows.map(toExpired);
}

export async function lockHandled(
  db: Db,
  projectId: string,
  ids: readonly string[],
  before: string,
): Promise<ExpiredRow[]> {
  const rows = await db.query<HandledRow>(
    `select ${columns} from events
      where project_id = $1 and created_at < $2 and status <> 'queued' and id in (${marksFrom(3, ids)}) ${db.lockRow}`,
    [projectId, before, ...ids],
  );
  return rows.map(toExpired);
}

export async function deleteEvents(db: Db, ids: readonly string[]): Promise<void> {
  await markTextsForDeletion(db, { table: "events", column: "body" }, ids);
  await db.query(`delete from events where id in (${marksFrom(1, ids)})`, ids);
}

export async function readEventRow(db: Db, id: string): Promise<Row | null> {
  const [row] = await db.query("select * from events where id = $1", [id]);
  return row ? { ...row, body: await readText(db, String(row.body)) } : null;
}
