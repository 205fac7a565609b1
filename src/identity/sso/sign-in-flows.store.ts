import type { Db } from "../../store/db.ts";
import { deleteBefore } from "../../store/delete-in-batches.ts";

/** A sign-in under way at a provider. */
export interface Flow {
  id: string;
  providerId: string;
  browserHash: string;
  requestId: string | null;
  sessionId: string | null;
  nextPath: string | null;
  createdAt: string;
  expiresAt: string;
}

interface FlowRow {
  id: string;
  provider_id: string;
  browser_hash: string;
  request_id: string | null;
  session_id: string | null;
  next_path: string | null;
  answer: string | null;
  created_at: string;
  expires_at: string;
}

const toFlow = (row: FlowRow): Flow => ({
  id: row.id,
  providerId: row.provider_id,
  browserHash: row.browser_hash,
  requestId: row.request_id,
  sessionId: row.session_id,
  nextPath: row.next_path,
  createdAt: row.created_at,
  expiresAt: row.expires_at,
});

export async function insertFlow(db: Db, flow: Flow): Promise<void> {
  await db.query(
    `insert into sso_flows (id, provider_id, browser_hash, request_id, session_id, next_path, state, created_at, expires_at)
     values ($1, $2, $3, $4, $5, $6, 'begun', $7, $8)`,
    [
      flow.id,
      flow.providerId,
      flow.browserHash,
      flow.requestId,
      flow.sessionId,
      flow.nextPath,
      flow.createdAt,
      flow.expiresAt,
    ],
  );
}

/** Succeeds once, and only for the browser that began the sign-in. */
export async function takeByBrowser(db: Db, id: string, browserHash: string, now: string): Promise<Flow | null> {
  const [row] = await db.query<FlowRow>(
    `delete from sso_flows where id = $1 and browser_hash = $2 and state = 'begun' and expires_at > $3 returning *`,
    [id, browserHash, now],
  );
  return row ? toFlow(row) : null;
}

/** A provider's response comes from another site's form, without a cookie. The first response counts. */
export async function takeByProvider(db: Db, id: string, providerId: string, now: string): Promise<Flow | null> {
  const [row] = await db.query<FlowRow>(
    `update sso_flows set state = 'taken'
      where id = $1 and provider_id = $2 and state = 'begun' and expires_at > $3 returning *`,
    [id, providerId, now],
  );
  return row ? toFlow(row) : null;
}

export async function storeAnswer(db: Db, id: string, answer: string): Promise<void> {
  await db.query("update sso_flows set state = 'answered', answer = $2 where id = $1 and state = 'taken'", [
    id,
    answer,
  ]);
}

export async function takeAnswered(
  db: Db,
  id: string,
  browserHash: string,
  now: string,
): Promise<{ flow: Flow; answer: string } | null> {
  const [row] = await db.query<FlowRow>(
    `delete from sso_flows where id = $1 and browser_hash = $2 and state = 'answered' and expires_at > $3 returning *`,
    [id, browserHash, now],
  );
  return row ? { flow: toFlow(row), answer: row.answer ?? "" } : null;
}

/** Returns false if this assertion was used before. */
export async function insertAssertion(
  db: Db,
  providerId: string,
  assertionId: string,
  expiresAt: string,
): Promise<boolean> {
  const rows = await db.query(
    `insert into saml_assertions (provider_id, assertion_id, expires_at) values ($1, $2, $3)
     on conflict (provider_id, assertion_id) do nothing returning assertion_id`,
    [providerId, assertionId, expiresAt],
  );
  return rows.length > 0;
}

export async function deleteFlowsBefore(db: Db, moment: string): Promise<void> {
  await deleteBefore(db, { table: "sso_flows", key: "id", time: "expires_at" }, moment);
  const assertions = { table: "saml_assertions", key: "provider_id, assertion_id", time: "expires_at" };
  await deleteBefore(db, assertions, moment);
}
