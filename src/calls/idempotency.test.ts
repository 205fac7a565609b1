import { describe, expect, test } from "vitest";
import type { TestPerson } from "../../test/support/app.ts";
import { describeOnBothStores, newStore } from "../../test/support/stores.ts";
import { asRole, everythingIn, startTeam, type Team } from "../../test/support/team.ts";
import { type Store, StoreUnavailable } from "../store/db.ts";
import { forgetOldAnswers, readIdempotencyKey } from "./idempotency.ts";

const hour = 3600;
const create = (team: Team, key: string, name = "Once", as: TestPerson = team.owner) =>
  team.call(
    "projects/create",
    { name, description: "", organization_id: team.owner.organizationId },
    { as, headers: { "idempotency-key": key } },
  );
const createKey = (team: Team, key: string, body: object = { label: "once" }) =>
  team.call("auth/keys/create", body, { as: team.owner, headers: { "idempotency-key": key } });
const countOf = async ({ store }: Team, table: string) => (await store.query(`select 1 from ${table}`)).length;

describeOnBothStores("a repeated call with the same Idempotency-Key", (kind) => {
  test("returns the first response, byte for byte, without a second effect, with any key of the person", async () => {
    const team = await startTeam(kind);
    const { api_key } = (await team.call("auth/keys/create", {}, { as: team.owner })).body;
    const first = await create(team, "k1");
    expect([first.status, first.headers["idempotency-replayed"]]).toEqual([200, undefined]);
    const before = await everythingIn(team.store);
    for (const apiKey of [team.owner.apiKey, api_key]) {
      const again = await create(team, "k1", "Once", { ...team.owner, apiKey });
      expect([again.status, again.text, again.headers["idempotency-replayed"]]).toEqual([200, first.text, "true"]);
    }
    expect(await everythingIn(team.store)).toBe(before);
  });

  test("may have its members in another order; another body is refused", async () => {
    const team = await startTeam(kind);
    const organization_id = team.owner.organizationId;
    const send = (text: string) =>
      team.call("projects/create", text, { as: team.owner, headers: { "idempotency-key": "k1" } });
    await send(`{"name":"Once","description":"","organization_id":"${organization_id}"}`);
    const reordered = await send(
      `{ "organization_id": "${organization_id}", "description": "", "name": "\\u004fnce" }`,
    );
    expect(reordered.headers["idempotency-replayed"]).toBe("true");
    const before = await everythingIn(team.store);
    expect((await create(team, "k1", "Twice")).body).toMatchObject({ status: 422, code: "idempotency_mismatch" });
    expect(await everythingIn(team.store)).toBe(before);
  });

  test("counts for one person, one project and one operation", async () => {
    const team = await startTeam(kind);
    const other = await team.colleague("other", "admin");
    const second = await team.project(team.owner);
    const invite = (as: TestPerson, project: string, email: string) =>
      team.call(
        "auth/invite/create",
        { email, permissions: asRole("viewer") },
        { as, project, headers: { "idempotency-key": "k1" } },
      );
    const answers = [
      await create(team, "k1"),
      await create(team, "k1", "Another's", other),
      await invite(team.owner, team.projectId, "a@example.com"),
      await invite(team.owner, second, "b@example.com"),
      await invite(other, team.projectId, "c@example.com"),
    ];
    expect(answers.map((each) => [each.status, each.headers["idempotency-replayed"]])).toEqual(
      Array(5).fill([200, undefined]),
    );
    for (const target of [team.owner, other]) {
      const removed = await team.call(
        `auth/users/${target.userId}/update`,
        { permissions: asRole("admin") },
        {
          ...team.inProject(team.owner),
          headers: { "idempotency-key": "k2" },
        },
      );
      expect(removed.body.user_id).toBe(target.userId);
    }
  });

  test("50 concurrent calls have one effect, and all get its response", async () => {
    const team = await startTeam(kind);
    const answers = await Promise.all(Array.from({ length: 50 }, () => create(team, "k1")));
    expect(answers.map((each) => each.status)).toEqual(Array(50).fill(200));
    expect(new Set(answers.map((each) => each.text)).size).toBe(1);
    expect(answers.filter((each) => each.headers["idempotency-replayed"] === undefined)).toHaveLength(1);
    expect(await countOf(team, "projects")).toBe(2);
  });

  test("50 concurrent starts of a tool start one run, all get its id, and none has to retry", async () => {
    const team = await startTeam(kind);
    const steps = [{ name: "wait", step: "wait", input: { seconds: 60 } }];
    const tool = { title: "Waits", params_schema: { type: "object" }, steps };
    const { tool_id } = (await team.call("tools/create", tool, team.inProject(team.owner))).body;
    const options = { ...team.inProject(team.owner), headers: { "idempotency-key": "k1" } };
    const start = (params: object = {}) => team.call(`tools/${tool_id}/trigger_async`, { params }, options);
    const answers = await Promise.all(Array.from({ length: 50 }, () => start()));
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(answers[0]?.status).toBe(200);
    expect(answers.filter(({ headers }) => headers["idempotency-replayed"] === undefined)).toHaveLength(1);
    expect(await countOf(team, "runs")).toBe(1);
    expect((await start({ other: 1 })).body.code).toBe("idempotency_mismatch");
    await team.call(`tools/${tool_id}/delete`, {}, team.inProject(team.owner));
    expect((await start()).text).toBe(answers[0]?.text);
  });

  test("a refused call does not use up the key: the corrected call succeeds with it", async () => {
    const team = await startTeam(kind);
    const member = await team.colleague("member", "viewer");
    const demote = (person: TestPerson) =>
      team.call(
        `auth/users/${team.owner.userId}/update`,
        { permissions: asRole("viewer") },
        {
          ...team.inProject(person),
          headers: { "idempotency-key": "k1" },
        },
      );
    expect((await create(team, "k1", "")).body.code).toBe("validation_failed");
    expect((await demote(team.owner)).body.code).toBe("last_admin");
    expect((await demote(member)).body.code).toBe("admin_required");
    expect(await countOf(team, "idempotent_answers")).toBe(0);
    expect((await create(team, "k1")).status).toBe(200);
    await team.call(`auth/users/${member.userId}/update`, { permissions: asRole("admin") }, team.inProject(team.owner));
    expect((await demote(team.owner)).status).toBe(200);
  });

  test("a commit that fails keeps neither the effect nor the response", async () => {
    const store = await newStore(kind);
    let isFailing = false;
    const failing: Store = {
      ...store,
      transaction: (work) =>
        store.transaction(async (db) => {
          const result = await work(db);
          if (isFailing) throw new StoreUnavailable("unreachable", new Error("The connection was lost."));
          return result;
        }),
    };
    const team = await startTeam(kind, { store: failing });
    const before = await everythingIn(store);
    isFailing = true;
    expect((await create(team, "k1")).body).toMatchObject({ status: 503, code: "unavailable" });
    expect(await everythingIn(store)).toBe(before);
    isFailing = false;
    const retried = await create(team, "k1");
    expect([retried.status, retried.headers["idempotency-replayed"]]).toEqual([200, undefined]);
  });

  test("is refused for a caller who has lost the role in the meantime", async () => {
    const team = await startTeam(kind);
    const member = await team.colleague("member", "admin");
    const rename = () =>
      team.call(
        "projects/update",
        { name: "Mine" },
        { ...team.inProject(member), headers: { "idempotency-key": "k1" } },
      );
    expect((await rename()).status).toBe(200);
    await team.call(`auth/users/${member.userId}/delete`, {}, team.inProject(team.owner));
    expect((await rename()).body.code).toBe("project_not_found");
  });

  test("is replayed for 24 hours, and runs again after that", async () => {
    const team = await startTeam(kind);
    const first = await create(team, "k1");
    team.advance(24 * hour - 60);
    await forgetOldAnswers(team.store, team.now());
    expect((await create(team, "k1")).text).toBe(first.text);
    team.advance(120);
    const later = await create(team, "k1");
    expect([later.status, later.headers["idempotency-replayed"]]).toEqual([200, undefined]);
    expect(later.body.project_id).not.toBe(first.body.project_id);
    team.advance(25 * hour);
    await forgetOldAnswers(team.store, team.now());
    expect(await countOf(team, "idempotent_answers")).toBe(0);
  });
});

describeOnBothStores("a response that contains a secret", (kind) => {
  test("is replayed for an hour, sealed in the store", async () => {
    const team = await startTeam(kind);
    const first = await createKey(team, "k1");
    const [row] = await team.store.query<{ body: string; sealed: number }>(
      "select body, sealed from idempotent_answers",
    );
    expect(row?.sealed).toBe(1);
    expect(row?.body).toMatch(/^v1\.[0-9a-f]{12}\.[\w-]+$/);
    expect(await everythingIn(team.store)).not.toContain(first.body.api_key);
    team.advance(hour - 60);
    await forgetOldAnswers(team.store, team.now());
    expect((await createKey(team, "k1")).text).toBe(first.text);
  });

  test("is deleted after that hour, and a repeat creates no second key", async () => {
    const team = await startTeam(kind);
    const first = await createKey(team, "k1");
    team.advance(hour + 60);
    const keys = await countOf(team, "api_keys");
    expect((await createKey(team, "k1")).body).toMatchObject({ status: 409, code: "idempotency_answer_gone" });
    await forgetOldAnswers(team.store, team.now());
    expect(await team.store.query("select body from idempotent_answers")).toEqual([{ body: null }]);
    expect((await createKey(team, "k1")).body).toMatchObject({ status: 409, code: "idempotency_answer_gone" });
    expect((await createKey(team, "k1", { label: "other" })).body.code).toBe("idempotency_mismatch");
    expect(await countOf(team, "api_keys")).toBe(keys);
    expect((await team.call("auth/info", {}, { authorization: `Bearer :${first.body.api_key}` })).status).toBe(200);
  });

  test("cannot be opened in another person's slot", async () => {
    const team = await startTeam(kind);
    const other = await team.colleague("other");
    await createKey(team, "k1");
    await team.store.transaction((db) => db.query("update idempotent_answers set user_id = $1", [other.userId]));
    const stolen = await team.call(
      "auth/keys/create",
      { label: "once" },
      {
        as: other,
        headers: { "idempotency-key": "k1" },
      },
    );
    expect([stolen.status, stolen.body.api_key]).toEqual([500, undefined]);
  });
});

describe("the Idempotency-Key header", () => {
  test.each([
    ["k", "k"],
    ["8e03978e-40d5-43dd-bc93-6894a57f9324", "8e03978e-40d5-43dd-bc93-6894a57f9324"],
    ['"8e03978e"', "8e03978e"],
    ['"a \\"b\\" \\\\c"', 'a "b" \\c'],
    ["two words", "two words"],
    ["x".repeat(255), "x".repeat(255)],
    [`"${"x".repeat(255)}"`, "x".repeat(255)],
  ])("%j is read as %j", (header, key) => {
    expect(readIdempotencyKey(header)).toBe(key);
  });

  test.each(["", '""', " ", " k", "k ", "x".repeat(256), "ä", "a\tb", "a\u0000b"])("%j is refused", (header) => {
    expect(() => readIdempotencyKey(header)).toThrow(expect.objectContaining({ code: "idempotency_key_invalid" }));
  });
});
