import { expect } from "vitest";
import { newApiKey } from "../../src/access/callers/api-key-format.ts";
import { deactivateUser, reactivateUser } from "../../src/access/deactivation.ts";
import { operatorScope } from "../../src/access/operator.ts";
import { newId } from "../../src/kernel/ids.ts";
import type { Store } from "../../src/store/db.ts";
import {
  baseUrls,
  type CallOptions,
  permissions,
  startApp,
  type TestAnswer,
  type TestApp,
  type TestPerson,
} from "./app.ts";
import type { StoreKind } from "./stores.ts";

export type TestRole = "viewer" | "editor" | "admin";

export const aTime = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

/** The world of most tests: an organization with its owner and one project, and a neighbour with the same. */
export interface Team extends TestApp {
  owner: TestPerson;
  projectId: string;
  /** Options for a call in the team's project. */
  inProject(as: TestPerson): CallOptions;
  /** A colleague with this role in the team's project, or without one. */
  colleague(name: string, role?: TestRole): Promise<TestPerson>;
  /** Another organization's owner with a project. */
  neighbour(): Promise<{ owner: TestPerson; projectId: string }>;
  deactivate(person: TestPerson): ReturnType<typeof deactivateUser>;
  reactivate(person: TestPerson): ReturnType<typeof reactivateUser>;
  /** The newest row of the organization's audit log. */
  lastAudit(): Promise<Record<string, unknown>>;
}

const actionOf = { viewer: "role:viewer", editor: "role:editor", admin: "admin" } as const;
export const asRole = (role: TestRole) => permissions(actionOf[role]);

export async function startTeam(kind: StoreKind, options: Parameters<typeof startApp>[1] = {}): Promise<Team> {
  const app = await startApp(kind, options);
  const owner = await app.person("owner@example.com");
  const projectId = await app.project(owner);
  const inProject = (as: TestPerson) => ({ as, project: projectId });
  return {
    ...app,
    owner,
    projectId,
    inProject,
    async colleague(name, role) {
      const person = await app.person(`${name}@example.com`, owner);
      if (role) {
        const invite = { email: person.email, permissions: asRole(role) };
        expect((await app.call("auth/invite/create", invite, inProject(owner))).status).toBe(200);
      }
      return person;
    },
    async neighbour() {
      const other = await app.person("neighbour@example.org");
      return { owner: other, projectId: await app.project(other, "Next door") };
    },
    deactivate: (person) => deactivateUser(operatorScope(app.store, "us", app.now), person.userId),
    reactivate: (person) => reactivateUser(operatorScope(app.store, "us", app.now), person.userId),
    async lastAudit() {
      const answer = await app.call("audit/list", { limit: 1, whole_organization: true }, inProject(owner));
      return answer.body.results[0];
    },
  };
}

const tables = {
  organizations: "id",
  users: "id",
  projects: "id",
  memberships: "project_id, user_id",
  invites: "code",
  api_keys: "id",
  sessions: "id",
  passwords: "user_id",
  passkeys: "id",
  code_generators: "id",
  recovery_codes: "user_id, hash",
  challenges: "hash",
  idempotent_answers: "user_id, project_id, path, idempotency_key",
  audit_log: "organization_id, seq",
  directories: "id",
  directory_tokens: "id",
  directory_people: "user_id",
  directory_groups: "id",
  directory_group_members: "group_id, user_id",
  directory_group_roles: "group_id, project_id",
  directory_values: "owner_id, attribute, element",
  mails: "id",
  webhooks: "id",
  deliveries: "id",
  agents: "id",
  registrations: "agent_id, connection_id",
  events: "id",
  tools: "id",
  tool_versions: "tool_id, version",
  schedules: "id",
  connections: "id",
  connects: "id",
  data_keys: "id",
  sso_providers: "id",
  retention_policies: "organization_id",
  legal_holds: "id",
  domains: "id",
  identities: "id",
};

/** All rows of the store as one text: equal before and after a call that changes nothing. */
export async function everythingIn(store: Store): Promise<string> {
  const rows: unknown[] = [];
  for (const [table, order] of Object.entries(tables)) {
    rows.push(...(await store.query(`select * from ${table} order by ${order}`)));
  }
  return JSON.stringify(rows, null, 1);
}

/** A response without its request id. */
export const withoutRequestId = (answer: TestAnswer): string => answer.text.replaceAll(answer.body.request_id, "");

/** Both responses refuse with this code, and are indistinguishable. */
export function expectSameRefusal(code: string, first: TestAnswer, second: TestAnswer): void {
  expect(first.body.code).toBe(code);
  expect(withoutRequestId(first)).toBe(withoutRequestId(second));
}

export function expectWrongRegion(answer: TestAnswer, region: "eu" | "au"): void {
  expect([answer.status, answer.body.code]).toEqual([421, "wrong_region"]);
  expect(answer.body).toMatchObject({ region, base_url: baseUrls[region] });
}

/** Calls that must be refused, each with its status, its code and, where it matters, the pointers of its `errors`. */
export type BadInput = [body: unknown, status: number, code: string, pointer?: string];

/** Each body is refused as listed, and none of them changes the store. */
export async function expectRefused(
  { store, call }: TestApp,
  operation: string,
  options: CallOptions,
  bad: BadInput[],
): Promise<void> {
  const before = await everythingIn(store);
  for (const [body, status, code, pointer] of bad) {
    const answer = await call(operation, body, options);
    const pointers = answer.body.errors?.map((error: { pointer: string }) => error.pointer);
    expect([body, answer.status, answer.body.code, pointer && pointers?.[0]]).toEqual([body, status, code, pointer]);
  }
  expect(await everythingIn(store)).toBe(before);
}

/**
 * The authorization of an operation in a project: it refuses a lower role, a colleague without one, another
 * organization's owner, an unknown project, no project, and another region. None of them changes anything.
 */
export async function expectGuarded(team: Team, operation: string, body: unknown, needs: TestRole): Promise<void> {
  const { call, inProject, projectId, store } = team;
  const below = { viewer: [], editor: ["viewer"], admin: ["viewer", "editor"] } as const;
  const tooWeak: TestPerson[] = [];
  for (const role of below[needs]) tooWeak.push(await team.colleague(`weak-${role}`, role));
  const outsider = await team.colleague("outsider");
  const { owner: stranger } = await team.neighbour();
  const before = await everythingIn(store);

  for (const person of tooWeak) {
    const answer = await call(operation, body, inProject(person));
    expect([answer.status, answer.body.code]).toEqual([403, `${needs}_required`]);
  }
  const absent = await call(operation, body, { as: stranger, project: newId("project", "us") });
  expect(absent.status).toBe(404);
  for (const person of [outsider, stranger]) {
    expectSameRefusal("project_not_found", await call(operation, body, inProject(person)), absent);
  }
  expect((await call(operation, body, { as: team.owner })).body).toMatchObject({
    status: 400,
    code: "project_required",
  });
  expectWrongRegion(await call(operation, body, { as: team.owner, project: newId("project", "eu") }), "eu");
  expectWrongRegion(await call(operation, body, { authorization: `Bearer ${projectId}:${newApiKey("au")}` }), "au");
  expect(await everythingIn(store)).toBe(before);
}

/** Follows `next` to the end, `limit` at a time. Returns the pages. */
export async function allPages(
  call: TestApp["call"],
  operation: string,
  body: Record<string, unknown> & { limit: number },
  options: CallOptions,
): Promise<Record<string, unknown>[][]> {
  const pages: Record<string, unknown>[][] = [];
  let after: string | null = null;
  do {
    const answer = await call(operation, { ...body, after }, options);
    expect(answer.status).toBe(200);
    pages.push(answer.body.results);
    after = answer.body.next;
  } while (after !== null && pages.length < 100);
  return pages;
}
