import { operations } from "../../../src/api/index.ts";
import { bodySchemaOf } from "../../../src/api/reference/operation-schemas.ts";
import type { Operation } from "../../../src/calls/define-operation.ts";
import { announce } from "../../../src/webhooks/announce.ts";
import type { CallOptions, TestApp, TestPerson } from "../../support/app.ts";
import { connectionThatOpensNothing, freshValues, type Values } from "../../support/calls/valid-calls.ts";
import { givePassword, goodPassword, signIn, withSession } from "../../support/sign-in/sign-in.ts";
import { asRole, startTeam, type Team, type TestRole } from "../../support/team.ts";
import { whoseRecords } from "./id-fields.ts";

export interface Caller {
  name: string;
  /** Whether they call as an owner of the organization, who sees more of it than others. */
  asOwner: boolean;
  /** Calls in this project, or in none. */
  in(project: string | undefined): CallOptions;
}

/** Two organizations with two projects each. Everybody who calls is of the first, in its first project. */
export interface Tenants {
  own: Team;
  /** The other project of the same organization, with an owner of its own. */
  other: Team;
  foreign: Team;
  callers: Caller[];
  nobody: Caller;
}

export async function startTenants(): Promise<Tenants> {
  const own = await startTeam("sqlite");
  const { call, owner } = own;
  const second = await own.person("second@example.com", owner);
  await must(call("organizations/users/update", { user_id: second.userId, organization_role: "owner" }, { as: owner }));
  const other = teamOf(own, second, await own.project(second, "Another"));
  const stranger = await own.person("owner@example.org");
  const foreign = teamOf(own, stranger, await own.project(stranger, "Abroad"));
  await own.project(stranger, "Abroad as well");

  const byKey = (name: string, as: TestPerson, asOwner = false): Caller => ({
    name,
    asOwner,
    in: (project) => (project === undefined ? { as } : { as, project }),
  });
  const bySession = async (name: string, person: TestPerson, asOwner = false): Promise<Caller> => {
    await givePassword(own, person);
    const { headers = {} } = withSession(await signIn(own, person));
    return {
      name,
      asOwner,
      in: (project) => ({ headers: project === undefined ? headers : { ...headers, "x-signalbox-project": project } }),
    };
  };
  const narrowed = await must(call("auth/keys/create", { project_ids: [own.projectId] }, { as: owner }));
  const viewing = await must(call("auth/keys/create", { max_role: "viewer" }, { as: owner }));
  const service = await must(call("auth/service_users/create", { name: "automation" }, { as: owner }));
  const admitted = { user_id: service.user_id, permissions: asRole("admin") };
  await must(call("auth/service_users/add", admitted, own.inProject(owner)));
  const admin = await own.colleague("admin", "admin");
  const editor = await own.colleague("editor", "editor");
  return {
    own,
    other,
    foreign,
    callers: [
      byKey("the owner", owner, true),
      byKey("an admin", admin),
      byKey("an editor", editor),
      byKey("a viewer", await own.colleague("viewer", "viewer")),
      byKey("a colleague without a role", await own.colleague("colleague")),
      byKey("the owner's key for one project", { ...owner, apiKey: narrowed.api_key }),
      byKey("the owner's key that only views", { ...owner, apiKey: viewing.api_key }, true),
      byKey("a service user", { ...owner, userId: service.user_id, apiKey: service.api_key }),
      await bySession("the owner's session", owner, true),
      await bySession("an editor's session", editor),
    ],
    nobody: { name: "nobody", asOwner: false, in: () => ({}) },
  };
}

/** The same region, seen by another team. */
function teamOf(app: Team, owner: TestPerson, projectId: string): Team {
  const inProject = (as: TestPerson) => ({ as, project: projectId });
  return {
    ...app,
    owner,
    projectId,
    inProject,
    async colleague(name: string, role?: TestRole) {
      const person = await app.person(`${name}-${projectId.slice(-6)}@example.com`, owner);
      const invite = { email: person.email, permissions: asRole(role ?? "viewer") };
      if (role) await must(app.call("auth/invite/create", invite, inProject(owner)));
      return person;
    },
  };
}

/** One record of each kind that is the team's, by the usual names of their ids. */
export async function oneOfEach(team: Team): Promise<Record<string, string>> {
  const { owner, call, inProject } = team;
  const ids: Record<string, string> = { organization_id: owner.organizationId, project_id: team.projectId };
  await givePassword(team, owner);
  await signIn(team, owner);
  ids.session_id = (await must(call("auth/sessions/list", {}, { as: owner }))).results[0].session_id;
  const wish = { url: "https://nobody.invalid/hooks", events: ["*"] };
  const { webhook_id } = await must(call("webhooks/create", wish, inProject(owner)));
  ids.delivery_id = (await must(call(`webhooks/${webhook_id}/test`, {}, inProject(owner)))).delivery_id;
  for (const name of Object.keys(whoseRecords)) {
    if (ids[name] !== undefined) continue;
    const operation =
      operations.find(({ path }) => path.includes(`{${name}}`)) ??
      operations.find((each) => (bodySchemaOf(each).required ?? []).includes(name));
    const id = operation && (await freshValues(team, operation))[name];
    if (typeof id !== "string") throw new Error(`The tests make no record for ${name}.`);
    ids[name] = id;
  }
  return ids;
}

/** Values for a call of the team, and a record of the team's for each of these ids, wherever they stand in the call. */
export async function recordsOf(team: Team, operation: Operation, ids: string[]): Promise<Values> {
  const { call, owner, inProject, projectId } = team;
  const values = await freshValues(team, operation);
  const makers: Record<string, () => unknown> = {
    project_id: () => projectId,
    tool_id: async () => values.tool_id ?? newTool(team),
    session_id: async () => {
      await givePassword(team, owner);
      const person = { email: owner.email, password: goodPassword, organization_id: owner.organizationId };
      await must(call("auth/sign_in/password", person));
      return (await must(call("auth/sessions/list", { limit: 100 }, { as: owner }))).results.at(-1).session_id;
    },
    delivery_id: async () => {
      const data = { run_id: "run_us_1", status: "failed" };
      const { organizationId } = owner;
      const event = { organizationId, projectId, type: "run.failed" as const, data, now: team.now() };
      await team.store.transaction((db) => announce(db, event));
      const path = `webhooks/${values.webhook_id}/deliveries`;
      return (await must(call(path, {}, inProject(owner)))).results[0].delivery_id;
    },
    directory_id: async () =>
      values.directory_id ?? (await must(call("directory/create", {}, { as: owner }))).directory_id,
    connection_id: () =>
      operation.path.endsWith("/connect")
        ? connectionThatOpensNothing(team, "analytics")
        : (values.connection_id ?? connectionThatOpensNothing(team, "deployment")),
    conversation_id: async () =>
      operation.path.includes("{conversation_id}")
        ? values.conversation_id
        : (await must(call(`agents/${values.agent_id}/trigger`, { message: "Hello" }, inProject(owner))))
            .conversation_id,
  };
  for (const id of ids) {
    values[id] = makers[id] ? await makers[id]() : values[id];
    if (typeof values[id] !== "string") throw new Error(`${operation.path}: nobody makes a record for ${id}.`);
  }
  return values;
}

async function newTool({ call, inProject, owner }: Team): Promise<string> {
  const steps = [{ name: "pause", step: "wait", input: { seconds: 3600 } }];
  const { tool_id: id } = await must(call("tools/create", { title: "A tool", steps }, inProject(owner)));
  await must(call(`tools/${id}/publish`, {}, inProject(owner)));
  return id;
}

export async function must(answer: ReturnType<TestApp["call"]>) {
  const { status, body, text } = await answer;
  if (status !== 200) throw new Error(`Refused: ${text}`);
  return body;
}
