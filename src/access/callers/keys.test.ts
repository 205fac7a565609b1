import { expect, test } from "vitest";
import type { TestPerson } from "../../../test/support/app.ts";
import { describeOnBothStores } from "../../../test/support/stores.ts";
import {
  allPages,
  aTime,
  everythingIn,
  expectRefused,
  expectSameRefusal,
  expectWrongRegion,
  startTeam,
  type Team,
} from "../../../test/support/team.ts";
import { newId } from "../../kernel/ids.ts";
import { newApiKey } from "./api-key-format.ts";
import { createLastUsed } from "./last-used.ts";

const day = 86_400;
const aKeyId = expect.stringMatching(/^key_us_[0-9a-z]{26}$/);
const aKey = expect.stringMatching(/^sbk_us_[0-9A-Za-z]{49}$/);

interface MadeKey {
  key_id: string;
  api_key: string;
  expires_at: string | null;
}

async function makeKey({ call }: Team, as: TestPerson, wanted: object = {}): Promise<MadeKey> {
  const answer = await call("auth/keys/create", wanted, { as });
  expect(answer.status).toBe(200);
  return answer.body;
}

/** The response to a call with the key: 200, or the code of the problem. */
async function stateOf({ call }: Team, key: { api_key: string }): Promise<number | string> {
  const answer = await call("auth/info", {}, { authorization: `Bearer :${key.api_key}` });
  expect([200, 401]).toContain(answer.status);
  return answer.body.code ?? answer.status;
}

const listed = async ({ call }: Team, as: TestPerson) => (await call("auth/keys/list", {}, { as })).body.results;

describeOnBothStores("create a key", (kind) => {
  test("it is shown once, works at once, and cannot be derived from what is stored", async () => {
    const team = await startTeam(kind);
    const answer = await team.call("auth/keys/create", { label: "nightly" }, { as: team.owner });
    expect([answer.status, answer.body]).toEqual([200, { key_id: aKeyId, api_key: aKey, expires_at: null }]);
    expect(await stateOf(team, answer.body)).toBe(200);
    const kept = `${await everythingIn(team.store)}${team.logged.join("")}`;
    expect(kept).not.toContain(answer.body.api_key.slice(7, 50));
    expect(await team.lastAudit()).toMatchObject({
      action: "key.created",
      user_id: team.owner.userId,
      target: answer.body.key_id,
      details: { label: "nightly" },
    });
  });

  test("bad input is refused, and no key is created", async () => {
    const team = await startTeam(kind);
    await expectRefused(team, "auth/keys/create", { as: team.owner }, [
      [{ label: 7 }, 400, "malformed_request", "#/label"],
      [{ label: "x".repeat(201) }, 422, "validation_failed", "#/label"],
      [{ label: "a\u0007b" }, 422, "validation_failed", "#/label"],
      [{ expires_at: "soon" }, 422, "validation_failed", "#/expires_at"],
      [{ expires_at: 1 }, 400, "malformed_request", "#/expires_at"],
      [{ expires_at: "2020-01-01T00:00:00Z" }, 422, "validation_failed", "#/expires_at"],
      [{ project_ids: "prj" }, 400, "malformed_request", "#/project_ids"],
      [{ project_ids: [] }, 422, "validation_failed", "#/project_ids"],
      [{ project_ids: [7] }, 400, "malformed_request", "#/project_ids/0"],
      [{ project_ids: Array(101).fill("prj") }, 422, "validation_failed", "#/project_ids"],
      [{ max_role: "owner" }, 422, "validation_failed", "#/max_role"],
      [{ max_role: ["viewer"] }, 400, "malformed_request", "#/max_role"],
      [{ project_ids: [newId("project", "eu")] }, 421, "wrong_region"],
    ]);
    const elsewhere = await team.call(
      "auth/keys/create",
      { project_ids: [newId("project", "eu")] },
      { as: team.owner },
    );
    expectWrongRegion(elsewhere, "eu");
    expectWrongRegion(await team.call("auth/keys/create", {}, { authorization: `Bearer :${newApiKey("au")}` }), "au");
  });
});

describeOnBothStores("list keys", (kind) => {
  test("a person sees their own, page by page, and never the keys themselves", async () => {
    const team = await startTeam(kind);
    const [first] = await listed(team, team.owner);
    const made = [await makeKey(team, team.owner, { label: "b", max_role: "viewer" }), await makeKey(team, team.owner)];
    await makeKey(team, await team.colleague("other"));
    const lastUsed = createLastUsed(team.store);
    lastUsed.record(made[0]?.key_id ?? "", Date.parse("2030-01-01T00:00:00.000Z"));
    await lastUsed.flush();

    const pages = await allPages(team.call, "auth/keys/list", { limit: 2 }, { as: team.owner });
    expect(pages.map((page) => page.map((each) => each.key_id))).toEqual([
      [first.key_id, made[0]?.key_id],
      [made[1]?.key_id],
    ]);
    expect(pages[0]?.[1]).toEqual({
      key_id: made[0]?.key_id,
      user_id: team.owner.userId,
      label: "b",
      hint: made[0]?.api_key.slice(-4),
      project_ids: null,
      max_role: "viewer",
      status: "active",
      created_at: aTime,
      expires_at: null,
      revoked_at: null,
      last_used_at: "2030-01-01T00:00:00.000Z",
    });
    expect(JSON.stringify(pages)).not.toContain("sbk_");
  });
});

describeOnBothStores("the life of a key", (kind) => {
  test("ends when it expires", async () => {
    const team = await startTeam(kind);
    const expires_at = new Date(team.now().getTime() + day * 1000).toISOString();
    const key = await makeKey(team, team.owner, { expires_at: expires_at.replace("Z", "+00:00") });
    expect(key.expires_at).toBe(expires_at);
    team.advance(day - 60);
    expect(await stateOf(team, key)).toBe(200);
    team.advance(60);
    expect(await stateOf(team, key)).toBe("key_expired");
    expect((await listed(team, team.owner)).at(-1)).toMatchObject({ key_id: key.key_id, status: "expired" });
  });

  test("ends when it is revoked, at once and for good, also by the key itself", async () => {
    const team = await startTeam(kind);
    const key = await makeKey(team, team.owner);
    const { key_id } = key;
    const answer = await team.call("auth/keys/revoke", { key_id }, { authorization: `Bearer :${key.api_key}` });
    expect([answer.status, answer.body]).toEqual([200, { key_id, revoked: true }]);
    expect(await stateOf(team, key)).toBe("key_revoked");
    expect(await team.lastAudit()).toMatchObject({ action: "key.revoked", target: key_id, key_id });
    expect((await listed(team, team.owner)).at(-1)).toMatchObject({ key_id, status: "revoked", revoked_at: aTime });
    for (const operation of ["auth/keys/revoke", "auth/keys/reroll", "auth/keys/enable"]) {
      await expectRefused(team, operation, { as: team.owner }, [[{ key_id }, 409, "key_already_revoked"]]);
    }
  });

  test("overlaps with that of its successor, which has the same restrictions and lifetime", async () => {
    const team = await startTeam(kind);
    const limits = { label: "ci", project_ids: [team.projectId], max_role: "editor" };
    const expires_at = new Date(team.now().getTime() + 10 * day * 1000).toISOString();
    const old = await makeKey(team, team.owner, { ...limits, expires_at });
    team.advance(5 * day);
    const answer = await team.call("auth/keys/reroll", { key_id: old.key_id }, { as: team.owner });
    const { api_key, key_id, old_expires_at } = answer.body;
    expect([answer.status, answer.body]).toEqual([
      200,
      { key_id: aKeyId, api_key: aKey, expires_at: aTime, replaces: old.key_id, old_expires_at: aTime },
    ]);
    const days = (text: string) => Math.round((Date.parse(text) - team.now().getTime()) / (day * 1000));
    expect([days(old_expires_at), days(answer.body.expires_at)]).toEqual([1, 10]);
    expect((await listed(team, team.owner)).at(-1)).toMatchObject({ key_id, ...limits });
    expect(await team.lastAudit()).toMatchObject({
      action: "key.rerolled",
      target: old.key_id,
      details: { new_key_id: key_id },
    });
    expect([await stateOf(team, old), await stateOf(team, { api_key })]).toEqual([200, 200]);
    team.advance(day);
    expect([await stateOf(team, old), await stateOf(team, { api_key })]).toEqual(["key_expired", 200]);
  });

  test("is not extended by an overlap, and may end without one", async () => {
    const team = await startTeam(kind);
    const expires_at = new Date(team.now().getTime() + 3_600_000).toISOString();
    const old = await makeKey(team, team.owner, { expires_at });
    const reroll = (wanted: object) => team.call("auth/keys/reroll", wanted, { as: team.owner });
    const first = await reroll({ key_id: old.key_id, overlap_seconds: 2_592_000, expires_at: null });
    expect(first.body).toMatchObject({ old_expires_at: expires_at, expires_at: null });
    await reroll({ key_id: first.body.key_id, overlap_seconds: 0 });
    expect(await stateOf(team, first.body)).toBe("key_expired");
  });

  test("a second successor of the same key lives as long as the first", async () => {
    const team = await startTeam(kind);
    const expires_at = new Date(team.now().getTime() + 10 * day * 1000).toISOString();
    const lasting = await makeKey(team, team.owner, {});
    const ending = await makeKey(team, team.owner, { expires_at });
    const reroll = (key_id: string) => team.call("auth/keys/reroll", { key_id }, { as: team.owner });
    for (const key of [lasting, ending]) {
      const [first, second] = [(await reroll(key.key_id)).body, (await reroll(key.key_id)).body];
      const daysOf = (text: string | null) =>
        text === null ? null : Math.round((Date.parse(text) - team.now().getTime()) / (day * 1000));
      expect(daysOf(second.expires_at)).toBe(daysOf(first.expires_at));
    }
  });

  test("a bad reroll creates no key", async () => {
    const team = await startTeam(kind);
    const { key_id } = await makeKey(team, team.owner);
    await expectRefused(team, "auth/keys/reroll", { as: team.owner }, [
      [{}, 400, "malformed_request", "#/key_id"],
      [{ key_id, overlap_seconds: -1 }, 422, "validation_failed", "#/overlap_seconds"],
      [{ key_id, overlap_seconds: 2_592_001 }, 422, "validation_failed", "#/overlap_seconds"],
      [{ key_id, overlap_seconds: 1.5 }, 400, "malformed_request", "#/overlap_seconds"],
      [{ key_id, expires_at: "2020-01-01T00:00:00Z" }, 422, "validation_failed", "#/expires_at"],
    ]);
  });
});

describeOnBothStores("another person's key", (kind) => {
  test("looks absent to a colleague and to another organization's owner; another region's is refused with that region", async () => {
    const team = await startTeam(kind);
    const { key_id } = await makeKey(team, team.owner);
    const colleague = await team.colleague("colleague", "admin");
    const { owner: stranger } = await team.neighbour();
    const before = await everythingIn(team.store);
    for (const operation of ["auth/keys/revoke", "auth/keys/reroll", "auth/keys/enable"]) {
      const absent = await team.call(operation, { key_id: newId("key", "us") }, { as: stranger });
      expect(absent.status).toBe(404);
      for (const as of [colleague, stranger]) {
        expectSameRefusal("key_not_found", await team.call(operation, { key_id }, { as }), absent);
      }
      expect((await team.call(operation, { key_id: 7 }, { as: stranger })).status).toBe(400);
      expect((await team.call(operation, { key_id: "\u0000" }, { as: stranger })).status).toBe(422);
    }
    for (const operation of ["auth/keys/list", "auth/keys/revoke", "auth/keys/reroll", "auth/keys/enable"]) {
      expectWrongRegion(await team.call(operation, { key_id }, { authorization: `Bearer :${newApiKey("eu")}` }), "eu");
    }
    expect(await everythingIn(team.store)).toBe(before);
  });

  test("can be revoked by their organization's owner, but never rerolled: the new key would act as them", async () => {
    const team = await startTeam(kind);
    const key = await makeKey(team, await team.colleague("colleague"));
    await expectRefused(team, "auth/keys/reroll", { as: team.owner }, [[{ key_id: key.key_id }, 404, "key_not_found"]]);
    expect((await team.call("auth/keys/revoke", { key_id: key.key_id }, { as: team.owner })).status).toBe(200);
    expect(await stateOf(team, key)).toBe("key_revoked");
  });
});
