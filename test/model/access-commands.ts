import fc from "fast-check";
import { permissions } from "../support/app.ts";
import { expectSameKeys, expectSameProject, expectSameProjects } from "./access-lists.ts";
import type { AccessModel } from "./access-model.ts";
import {
  type Account,
  type Action,
  type Invite,
  isAllowed,
  type Key,
  type Project,
  type Role,
  refuseIf,
  sameAddress,
} from "./access-records.ts";
import type { World } from "./access-world.ts";

export type AccessCommand = fc.AsyncCommand<AccessModel, World>;

/** An index into the records that exist when the command runs. */
const some = fc.nat({ max: 999 });
const chosen = <T>(list: readonly T[], number: number): T => list[number % list.length] as T;

/** Three times in four a caller whom the rule authorizes, otherwise any caller, with a key in any state. */
function caller(model: AccessModel, number: number, letsIn: (key: Key) => unknown): Key {
  const fitting = model.keys.filter((key) => isAllowed(() => letsIn(key)));
  return chosen(number % 4 > 0 && fitting.length > 0 ? fitting : model.keys, number >> 2);
}
const admin = (model: AccessModel, project: Project, number: number) =>
  caller(model, number, (key) => model.requireAdmin(key, project));
const fullKey = (model: AccessModel, number: number) => caller(model, number, (key) => model.requireFullKey(key));

const name = fc.constantFrom("ann", "bob", "cem", "Ann", "BOB");
const actions = fc.constantFrom<Action[]>(
  ["role:viewer"],
  ["role:editor"],
  ["admin"],
  ["admin"],
  ["role:viewer", "role:editor"],
);

function command<A>(
  title: string,
  args: fc.Arbitrary<A>,
  play: (model: AccessModel, world: World, args: A) => Promise<unknown>,
): fc.Arbitrary<AccessCommand> {
  return args.map((values) => ({
    check: (model) => model.projects.length > 0,
    run: async (model, world) => void (await play(model, world, values)),
    toString: () => `${title} ${JSON.stringify(values)}`,
  }));
}

const createProject = command(
  "create project",
  fc.record({ key: some, organization: some }),
  async (model, world, on) => {
    const by = fullKey(model, on.key);
    const organization = on.organization % 4 > 0 ? by.owner.organization : chosen(model.organizations, on.organization);
    const wanted = `Project ${model.projects.length}`;
    const done = await world.compare(() => model.createProject(by, organization, wanted), {
      operation: "projects/create",
      body: { name: wanted, description: "", organization_id: organization.id },
      by,
    });
    if (done) done.made.id = done.answer.body.project_id;
  },
);

const createInvite = command(
  "create invite",
  fc.record({ key: some, project: some, name, actions }),
  async (model, world, on) => {
    const project = chosen(model.projects, on.project);
    const [by, email] = [admin(model, project, on.key), world.address(on.name)];
    const done = await world.compare(() => model.createInvite(by, project, email, on.actions), {
      operation: "auth/invite/create",
      body: { email, permissions: permissions(...on.actions) },
      by,
      project,
    });
    if (done) done.made.code = done.answer.body.invite_code;
  },
);

const onInvite = (title: string, operation: string, rule: "deleteInvite" | "resendInvite") =>
  command(
    title,
    fc.record({ key: some, project: some, invite: some, isRight: fc.boolean() }),
    async (model, world, on) => {
      const invite = chosen(model.inviteHistory, on.invite);
      if (!invite) return;
      const project = on.isRight ? invite.project : chosen(model.projects, on.project);
      const by = admin(model, project, on.key);
      const body = { invite_code: invite.code };
      await world.compare(() => model[rule](by, project, invite), { operation, body, by, project });
    },
  );

const acceptInvite = command("accept invite", fc.record({ key: some, invite: some }), async (model, world, on) => {
  const ready = model.inviteHistory.filter((invite) => model.keys.some((key) => canAccept(model, key, invite)));
  const invite = chosen(on.invite % 4 > 0 && ready.length > 0 ? ready : model.inviteHistory, on.invite >> 2);
  if (!invite) return;
  const by = caller(model, on.key, (key) => refuseIf(!canAccept(model, key, invite), "invite_not_found"));
  const body = { invite_code: invite.code };
  const done = await world.compare(() => model.acceptInvite(by, invite), { operation: "auth/invite/accept", body, by });
  if (done) await world.learnAccount(done.made, done.answer.body);
});

const canAccept = (model: AccessModel, key: Key, invite: Invite): boolean =>
  invite.acceptedBy === null &&
  sameAddress(key.owner.email, invite.email) &&
  isAllowed(() => model.requireFullKey(key));

/** A member of the project, or sometimes any account. */
function target(model: AccessModel, members: Account[], number: number): Account {
  return number % 4 > 0 && members.length > 0 ? chosen(members, number >> 2) : chosen(model.accounts, number >> 2);
}

const updateRole = command(
  "update role",
  fc.record({ key: some, project: some, account: some, actions }),
  async (model, world, on) => {
    const project = chosen(model.projects, on.project);
    const by = admin(model, project, on.key);
    const account = target(model, [...project.members.keys()], on.account);
    await world.compare(() => model.updateRole(by, project, account, on.actions), {
      operation: `auth/users/${account.id}/update`,
      body: { permissions: permissions(...on.actions) },
      by,
      project,
    });
  },
);

const removeUser = command(
  "remove user",
  fc.record({ key: some, project: some, account: some }),
  async (model, world, on) => {
    const project = chosen(model.projects, on.project);
    const by = admin(model, project, on.key);
    const account = target(model, [...project.members.keys()], on.account);
    const operation = `auth/users/${account.id}/delete`;
    await world.compare(() => model.removeUser(by, project, account), { operation, body: {}, by, project });
  },
);

const createKey = command(
  "create key",
  fc.record({
    key: some,
    projects: fc.option(fc.array(some, { minLength: 1, maxLength: 2 }), { freq: 3 }),
    maxRole: fc.option(fc.constantFrom<Role>("viewer", "editor", "admin"), { freq: 3 }),
    days: fc.option(fc.integer({ min: 1, max: 5 }), { freq: 3 }),
  }),
  async (model, world, on) => {
    const by = fullKey(model, on.key);
    const named = on.projects?.map((number) => chosen(model.projects, number)) ?? null;
    // Naming a project twice means it once.
    const projects = named && [...new Set(named)];
    const limits = { projects, maxRole: on.maxRole, expiresDay: on.days === null ? null : model.day + on.days };
    const expiry = on.days === null ? null : new Date(world.app.now().getTime() + on.days * 86_400_000).toISOString();
    const done = await world.compare(() => model.createKey(by, limits), {
      operation: "auth/keys/create",
      body: { project_ids: named?.map((project) => project.id) ?? null, max_role: on.maxRole, expires_at: expiry },
      by,
    });
    if (done) Object.assign(done.made, { id: done.answer.body.key_id, secret: done.answer.body.api_key });
  },
);

const onKey = (title: string, operation: string, rule: "revokeKey" | "enableKey") =>
  command(title, fc.record({ key: some, target: some }), async (model, world, on) => {
    const key = chosen(model.keys, on.target);
    const by = caller(model, on.key, (each) => model.requireGoverned(each, key));
    await world.compare(() => model[rule](by, key), { operation, body: { key_id: key.id }, by });
  });

const rerollKey = command("reroll key", fc.record({ key: some, target: some }), async (model, world, on) => {
  const key = chosen(model.keys, on.target);
  if (key.isReplaced) return;
  const by = caller(model, on.key, (each) => model.requireGoverned(each, key));
  const body = { key_id: key.id, overlap_seconds: 0 };
  const done = await world.compare(() => model.rerollKey(by, key), { operation: "auth/keys/reroll", body, by });
  if (done) Object.assign(done.made, { id: done.answer.body.key_id, secret: done.answer.body.api_key });
});

const updateOrganization = command(
  "update organization",
  fc.record({
    key: some,
    projectCreation: fc.constantFrom("members" as const, "members" as const, "owners" as const),
    keysOnReactivation: fc.constantFrom("stay_off" as const, "restore" as const),
  }),
  async (model, world, { key, ...change }) => {
    const by = chosen(model.keys, key);
    await world.compare(() => model.updateOrganization(by, change), {
      operation: "organizations/update",
      body: { project_creation: change.projectCreation, keys_on_reactivation: change.keysOnReactivation },
      by,
    });
  },
);

const join = command("join", fc.record({ name, organization: some }), (model, world, on) =>
  world.join(model, world.address(on.name), chosen(model.organizations, on.organization)),
);
const deactivate = command("deactivate", some, (model, world, number) =>
  world.deactivate(model, chosen(model.accounts, number)),
);
const reactivate = command("reactivate", some, (model, world, number) =>
  world.reactivate(model, chosen(model.accounts, number)),
);
const daysPass = command("days pass", fc.integer({ min: 1, max: 8 }), async (model, world, days) => {
  model.day += days;
  world.app.advance(days * 86_400);
});

const look = command("look", fc.record({ key: some, project: some }), async (model, world, on) => {
  const project = chosen(model.projects, on.project);
  const by = caller(model, on.key, (key) => model.requireMember(key, project));
  const seen = await world.compare(() => model.authenticate(by), { operation: "projects/list", body: {}, by });
  if (seen) await expectSameProjects(model, world, by);
  const operation = "auth/users/list";
  await world.compare(() => model.requireMember(by, project), { operation, body: {}, by, project });
  const asAdmin = { operation: "auth/invite/list", body: {}, by, project };
  if (await world.compare(() => model.requireAdmin(by, project), asAdmin))
    await expectSameProject(model, world, by, project);
  const keys = await world.compare(() => model.requireFullKey(by), { operation: "auth/keys/list", body: {}, by });
  if (keys) await expectSameKeys(model, world, by);
});

const deleteProject = command("delete project", fc.record({ key: some, project: some }), async (model, world, on) => {
  const [by, project] = [chosen(model.keys, on.key), chosen(model.projects, on.project)];
  // "Deleting a project through the API is unavailable."
  await world.compare(
    () => {
      model.authenticate(by);
      refuseIf(true, "not_available");
    },
    { operation: `projects/${project.id}/delete`, body: {}, by },
  );
});

/** Creating commands come more often than ending ones, so that there is something to end. */
export const accessCommands: fc.Arbitrary<AccessCommand>[] = [
  createProject,
  ...[createInvite, createInvite, createInvite, createInvite],
  ...[acceptInvite, acceptInvite, acceptInvite],
  onInvite("delete invite", "auth/invite/delete", "deleteInvite"),
  onInvite("resend invite", "auth/invite/resend", "resendInvite"),
  ...[join, join],
  ...[updateRole, updateRole, updateRole],
  ...[removeUser, removeUser],
  ...[createKey, createKey],
  onKey("revoke key", "auth/keys/revoke", "revokeKey"),
  onKey("enable key", "auth/keys/enable", "enableKey"),
  rerollKey,
  updateOrganization,
  ...[deactivate, reactivate, reactivate],
  daysPass,
  look,
  deleteProject,
];
