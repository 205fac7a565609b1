import { expect } from "vitest";
import type { AccessModel } from "./access-model.ts";
import { type Action, type Key, type Project, roleOf } from "./access-records.ts";
import type { World } from "./access-world.ts";

/** Every list returns what the model holds, record by record, in the order of creation. */

const grants = (actions: Action[]) => Object.fromEntries(actions.map((action) => [action, true]));
const byId =
  <T>(idOf: (item: T) => string) =>
  (a: T, b: T) =>
    idOf(a) < idOf(b) ? -1 : 1;

export async function expectSameProjects(model: AccessModel, world: World, by: Key): Promise<void> {
  const reached = model.projects.flatMap((project) => {
    const role = model.roleIn(by, project);
    return role ? [{ project_id: project.id, name: project.name, role }] : [];
  });
  const listed = await world.list("projects/list", by);
  expect(listed.map(({ project_id, name, role }) => ({ project_id, name, role }))).toEqual(reached);
}

export async function expectSameProject(model: AccessModel, world: World, by: Key, project: Project): Promise<void> {
  const members = [...project.members].sort(byId(([account]) => account.id));
  const people = await world.list("auth/users/list", by, project);
  expect(people).toEqual(
    members.map(([{ id, email, isActive }, actions]) => ({
      user_id: id,
      email,
      active: isActive,
      role: roleOf(actions),
      managed: false,
      permissions: { items: { platformDefault: { actions: grants(actions) } } },
      created_at: expect.any(String),
    })),
  );
  const offered = [...model.invites].filter((invite) => invite.project === project).sort(byId((invite) => invite.code));
  const invites = await world.list("auth/invite/list", by, project);
  expect(invites.map(({ created_at, expires_at, sent_at, accepted_at, ...rest }) => rest)).toEqual(
    offered.map((invite) => ({
      invite_code: invite.code,
      project_id: project.id,
      email: invite.email,
      permissions: { items: { platformDefault: { actions: grants(invite.actions) } } },
      status: invite.acceptedBy ? "accepted" : model.isExpired(invite) ? "expired" : "pending",
      invited_by: invite.invitedBy.id,
      sent_count: invite.sentCount,
      user_id: invite.acceptedBy?.id ?? null,
    })),
  );
}

export async function expectSameKeys(model: AccessModel, world: World, by: Key): Promise<void> {
  const own = model.keys.filter((key) => key.owner === by.owner);
  const listed = await world.list("auth/keys/list", by);
  expect(
    listed.map(({ key_id, status, max_role, project_ids }) => ({ key_id, status, max_role, project_ids })),
  ).toEqual(
    own.map((key) => ({
      key_id: key.id,
      status: statusOfKey(model, key),
      max_role: key.maxRole,
      project_ids: key.projects?.map((project) => project.id) ?? null,
    })),
  );
}

function statusOfKey(model: AccessModel, key: Key): string {
  if (key.isRevoked) return "revoked";
  if (key.isDisabled) return "deactivated";
  return key.expiresDay !== null && key.expiresDay <= model.day ? "expired" : "active";
}

/** Compares everything, as seen by each organization's owner and by each active person. */
export async function expectSameWorld(model: AccessModel, world: World): Promise<void> {
  for (const owner of model.accounts.filter((account) => account.isOwner)) {
    await world.reactivate(model, owner);
    const by = await world.freshKey(model, owner);
    await expectSameProjects(model, world, by);
    for (const project of model.projects.filter((each) => each.organization === owner.organization)) {
      await expectSameProject(model, world, by, project);
    }
    const [project] = model.projects.filter((each) => each.organization === owner.organization);
    if (!project) continue;
    const audit = await world.call({ operation: "audit/verify", body: {}, by, project });
    expect(audit.body).toMatchObject({ valid: true, broken_at: null });
  }
  for (const account of model.accounts.filter((each) => each.isActive)) {
    const by = await world.freshKey(model, account);
    await expectSameKeys(model, world, by);
    await expectSameProjects(model, world, by);
  }
}
