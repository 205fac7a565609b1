import type { Db } from "../../store/db.ts";

export interface KeyHolderRow {
  key_id: string;
  expires_at: string | null;
  revoked_at: string | null;
  disabled_at: string | null;
  project_ids: string | null;
  max_role: string | null;
  user_id: string;
  email: string;
  active: number;
  organization_id: string;
  organization_role: string;
  project_id: string | null;
  role: string | null;
}

/**
 * Reads the key, its owner and the owner's role in the project with one indexed query. Every request runs it, so that a
 * deactivation, a revocation or a demotion applies to the next request on every node.
 */
export async function findKeyHolder(
  db: Pick<Db, "query">,
  keyHash: string,
  projectId: string | null,
): Promise<KeyHolderRow | null> {
  const rows = await db.query<KeyHolderRow>(
    `select k.id as key_id, k.expires_at, k.revoked_at, k.disabled_at, k.project_ids, k.max_role,
            u.id as user_id, u.email, u.active, u.organization_id, u.organization_role,
            p.id as project_id, m.role
       from api_keys k
       join users u on u.id = k.user_id
       left join projects p on p.id = $2 and p.organization_id = u.organization_id
       left join memberships m on m.project_id = p.id and m.user_id = u.id
      where k.hash = $1`,
    [keyHash, projectId],
  );
  return rows[0] ?? null;
}

export interface SessionHolderRow extends KeyHolderRow {
  expires_at: string;
  last_seen_at: string;
  confirmed_at: string;
  enrolling: number;
}

/** The same for a session, which has no restrictions. */
export async function findSessionHolder(
  db: Pick<Db, "query">,
  hash: string,
  projectId: string | null,
): Promise<SessionHolderRow | null> {
  const rows = await db.query<SessionHolderRow>(
    `select s.id as key_id, s.expires_at, s.revoked_at, null as disabled_at, null as project_ids, null as max_role,
            s.last_seen_at, s.confirmed_at, s.enrolling,
            u.id as user_id, u.email, u.active, u.organization_id, u.organization_role,
            p.id as project_id, m.role
       from sessions s
       join users u on u.id = s.user_id
       left join projects p on p.id = $2 and p.organization_id = u.organization_id
       left join memberships m on m.project_id = p.id and m.user_id = u.id
      where s.hash = $1`,
    [hash, projectId],
  );
  return rows[0] ?? null;
}
