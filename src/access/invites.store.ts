import type { Db } from "../store/db.ts";
import { inTurnsByKey } from "../store/delete-in-batches.ts";
import { actionsToText, type Permissions, permissionsFromText } from "./permissions.ts";

export type InviteStatus = "pending" | "accepted";

export interface Invite {
  /** In the form in which the store keeps it; `InviteCodes` shows the code itself. */
  code: string;
  projectId: string;
  email: string;
  emailKey: string;
  permissions: Permissions;
  status: InviteStatus;
  invitedBy: string;
  createdAt: string;
  expiresAt: string;
  sentAt: string;
  sentCount: number;
  acceptedAt: string | null;
  acceptedBy: string | null;
}

interface InviteRow {
  code: string;
  project_id: string;
  email: string;
  email_key: string;
  actions: string;
  status: string;
  invited_by: string;
  created_at: string;
  expires_at: string;
  sent_at: string;
  sent_count: number;
  accepted_at: string | null;
  accepted_by: string | null;
}

const toInvite = (row: InviteRow): Invite => ({
  code: row.code,
  projectId: row.project_id,
  email: row.email,
  emailKey: row.email_key,
  permissions: permissionsFromText(row.actions),
  status: row.status as InviteStatus,
  invitedBy: row.invited_by,
  createdAt: row.created_at,
  expiresAt: row.expires_at,
  sentAt: row.sent_at,
  sentCount: row.sent_count,
  acceptedAt: row.accepted_at,
  acceptedBy: row.accepted_by,
});

export async function insertInvite(db: Db, invite: Invite): Promise<void> {
  await db.query(
    `insert into invites (code, project_id, email, email_key, actions, role, status, invited_by, created_at, expires_at,
                          sent_at, sent_count, accepted_at, accepted_by)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)`,
    [
      invite.code,
      invite.projectId,
      invite.email,
      invite.emailKey,
      actionsToText(invite.permissions),
      invite.permissions.role,
      invite.status,
      invite.invitedBy,
      invite.createdAt,
      invite.expiresAt,
      invite.sentAt,
      invite.sentCount,
      invite.acceptedAt,
      invite.acceptedBy,
    ],
  );
}

/** What can prevent a new invite, and whether the person already has an account in the organization. */
export interface Invitee {
  userId: string | null;
  active: boolean;
  isMember: boolean;
  pendingCode: string | null;
  pendingExpiresAt: string | null;
  names: InviteNames;
}

/** What the mail of an invite calls the project, the organization and the sender. */
export interface InviteNames {
  project: string;
  organization: string;
  invitedBy: string;
}

/** One query for everything that an invite depends on. */
export async function findInvitee(
  db: Db,
  organizationId: string,
  projectId: string,
  emailKey: string,
  invitedBy: string,
): Promise<Invitee> {
  const [row] = await db.query<{
    project: string | null;
    organization: string | null;
    sender: string | null;
    user_id: string | null;
    active: number | null;
    member: string | null;
    code: string | null;
    expires_at: string | null;
  }>(
    `select u.id as user_id, u.active, m.user_id as member, i.code, i.expires_at,
            p.name as project, o.name as organization, s.name as sender
       from (select 1 as one) asked
       left join projects p on p.id = $2
       left join organizations o on o.id = $1
       left join users s on s.id = $4
       left join users u on u.organization_id = $1 and u.email_key = $3
       left join memberships m on m.project_id = $2 and m.user_id = u.id
       left join invites i on i.email_key = $3 and i.project_id = $2 and i.status = 'pending'`,
    [organizationId, projectId, emailKey, invitedBy],
  );
  return {
    names: {
      project: row?.project ?? "",
      organization: row?.organization ?? "",
      invitedBy: row?.sender ?? "",
    },
    userId: row?.user_id ?? null,
    active: row?.active === 1,
    isMember: row?.member != null,
    pendingCode: row?.code ?? null,
    pendingExpiresAt: row?.expires_at ?? null,
  };
}

/** Null, for a text that is no code, finds nothing. */
export async function findInvite(db: Db, stored: string | null): Promise<Invite | null> {
  const [row] = await db.query<InviteRow>("select * from invites where code = $1", [stored]);
  return row ? toInvite(row) : null;
}

/** The invite with the organization of its project. */
export async function findInviteAndOrganization(
  db: Db,
  stored: string | null,
): Promise<{ invite: Invite; organizationId: string } | null> {
  const [row] = await db.query<InviteRow & { organization_id: string }>(
    "select i.*, p.organization_id from invites i join projects p on p.id = i.project_id where i.code = $1",
    [stored],
  );
  return row ? { invite: toInvite(row), organizationId: row.organization_id } : null;
}

export async function listInvites(
  db: Db,
  projectId: string,
  page: { after: string; limit: number },
): Promise<Invite[]> {
  const rows = await db.query<InviteRow>(
    "select * from invites where project_id = $1 and code > $2 order by code limit $3",
    [projectId, page.after, page.limit],
  );
  return rows.map(toInvite);
}

export async function deleteInviteRow(db: Db, code: string): Promise<void> {
  await db.query("delete from invites where code = $1", [code]);
}

export async function markAccepted(db: Db, code: string, userId: string, at: string): Promise<void> {
  await db.query("update invites set status = 'accepted', accepted_at = $3, accepted_by = $2 where code = $1", [
    code,
    userId,
    at,
  ]);
}

export async function markResent(db: Db, code: string, sentAt: string, expiresAt: string): Promise<void> {
  await db.query("update invites set sent_at = $2, sent_count = sent_count + 1, expires_at = $3 where code = $1", [
    code,
    sentAt,
    expiresAt,
  ]);
}

/**
 * Open invites for an address in all projects of an organization. The cross join keeps SQLite from starting with the
 * projects, of which an organization can have far more than a person has invites.
 */
export async function listOpenInvitesFor(db: Db, organizationId: string, emailKey: string): Promise<Invite[]> {
  const rows = await db.query<InviteRow>(
    `select i.* from invites i cross join projects p
      where i.email_key = $2 and i.status = 'pending' and p.id = i.project_id and p.organization_id = $1 order by i.code`,
    [organizationId, emailKey],
  );
  return rows.map(toInvite);
}

/** Withdraws a person's pending invites: in one project, or in all. Returns how many. */
export const withdrawInvites = (db: Db, userId: string, projectId: string | null): Promise<number> =>
  inTurnsByKey(
    async (after, limit) => {
      const rows = await db.query<{ code: string }>(
        `select code from invites where invited_by = $1 and status = 'pending' and code > $2 order by code limit $3`,
        [userId, after, limit],
      );
      return rows.map(({ code }) => code);
    },
    async (codes, marks) => {
      const inProject = projectId === null ? "" : `and project_id = $${codes.length + 1}`;
      const rows = await db.query(
        `delete from invites where code in (${marks}) and status = 'pending' ${inProject} returning code`,
        projectId === null ? codes : [...codes, projectId],
      );
      return rows.length;
    },
  );
