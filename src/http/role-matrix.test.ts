import { describe, expect, test } from "vitest";
import { permissions, type TestPerson } from "../../test/support/app.ts";
import { freshValues, validCall } from "../../test/support/calls/valid-calls.ts";
import { startTeam, type Team } from "../../test/support/team.ts";
import { type Needs, needsProject } from "../access/callers/authorize.ts";
import { operations } from "../api/index.ts";
import type { Operation } from "../calls/define-operation.ts";

/** "Role x endpoint matrix generated from OpenAPI `x-required-role`; a route without it fails CI" (OWASP API5). */

const callers = [
  "owner",
  "admin",
  "editor",
  "viewer",
  "colleague",
  "stranger",
  "key of another project",
  "key that only views",
] as const;
type Caller = (typeof callers)[number];

/** The refusal that a caller gets before the operation runs, or null if the caller is authorized. */
const refusals: Record<Needs, Record<Caller, string | null>> = {
  nobody: refusalsOf({}),
  account: refusalsOf({}),
  "full key": refusalsOf({ "key of another project": "key_restricted", "key that only views": "key_restricted" }),
  // An outsider owns another organization and is authorized there.
  "organization owner": refusalsOf({
    admin: "owner_required",
    editor: "owner_required",
    viewer: "owner_required",
    colleague: "owner_required",
    "key of another project": "key_restricted",
    "key that only views": "key_restricted",
  }),
  "project viewer": refusalsOf(outsideProject()),
  "project editor": refusalsOf({
    ...outsideProject(),
    viewer: "editor_required",
    "key that only views": "editor_required",
  }),
  "project admin": refusalsOf({
    ...outsideProject(),
    viewer: "admin_required",
    editor: "admin_required",
    "key that only views": "admin_required",
  }),
};

function refusalsOf(refused: Partial<Record<Caller, string>>): Record<Caller, string | null> {
  return Object.fromEntries(callers.map((caller) => [caller, refused[caller] ?? null])) as Record<
    Caller,
    string | null
  >;
}

function outsideProject() {
  return {
    colleague: "project_not_found",
    stranger: "project_not_found",
    "key of another project": "project_not_found",
  };
}

/** What gives lasting access is refused to every restricted key, whatever else the operation needs. */
const confirmedRefusals = refusals["full key"];

/** Refusals before the operation runs; all other results come from its rule. */
const beforeOperation =
  /^(key_restricted|owner_required|project_not_found|project_required|(editor|admin)_required|credentials_.*)$/;

async function startCallers(team: Team): Promise<Record<Caller, TestPerson>> {
  const admin = await team.colleague("admin", "admin");
  const narrowed = async (limits: Record<string, unknown>): Promise<TestPerson> => {
    const { body } = await team.call("auth/keys/create", limits, { as: team.owner });
    return { ...team.owner, apiKey: body.api_key };
  };
  return {
    owner: team.owner,
    admin,
    editor: await team.colleague("editor", "editor"),
    viewer: await team.colleague("viewer", "viewer"),
    colleague: await team.colleague("colleague"),
    stranger: (await team.neighbour()).owner,
    "key of another project": await narrowed({ project_ids: [await team.project(team.owner, "Another")] }),
    "key that only views": await narrowed({ max_role: "viewer" }),
  };
}

describe("who may call what", () => {
  test.each(callers)("%s", async (caller) => {
    const team = await startTeam("sqlite");
    const person = (await startCallers(team))[caller];
    for (const operation of operations) {
      const { path, body } = validCall(operation, await freshValues(team, operation));
      const { status, body: answer } = await team.call(path, body, team.inProject(person));
      const expected = refusals[operation.needs][caller] ?? confirmedRefusals[operation.confirmed ? caller : "owner"];
      const met = beforeOperation.test(answer.code ?? "") ? answer.code : null;
      expect([operation.path, met]).toEqual([operation.path, expected]);
      if (caller === "owner") expect([operation.path, status]).toEqual([operation.path, successOf(operation)]);
    }
  });

  test("an operation on a project without one in the header is 400 for every caller", async () => {
    const team = await startTeam("sqlite");
    const people = await startCallers(team);
    for (const operation of operations.filter(({ needs }) => needsProject(needs))) {
      const { path, body } = validCall(operation, await freshValues(team, operation));
      for (const as of Object.values(people)) {
        const { status, body: answer } = await team.call(path, body, { as });
        expect([operation.path, status, answer.code]).toEqual([operation.path, 400, "project_required"]);
      }
    }
  });

  test("a revoked role is gone with the next call", async () => {
    const team = await startTeam("sqlite");
    const admin = await team.colleague("admin", "admin");
    const list = () => team.call("auth/invite/list", {}, team.inProject(admin));
    expect((await list()).status).toBe(200);
    const demote = { permissions: permissions("role:viewer") };
    await team.call(`auth/users/${admin.userId}/update`, demote, team.inProject(team.owner));
    expect((await list()).body.code).toBe("admin_required");
  });

  test("a narrowed key of the owner reads its own project's audit rows, and not the organization's", async () => {
    const team = await startTeam("sqlite");
    const wanted = { project_ids: [team.projectId] };
    const { body: key } = await team.call("auth/keys/create", wanted, { as: team.owner });
    const authorization = `Bearer ${team.projectId}:${key.api_key}`;
    for (const operation of ["audit/list", "audit/export"]) {
      expect((await team.call(operation, {}, { authorization })).status).toBe(200);
      const whole = await team.call(operation, { whole_organization: true }, { authorization });
      expect([whole.status, whole.body.code]).toEqual([403, "key_restricted"]);
    }
  });
});

const successOf = (operation: Operation): number => (operation.refuses.includes("not_available") ? 501 : 200);
