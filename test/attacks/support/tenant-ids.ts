import { operations } from "../../../src/api/index.ts";
import { bodySchemaOf, type JsonSchema, namesInPath } from "../../../src/api/reference/schemas.ts";
import type { Operation } from "../../../src/calls/define.ts";
import { type CallOptions, permissions, type TestPerson } from "../../support/app.ts";
import { givePassword, signIn, withSession } from "../../support/sign-in.ts";
import type { Team } from "../../support/team.ts";
import { freshValues, type Values } from "../../support/valid-calls.ts";

/** What an id names, and whose it is: a project's, or its organization's. */
const ownedBy = {
  organization: "organization",
  project: "organization",
  user: "organization",
  key: "organization",
  session: "organization",
  passkey: "organization",
  provider: "organization",
  domain: "organization",
  identity: "organization",
  directory: "organization",
  token: "organization",
  group: "organization",
  invite: "project",
  connection: "project",
  connect: "project",
  tool: "project",
  schedule: "project",
  run: "project",
  agent: "project",
  conversation: "project",
  event: "project",
  webhook: "project",
  delivery: "project",
} as const;
export type Kind = keyof typeof ownedBy;

export const isOfProject = (kind: Kind): boolean => ownedBy[kind] === "project";

/** Names that look like ids and name nothing of ours. */
const elsewhere = new Set(["step_id", "client_id", "entity_id", "system_project_ids"]);

const named: Record<string, Kind> = {
  invite_code: "invite",
  project_ids: "project",
  default_project_id: "project",
  tools: "tool",
};

const kindOf = (name: string): Kind | null => {
  const kind = named[name] ?? name.replace(/_ids?$/, "");
  return kind in ownedBy && (name in named || /_ids?$/.test(name)) ? (kind as Kind) : null;
};

/** Where an operation is told an id. */
export interface Place {
  name: string;
  kind: Kind;
  inPath: boolean;
  path: (string | 0)[];
}

/** Fails for a name that looks like an id and of which nobody has said what it names. */
export function placesOf(operation: Operation): Place[] {
  const inPath = namesInPath(operation).map((name) => ({ name, path: [name], inPath: true }));
  const inBody = pathsIn(bodySchemaOf(operation), []).map((path) => ({
    name: String(path.findLast((step) => step !== 0)),
    path,
    inPath: false,
  }));
  return [...inPath, ...inBody].flatMap((place) => {
    if (elsewhere.has(place.name)) return [];
    const kind = kindOf(place.name);
    if (kind) return [{ ...place, kind }];
    if (/_(?:ids?|code)$/.test(place.name)) throw new Error(`What does ${place.name} of ${operation.path} name?`);
    return [];
  });
}

function pathsIn(schema: JsonSchema, path: Place["path"]): Place["path"][] {
  const choices = [...(schema.anyOf ?? []), ...((schema as { oneOf?: JsonSchema[] }).oneOf ?? [])];
  const inner = [
    ...Object.entries(schema.properties ?? {}).flatMap(([name, member]) => pathsIn(member, [...path, name])),
    ...(schema.items ? pathsIn(schema.items, [...path, 0]) : []),
    ...choices.flatMap((each) => pathsIn(each, path)),
  ];
  const own = [schema.type ?? []].flat().includes("string") ? [path] : [];
  return [...new Map([...own, ...inner].map((each) => [each.join("/"), each])).values()];
}

/** The body with an id at a place; what stands round it is as ordinary as it can be. */
export function bodyWithId(body: Values, path: Place["path"], id: string): Values {
  const copy = structuredClone(body);
  let at: Record<string | number, unknown> = copy;
  for (const [index, step] of path.entries()) {
    const next = path[index + 1];
    if (next === undefined) at[step] = id;
    else {
      if (typeof at[step] !== "object" || at[step] === null) at[step] = next === 0 ? [] : { ...around(path, index) };
      at = at[step] as Record<string | number, unknown>;
    }
  }
  return copy;
}

/** Members without which an object round an id is refused for another reason. */
function around(path: Place["path"], index: number): Values {
  const inside = `${path.slice(0, index + 1).join("/")}`;
  if (inside === "rules/0") return { on: "*" };
  if (inside === "roles/0") return { permissions: permissions("role:viewer") };
  return inside === "steps/0" ? { name: "list", step: "list_deployments", input: {} } : {};
}

/** The same team, as its owner is in another project, or another owner in theirs. */
export function teamOf(team: Team, owner: TestPerson, projectId: string): Team {
  const inProject = (as: TestPerson): CallOptions => ({ as, project: projectId });
  return {
    ...team,
    owner,
    projectId,
    inProject,
    async colleague(name, role) {
      const person = await team.person(`${name}-${projectId.slice(-6)}@example.com`, owner);
      if (role)
        await team.call("auth/invite/create", { email: person.email, permissions: roleOf(role) }, inProject(owner));
      return person;
    },
  };
}

const roleOf = (role: "viewer" | "editor" | "admin") => permissions(role === "admin" ? role : `role:${role}`);

/** One of each kind that is the team's. */
export async function thingsOf(team: Team): Promise<Record<Kind, string>> {
  const { owner, call, inProject } = team;
  const things: Record<string, string> = { organization: owner.organizationId, project: team.projectId };
  await givePassword(team, owner);
  await signIn(team, owner);
  const sessions = await call("auth/sessions/list", {}, { as: owner });
  things.session = sessions.body.results[0].session_id;
  const hook = await call("webhooks/create", { url: "https://nobody.invalid/hooks", events: ["*"] }, inProject(owner));
  const sent = await call(`webhooks/${hook.body.webhook_id}/test`, {}, inProject(owner));
  things.delivery = sent.body.delivery_id;
  for (const kind of Object.keys(ownedBy)) {
    if (things[kind] !== undefined) continue;
    const name = kind === "invite" ? "invite_code" : `${kind}_id`;
    const operation =
      operations.find(({ path }) => path.includes(`{${name}}`)) ??
      operations.find((each) => (bodySchemaOf(each).required ?? []).includes(name));
    const id = operation && (await freshValues(team, operation))[name];
    if (typeof id !== "string") throw new Error(`The tests make no ${kind}.`);
    things[kind] = id;
  }
  return things as Record<Kind, string>;
}

/** Every role and every kind of credential, for the team's project. */
export async function callersOf(team: Team): Promise<Record<string, CallOptions>> {
  const { owner, call, inProject, projectId } = team;
  const keyOf = async (limits: object) => {
    const { body } = await call("auth/keys/create", limits, { as: owner });
    return inProject({ ...owner, apiKey: body.api_key });
  };
  const service = await call("auth/service_users/create", { name: "automation" }, { as: owner });
  const { user_id } = service.body;
  await call("auth/service_users/add", { user_id, permissions: permissions("admin") }, inProject(owner));
  const key = await call("auth/service_users/create_key", { user_id }, { as: owner });
  await givePassword(team, owner);
  const session = withSession(await signIn(team, owner));
  return {
    owner: inProject(owner),
    "owner with a session": { ...session, headers: { ...session.headers, "x-signalbox-project": projectId } },
    "owner's key for one project": await keyOf({ project_ids: [projectId] }),
    "owner's key that only views": await keyOf({ max_role: "viewer" }),
    admin: inProject(await team.colleague("admin", "admin")),
    editor: inProject(await team.colleague("editor", "editor")),
    viewer: inProject(await team.colleague("viewer", "viewer")),
    "colleague without a role": inProject(await team.colleague("colleague")),
    "service user": inProject({ ...owner, apiKey: key.body.api_key }),
  };
}
