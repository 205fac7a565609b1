import { moveTimesBack, type TimeBounds } from "../../store/clock/move-times-back.ts";
import type { Db, Store } from "../../store/db.ts";

export interface QueuedMail {
  id: string;
  /** Whose mail it is; null for mails of an earlier version. */
  organizationId: string | null;
  recipient: string;
  kind: string;
  /** The sealed content, in the column `details`. */
  sealed: string;
  attempts: number;
}

export async function insertMail(db: Db, mail: QueuedMail, at: string): Promise<void> {
  await db.query(
    `insert into mails (id, recipient, kind, details, attempts, send_at, created_at, organization_id)
     values ($1, $2, $3, $4, 0, $5, $5, $6)`,
    [mail.id, mail.recipient, mail.kind, mail.sealed, at, mail.organizationId],
  );
}

/** What decides when a mail is sent. */
export type DueMail = Pick<QueuedMail, "id" | "kind" | "organizationId">;

/** So many are read whole. */
const fewMails = 200;

/**
 * Due mails, the longest first. Of very many, some of each organization and kind: that sorts everything that is due, so nobody waits for it.
 */
export async function listDueMails(
  store: Pick<Store, "query" | "querySlow">,
  now: string,
  ofEach: number,
): Promise<DueMail[]> {
  const rows = await store.query<DueRow>(
    "select id, kind, organization_id from mails where send_at <= $1 order by send_at, id limit $2",
    [now, fewMails],
  );
  if (rows.length < fewMails) return rows.map(toDue);
  const inTurn = await store.querySlow<DueRow>(
    `select id, kind, organization_id from (
       select id, kind, organization_id, send_at,
              row_number() over (partition by kind, organization_id order by send_at, id) as turn
         from mails where send_at <= $1) as due
      where turn <= $2 order by turn, send_at, id limit $3`,
    [now, ofEach, 10 * fewMails],
  );
  return inTurn.map(toDue);
}

interface DueRow {
  id: string;
  kind: string;
  organization_id: string | null;
}

const toDue = ({ id, kind, organization_id: organizationId }: DueRow): DueMail => ({ id, kind, organizationId });

const columns = "id, recipient, kind, details as sealed, attempts, organization_id";

const toMail = ({
  organization_id: organizationId,
  ...mail
}: Omit<QueuedMail, "organizationId"> & DueRow): QueuedMail => ({
  ...mail,
  organizationId,
});

/** Claims those that are still due, and hides them from other senders until `until`. */
export async function claimMails(
  db: Db,
  ids: readonly string[],
  { now, until }: { now: string; until: string },
): Promise<QueuedMail[]> {
  const marks = ids.map((_, index) => `$${index + 3}`).join(", ");
  const rows = await db.query<Parameters<typeof toMail>[0]>(
    `update mails set send_at = $2, attempts = attempts + 1
      where id in (select id from mails where id in (${marks}) and send_at <= $1 order by id ${db.skipLocked})
     returning ${columns}`,
    [now, until, ...ids],
  );
  return rows.map(toMail);
}

export const listMails = (db: Db, after: string, limit: number): Promise<QueuedMail[]> =>
  db
    .query<Parameters<typeof toMail>[0]>(
      `select ${columns} from mails where id > $1 order by id limit $2 ${db.lockRow}`,
      [after, limit],
    )
    .then((rows) => rows.map(toMail));

export async function replaceSealed(db: Db, id: string, sealed: string): Promise<void> {
  await db.query("update mails set details = $2 where id = $1", [id, sealed]);
}

export async function deleteMail(db: Db, id: string): Promise<void> {
  await db.query("delete from mails where id = $1", [id]);
}

/** Those that were queued until then. Returns how many of each kind. */
export async function deleteQueuedUntil(db: Db, until: string): Promise<Map<string, number>> {
  const rows = await db.query<{ kind: string }>("delete from mails where created_at <= $1 returning kind", [until]);
  const kinds = new Map<string, number>();
  for (const { kind } of rows) kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
  return kinds;
}

export async function postponeMail(db: Db, id: string, until: string): Promise<void> {
  await db.query("update mails set send_at = $2 where id = $1", [id, until]);
}

/** Enough to see that a queue grows. */
const countedMax = 10_000;

export async function countWaitingMails(store: Store): Promise<number> {
  const [row] = await store.querySlow<{ count: number }>(
    `select count(*) as count from (select 1 from mails order by send_at limit ${countedMax}) as waiting`,
  );
  return Number(row?.count ?? 0);
}

export const moveSendTimesBack = (db: Db, bounds: TimeBounds): Promise<number> =>
  moveTimesBack(db, { table: "mails", key: "id", time: "send_at" }, bounds);
