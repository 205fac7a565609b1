import { newId } from "../kernel/ids.ts";
import { Problem } from "../kernel/problem.ts";
import type { Region } from "../kernel/regions.ts";
import type { Db } from "../store/db.ts";
import { type AuditHead, appendAudit, lockChain } from "./audit/audit.ts";
import { createKey, findKey, type NewKey, revokeKeyById } from "./callers/keys.ts";
import type { Email } from "./email.ts";
import { createOrganization, findOrganization } from "./organizations.ts";
import { toPermissions } from "./permissions.ts";
import { addMember } from "./project-members.ts";
import { insertProjectOf } from "./projects.ts";
import { type Announce, announceNothing, type Operator, type OrganizationRole, type Scope } from "./scope.ts";
import { auditJoining, createAccount, findUser, listAccounts, setOrganizationRole, type User } from "./users.ts";

/** Commands of the operator on the machine itself, with or without a running server. */

export const operatorScope = (
  db: Db,
  region: Region,
  now: () => Date,
  announce: Announce = announceNothing,
): Scope<Operator> => ({
  db,
  region,
  now,
  actor: { kind: "operator" },
  projectId: null,
  requestId: null,
  ip: null,
  announce,
  afterCommit: endsWithItsTransaction,
  onRollback: endsWithItsTransaction,
});

const endsWithItsTransaction = () => {
  throw new Error("An operator's command ends with its transaction: nothing runs after it.");
};

export interface NewAccount {
  user: User;
  apiKey: string;
  projectId: string | null;
}

/** Creates an account with its first key: in the given organization, or as the owner of a new one. */
export async function createAccountAsOperator(
  base: Scope<Operator>,
  wanted: { email: Email; organizationId?: string | undefined; organizationName?: string; firstProject?: string },
): Promise<NewAccount> {
  return base.db.transaction(async (db) => {
    const scope = { ...base, db };
    const { organizationId, head, isNew } = await organizationFor(scope, wanted);
    const { user, accepted } = await createAccount(scope, {
      organizationId,
      email: wanted.email,
      organizationRole: isNew ? "owner" : "member",
      emailVerified: true,
    });
    const { key, apiKey } = await createKey(scope, user.id, { label: "first key" });
    const projectId = wanted.firstProject === undefined ? null : await makeProject(scope, user, wanted.firstProject);
    const created = await appendAudit(scope, head, {
      action: isNew ? "organization.created" : "user.created",
      target: user.id,
      details: { email: user.email, key_id: key.id, project_id: projectId },
    });
    await auditJoining(scope, created, user, accepted);
    return { user, apiKey, projectId };
  });
}

async function organizationFor(
  scope: Scope<Operator>,
  wanted: { email: Email; organizationId?: string | undefined; organizationName?: string },
): Promise<{ organizationId: string; head: AuditHead; isNew: boolean }> {
  if (wanted.organizationId === undefined) {
    const { organization, head } = await createOrganization(scope, wanted.organizationName ?? wanted.email.typed);
    return { organizationId: organization.id, head, isNew: true };
  }
  if (!(await findOrganization(scope.db, wanted.organizationId))) {
    throw new Problem(
      "organization_not_found",
      `No organization ${wanted.organizationId} in the region ${scope.region}.`,
    );
  }
  return {
    organizationId: wanted.organizationId,
    head: await lockChain(scope.db, wanted.organizationId),
    isNew: false,
  };
}

async function makeProject(scope: Scope<Operator>, owner: User, name: string): Promise<string> {
  const project = await insertProjectOf(scope, {
    id: newId("project", scope.region),
    organizationId: owner.organizationId,
    name,
    description: "",
    createdBy: owner.id,
  });
  await addMember(scope, project.id, owner.id, toPermissions(["admin"]));
  return project.id;
}

/**
 * Finds the account of an address or id. An address with accounts in two organizations must name the organization too.
 */
export async function requireAccount(
  scope: Scope<Operator>,
  wanted: { userId?: string | undefined; email?: Email | undefined; organizationId?: string | undefined },
): Promise<User> {
  const found = wanted.userId
    ? [await findUser(scope.db, wanted.userId)].filter((user) => user !== null)
    : wanted.email
      ? await listAccounts(scope.db, wanted.email)
      : [];
  const fitting = found.filter((user) => !wanted.organizationId || user.organizationId === wanted.organizationId);
  const [user, another] = fitting;
  if (!user) throw new Problem("user_not_found", `No such account in the region ${scope.region}.`);
  if (another) {
    const ids = fitting.map((each) => each.organizationId).join(", ");
    throw new Problem("user_not_found", `The address has accounts in several organizations; name one of ${ids}.`);
  }
  return user;
}

/** Without an active owner, no member of the organization can appoint one, so the operator can. */
export async function changeRoleAsOperator(base: Scope<Operator>, user: User, role: OrganizationRole): Promise<void> {
  await base.db.transaction(async (db) => {
    const scope = { ...base, db };
    const head = await lockChain(db, user.organizationId);
    await setOrganizationRole(db, user.id, role);
    await appendAudit(scope, head, {
      action: "user.organization_role_changed",
      target: user.id,
      details: { organization_role: role },
    });
  });
}

export async function createKeyAsOperator(base: Scope<Operator>, user: User, label: string): Promise<NewKey> {
  return base.db.transaction(async (db) => {
    const scope = { ...base, db };
    const head = await lockChain(db, user.organizationId);
    const made = await createKey(scope, user.id, { label });
    await appendAudit(scope, head, {
      action: "key.created",
      target: made.key.id,
      details: { label, user_id: user.id },
    });
    return made;
  });
}

export async function revokeKeyAsOperator(base: Scope<Operator>, keyId: string): Promise<void> {
  await base.db.transaction(async (db) => {
    const scope = { ...base, db };
    const key = await findKey(db, keyId);
    if (!key) throw new Problem("key_not_found", `No key ${keyId} in the region ${scope.region}.`);
    const head = await lockChain(db, key.organizationId);
    await revokeKeyById(scope, keyId);
    await appendAudit(scope, head, { action: "key.revoked", target: keyId });
  });
}
