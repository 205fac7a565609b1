import { describe, expect, test } from "vitest";
import { baseUrls, permissions, type TestAnswer } from "../../test/support/app.ts";
import { expectProblem } from "../../test/support/calls/expect-problem.ts";
import { connectTo, listen, readAnswer } from "../../test/support/processes/raw-http.ts";
import { expectSameRefusal, startTeam, type Team, withoutRequestId } from "../../test/support/team.ts";
import { newApiKey } from "../access/callers/api-key-format.ts";
import { deactivateUser } from "../access/deactivation.ts";
import { operatorScope } from "../access/operator.ts";
import { newId } from "../kernel/ids.ts";

/** The rows of the status table that are decided before a rule runs; the others are tested beside the rules. */

const invite = (team: Team, body: unknown): Promise<TestAnswer> =>
  team.call("auth/invite/create", body, team.inProject(team.owner));

describe("a body that cannot be read is 400", () => {
  test.each([
    ["no JSON", "{name:1}"],
    ["JSON with something behind it", "{} {}"],
    ["an unfinished object", '{"email":"a@example.com"'],
    ["an empty body", ""],
    ["white space alone", "  \n"],
    ["a byte order mark", "\ufeff{}"],
    ["an array", "[]"],
    ["a string", '"text"'],
    ["a number", "7"],
    ["null", "null"],
    ["a member named twice", '{"email":"a@example.com","email":"b@example.com"}'],
    ["a member named twice in different spellings", '{"email":"a@example.com","em\\u0061il":"b@example.com"}'],
    ["an action named twice", '{"permissions":{"items":{"platformDefault":{"actions":{"admin":true,"admin":false}}}}}'],
    ["a body nested a thousand deep", `{"a":${"[".repeat(1000)}${"]".repeat(1000)}}`],
  ])("%s", async (_, body) => {
    const team = await startTeam("sqlite");
    expectProblem(await invite(team, body), "malformed_request");
  });

  test.each([
    ["a number where text belongs", { email: 7, permissions: permissions("admin") }, "#/email"],
    ["a required member left out", { permissions: permissions("admin") }, "#/email"],
    ["null in a required member", { email: null, permissions: permissions("admin") }, "#/email"],
    ["permissions left out", { email: "a@example.com" }, "#/permissions"],
    ["a list of permissions", { email: "a@example.com", permissions: [] }, "#/permissions"],
    [
      '"true" for true: nothing is converted',
      {
        email: "a@example.com",
        permissions: { items: { platformDefault: { actions: { admin: "true" } } } },
      },
      "#/permissions/items/platformDefault/actions/admin",
    ],
  ])("%s, and errors points at it", async (_, body, pointer) => {
    const team = await startTeam("sqlite");
    const answer = await invite(team, body);
    expectProblem(answer, "malformed_request");
    expect(answer.body.errors).toContainEqual(
      expect.objectContaining({ pointer, code: expect.any(String), detail: expect.any(String) }),
    );
  });
});

describe("a readable body with an unacceptable value is 422, and errors points at it", () => {
  const actions = "#/permissions/items/platformDefault/actions";
  const to = (wanted: unknown) => ({ email: "a@example.com", permissions: wanted });
  test.each([
    ["an address that is none", { email: "not an address", permissions: permissions("admin") }, "#/email"],
    ["an unknown action", to(permissions("role:owner")), `${actions}/role:owner`],
    ["an unknown scope", to({ items: { other: { actions: { admin: true } } } }), "#/permissions/items/other"],
    ["nothing granted", to(permissions()), actions],
  ])("%s", async (_, body, pointer) => {
    const team = await startTeam("sqlite");
    const answer = await invite(team, body);
    expectProblem(answer, "validation_failed");
    expect(answer.body.errors).toContainEqual(expect.objectContaining({ pointer }));
  });

  test("an empty project name", async () => {
    const team = await startTeam("sqlite");
    const body = { name: "  ", description: "", organization_id: team.owner.organizationId };
    const answer = await team.call("projects/create", body, { as: team.owner });
    expectProblem(answer, "validation_failed");
    expect(answer.body.errors).toContainEqual(expect.objectContaining({ pointer: "#/name" }));
  });

  test.each(["__proto__", "constructor", "prototype", "toString"])(
    "%s is an unknown name like any other, and Object.prototype stays as it is",
    async (name) => {
      const team = await startTeam("sqlite");
      const before = Reflect.ownKeys(Object.prototype);
      const asAction = `{"email":"a@example.com","permissions":{"items":{"platformDefault":{"actions":{"${name}":true}}}}}`;
      const asScope = `{"email":"a@example.com","permissions":{"items":{"${name}":{"actions":{"admin":true}}}}}`;
      expectProblem(await invite(team, asAction), "validation_failed");
      expectProblem(await invite(team, asScope), "validation_failed");
      const asMember = `{"${name}":{"admin":true,"polluted":true}}`;
      expect((await team.call("auth/info", asMember, { as: team.owner })).status).toBe(200);
      expect(Reflect.ownKeys(Object.prototype)).toEqual(before);
      expect(({} as Record<string, unknown>).polluted).toBeUndefined();
    },
  );
});

describe("credentials", () => {
  test("none at all: 401 with the bare challenge", async () => {
    const team = await startTeam("sqlite");
    const answer = await team.call("auth/info", {});
    expectProblem(answer, "credentials_missing");
    expect(answer.headers["www-authenticate"]).toBe('Bearer realm="signalbox"');
  });

  test("malformed, of another scheme, with a wrong checksum or unknown: one and the same 401", async () => {
    const team = await startTeam("sqlite");
    const key = team.owner.apiKey;
    const last = key.endsWith("0") ? "1" : "0";
    const headers = [
      "",
      "Bearer",
      "Bearer nonsense",
      `Basic ${Buffer.from(`:${key}`).toString("base64")}`,
      `Basic :${key}`,
      `Digest :${key}`,
      `Bearer :${key.slice(0, -1)}${last}`,
      `Bearer :${key.slice(0, -1)}`,
      `Bearer :${newApiKey("us")}`,
    ];
    const bodies = new Set<string>();
    for (const authorization of headers) {
      const answer = await team.call("auth/info", {}, { authorization });
      expectProblem(answer, "credentials_invalid");
      expect(answer.headers["www-authenticate"]).toBe('Bearer realm="signalbox", error="invalid_token"');
      bodies.add(withoutRequestId(answer));
    }
    expect(bodies.size).toBe(1);
  });

  test("two Authorization headers: 400, whichever of them is right", async () => {
    const team = await startTeam("sqlite");
    const port = await listen(team);
    const good = `Bearer :${team.owner.apiKey}`;
    for (const [first, second] of [
      [good, good],
      [good, "Bearer nonsense"],
      ["Bearer nonsense", good],
    ]) {
      const client = await connectTo(port);
      client.send(
        `POST /latest/auth/info HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: 2\r\nAuthorization: ${first}\r\nauthorization: ${second}\r\n\r\n{}`,
      );
      expectProblem(readAnswer(await client.closed()), "malformed_request");
    }
  });

  test("a genuine key that is expired, revoked, or whose owner is deactivated says so", async () => {
    const team = await startTeam("sqlite");
    const person = await team.colleague("viewer", "viewer");
    const soon = new Date(team.now().getTime() + 60_000).toISOString();
    const made = await team.call("auth/keys/create", { expires_at: soon }, { as: person });
    const { body: other } = await team.call("auth/keys/create", {}, { as: person });
    await team.call("auth/keys/revoke", { key_id: other.key_id }, { as: person });
    team.advance(120);
    const withKey = (key: string) => team.call("auth/info", {}, { authorization: `Bearer :${key}` });
    expectProblem(await withKey(made.body.api_key), "key_expired");
    expectProblem(await withKey(other.api_key), "key_revoked");
    await deactivateUser(operatorScope(team.store, "us", team.now), person.userId);
    expectProblem(await withKey(person.apiKey), "owner_deactivated");
  });
});

describe("the project and the organization of a call", () => {
  test("an empty project part is 400 where a project is needed", async () => {
    const team = await startTeam("sqlite");
    expectProblem(await team.call("auth/users/list", {}, { as: team.owner }), "project_required");
  });

  test("creating a project ignores the project part, yet reads it by the grammar", async () => {
    const team = await startTeam("sqlite");
    const body = { name: "New", description: "", organization_id: team.owner.organizationId };
    const create = (authorization: string) => team.call("projects/create", body, { authorization });
    expect((await create(`Bearer no-such-project:${team.owner.apiKey}`)).status).toBe(200);
    expectProblem(await create(`Bearer no such project:${team.owner.apiKey}`), "credentials_invalid");
  });

  test("an absent project and one without access are the same 404, byte for byte", async () => {
    const team = await startTeam("sqlite");
    const as = await team.colleague("viewer", "viewer");
    const list = (project: string) => team.call("auth/users/list", {}, { as, project });
    const absent = await list(newId("project", "us"));
    expectProblem(absent, "project_not_found");
    expectSameRefusal("project_not_found", absent, await list((await team.neighbour()).projectId));
  });

  test("an absent organization and a foreign one are the same 404, byte for byte", async () => {
    const team = await startTeam("sqlite");
    const create = (organization_id: string) =>
      team.call("projects/create", { name: "New", description: "", organization_id }, { as: team.owner });
    const absent = await create(newId("organization", "us"));
    const { owner: neighbour } = await team.neighbour();
    expectProblem(absent, "organization_not_found");
    expectSameRefusal("organization_not_found", absent, await create(neighbour.organizationId));
  });

  test("a member who is not admin is 403", async () => {
    const team = await startTeam("sqlite");
    const body = { email: "new@example.com", permissions: permissions("admin") };
    for (const role of ["viewer", "editor"] as const) {
      const as = team.inProject(await team.colleague(role, role));
      expectProblem(await team.call("auth/invite/create", body, as), "admin_required");
    }
  });

  test("a key or an id of another region is 421 with the address to go to", async () => {
    const team = await startTeam("sqlite");
    const elsewhere = { region: "eu", base_url: baseUrls.eu };
    const project = { name: "New", description: "", organization_id: newId("organization", "eu") };
    const answers = [
      await team.call("auth/info", {}, { authorization: `Bearer :${newApiKey("eu")}` }),
      await team.call("auth/users/list", {}, { as: team.owner, project: newId("project", "eu") }),
      await team.call("projects/create", project, { as: team.owner }),
      await team.call("auth/invite/accept", { invite_code: newId("invite", "eu") }, { as: team.owner }),
    ];
    for (const answer of answers) {
      expectProblem(answer, "wrong_region");
      expect(answer.body).toMatchObject(elsewhere);
    }
  });
});
