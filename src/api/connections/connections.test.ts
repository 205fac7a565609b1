import { expect, test } from "vitest";
import { describeOnBothStores, type StoreKind } from "../../../test/support/stores.ts";
import { sandboxUrls, startSandbox } from "../../../test/support/systems/vault.ts";
import {
  allPages,
  aTime,
  expectGuarded,
  expectRefused,
  expectSameRefusal,
  startTeam,
} from "../../../test/support/team.ts";

async function start(kind: StoreKind) {
  const [marketing, deployment, analytics] = await Promise.all(
    (["marketing", "deployment", "analytics"] as const).map(startSandbox),
  );
  if (!marketing || !deployment || !analytics) throw new Error("A sandbox is missing.");
  const sandboxes = sandboxUrls({ marketing: marketing.url, deployment: deployment.url, analytics: analytics.url });
  const team = await startTeam(kind, { sandboxes, clients: {}, privateOrigins: [deployment.url] });
  const asOwner = team.inProject(team.owner);
  const connect = async (body: Record<string, unknown> = { system: "marketing", instance: "sandbox" }) => {
    const answer = await team.call("connections/connect", body, asOwner);
    if (answer.status !== 200) throw new Error(answer.text);
    return answer.body.connection_id as string;
  };
  return { team, marketing, deployment, analytics, asOwner, connect };
}

describeOnBothStores("connections", (kind) => {
  test("connect: the record has everything about the account, and no secret", async () => {
    const { team, marketing, asOwner, connect } = await start(kind);
    const id = await connect({ system: "marketing", instance: "sandbox", label: "Newsletter" });
    const { body, text } = await team.call(`connections/${id}/get`, {}, asOwner);
    expect(body).toEqual({
      connection_id: id,
      project_id: team.projectId,
      system: "marketing",
      instance: "sandbox",
      addresses: { main: marketing.url },
      label: "Newsletter",
      state: "connected",
      state_reason: null,
      identity: expect.objectContaining({ email: "api-user@example.com" }),
      access_level: null,
      scopes: [],
      way_in: "client_credentials",
      health: { ok: true, reason: null, checked_at: aTime, next_check_at: aTime },
      policy: null,
      settings: {},
      created_at: aTime,
      created_by: team.owner.userId,
    });
    const everything = text + team.logged.join("") + JSON.stringify(await team.lastAudit());
    for (const secret of [marketing.credentials.client_secret, "access_token", "sealed"]) {
      expect(everything).not.toContain(secret);
    }
    expect(await team.lastAudit()).toMatchObject({
      action: "connection.connect",
      target: id,
      details: { system: "marketing" },
    });
  });

  test("connect: bad input is refused with a reason, and nothing is stored", async () => {
    const { team, asOwner } = await start(kind);
    await expectRefused(team, "connections/connect", asOwner, [
      [{}, 400, "malformed_request"],
      [{ system: "mail", instance: "sandbox" }, 422, "validation_failed", "#/system"],
      [{ system: "marketing", instance: 7 }, 400, "malformed_request", "#/instance"],
      [{ system: "marketing", instance: "nowhere", credentials: {} }, 422, "validation_failed"],
      [{ system: "marketing", instance: "live" }, 422, "validation_failed", "#/credentials/client_id"],
      [{ system: "deployment", instance: "live" }, 409, "sign_in_not_configured"],
      [{ system: "analytics", instance: "live" }, 409, "sign_in_not_configured"],
      [{ system: "deployment", instance: "sandbox", credentials: { token: "wrong" } }, 422, "authentication_failed"],
      [{ system: "marketing", instance: "sandbox", connection_id: "con_us_none" }, 404, "connection_not_found"],
    ]);
    const { body } = await team.call("connections/connect", { system: "analytics", instance: "live" }, asOwner);
    expect(body.detail).toContain("`SIGNALBOX_ANALYTICS_CLIENT_ID_US`");
    expect(body.remedy).toContain("`service_account_key`");
    const wrong = { system: "deployment", instance: "sandbox", credentials: { token: "wrong" } };
    const refused = await team.call("connections/connect", wrong, asOwner);
    expect(refused.body).toMatchObject({
      reason: "invalid_credentials",
      remedy: expect.stringContaining("credentials"),
    });
  });

  test("connect: only an admin may allow another address, or set the daily quota", async () => {
    const { team } = await start(kind);
    const editor = await team.colleague("editor", "editor");
    const wish = { system: "deployment", instance: "https://deploy.example.invalid", credentials: { token: "t" } };
    const refused = await team.call("connections/connect", wish, team.inProject(editor));
    expect([refused.status, refused.body.code]).toEqual([403, "admin_required"]);
    const sandboxed = { system: "deployment", instance: "sandbox", credentials: { token: "t" } };
    const quota = { ...sandboxed, settings: { daily_quota: 5 } };
    const asked = await team.call("connections/connect", quota, team.inProject(editor));
    expect([asked.status, asked.body.code]).toEqual([403, "admin_required"]);
    const admin = await team.colleague("admin", "admin");
    const tried = await team.call("connections/connect", wish, team.inProject(admin));
    expect(tried.body).toMatchObject({ code: "authentication_failed", reason: "wrong_endpoint" });
  });

  test("connect: an editor may reconnect at an address that an admin has allowed", async () => {
    const { team, deployment } = await start(kind);
    const admin = team.inProject(await team.colleague("admin", "admin"));
    const { token } = deployment.credentials;
    const wish = { system: "deployment", instance: deployment.url, credentials: { token } };
    const { body } = await team.call("connections/connect", wish, admin);
    const record = (await team.call(`connections/${body.connection_id}/get`, {}, admin)).body;
    expect(record).toMatchObject({ instance: "custom", addresses: { main: deployment.url } });
    const editor = team.inProject(await team.colleague("editor", "editor"));
    const again = { ...wish, instance: "custom", connection_id: body.connection_id };
    expect((await team.call("connections/connect", again, editor)).body).toEqual(body);
    const another = await team.call("connections/connect", { ...again, instance: "https://example.org" }, editor);
    expect(another.body.code).toBe("admin_required");
  });

  test("connect: a repeat with the same Idempotency-Key connects nothing a second time", async () => {
    const { team, asOwner } = await start(kind);
    const body = { system: "marketing", instance: "sandbox" };
    const options = { ...asOwner, headers: { "idempotency-key": "once" } };
    const first = await team.call("connections/connect", body, options);
    const second = await team.call("connections/connect", body, options);
    expect(second.body).toEqual(first.body);
    expect(second.headers["idempotency-replayed"]).toBe("true");
    expect(await team.store.query("select id from connections")).toHaveLength(1);
  });

  test("list: a page at a time, by system, removed ones too", async () => {
    const { team, deployment, asOwner, connect } = await start(kind);
    const ids = [await connect(), await connect()];
    const { token } = deployment.credentials;
    ids.push(await connect({ system: "deployment", instance: "sandbox", credentials: { token } }));
    await team.call(`connections/${ids[0]}/remove`, {}, asOwner);
    const pages = await allPages(team.call, "connections/list", { limit: 2 }, asOwner);
    expect(pages.map((page) => page.map((record) => record.connection_id))).toEqual([ids.slice(0, 2), ids.slice(2)]);
    const { body } = await team.call("connections/list", { system: "deployment" }, asOwner);
    expect(body.results.map((record: { connection_id: string }) => record.connection_id)).toEqual([ids[2]]);
  });

  test("check: returns the account and the time of the next check; a revoked grant needs to be reconnected", async () => {
    const { team, deployment, asOwner, connect } = await start(kind);
    const { token, team_id } = deployment.credentials;
    const id = await connect({ system: "deployment", instance: "sandbox", credentials: { token, team_id } });
    team.advance(60);
    const well = await team.call(`connections/${id}/check`, {}, asOwner);
    expect(well.body).toMatchObject({ state: "connected", health: { ok: true }, identity: { team_id } });
    expect(await team.lastAudit()).toMatchObject({ action: "connection.checked", details: { found: "well" } });
    const user = { match: { path: "/v2/user" }, times: 1 };
    await deployment.control("faults", { ...user, status: 503, body: {} });
    const away = await team.call(`connections/${id}/check`, {}, asOwner);
    expect(away.body).toMatchObject({
      state: "connected",
      health: { ok: false, reason: expect.stringContaining("503") },
    });
    const error = { code: "forbidden", message: "Not authorized", invalidToken: true };
    await deployment.control("faults", { ...user, status: 403, body: { error } });
    const lost = await team.call(`connections/${id}/check`, {}, asOwner);
    expect(lost.body).toMatchObject({ state: "needs_reconnect", health: { ok: false, next_check_at: null } });
  });

  test("update: label and limits by an editor, the policy and the daily quota by an admin alone", async () => {
    const { team, asOwner, connect } = await start(kind);
    const id = await connect();
    const editor = team.inProject(await team.colleague("editor", "editor"));
    const path = `connections/${id}/update`;
    const renamed = await team.call(path, { label: "New", settings: { concurrent_calls: 5 } }, editor);
    expect(renamed.body).toMatchObject({ label: "New", settings: { concurrent_calls: 5 } });
    for (const settings of [{ daily_quota: 50_000 }, { daily_quota: null, burst_calls: 7 }]) {
      const quota = await team.call(path, { label: "Quota", settings }, editor);
      expect([quota.status, quota.body.code]).toEqual([403, "admin_required"]);
    }
    const raised = await team.call(path, { settings: { daily_quota: 50_000 } }, asOwner);
    expect(raised.body).toMatchObject({ label: "New", settings: { daily_quota: 50_000, concurrent_calls: 5 } });
    const merged = await team.call(path, { settings: { daily_quota: null, burst_calls: 50 } }, asOwner);
    expect(merged.body).toMatchObject({ label: "New", settings: { burst_calls: 50 } });
    expect(merged.body.settings).not.toHaveProperty("daily_quota");
    const policy = { rules: [{ effect: "allow", methods: ["GET"] }] };
    const refused = await team.call(path, { policy }, editor);
    expect([refused.status, refused.body.code]).toEqual([403, "admin_required"]);
    expect((await team.call(path, { policy }, asOwner)).body.policy).toEqual(policy);
    expect((await team.call(path, { policy: null }, asOwner)).body.policy).toBeNull();
    const mistyped = await team.call(path, { settings: { dailyQuota: 5 } }, editor);
    expect(mistyped.body.errors[0].detail).toContain("`daily_quota`, `burst_calls`, `concurrent_calls`");
    await expectRefused(team, path, asOwner, [
      [{ label: "" }, 422, "validation_failed", "#/label"],
      [{ settings: { daily_quota: 0 } }, 422, "validation_failed", "#/settings/daily_quota"],
      [{ settings: { other: 1 } }, 422, "validation_failed", "#/settings"],
      [{ policy: { rules: [{ effect: "perhaps" }] } }, 422, "validation_failed"],
    ]);
  });

  test("impact: what uses it", async () => {
    const { team, asOwner, connect } = await start(kind);
    const { body } = await team.call(`connections/${await connect()}/impact`, {}, asOwner);
    expect(body).toEqual({ tools: [], agents: [], schedules: [] });
  });

  test("remove: the credentials are destroyed, pasted ones are revoked only on request, and it can be reconnected", async () => {
    const { team, analytics, asOwner, connect } = await start(kind);
    const { refresh_tokens, client_id, client_secret } = analytics.credentials.oauth;
    const credentials = { refresh_token: refresh_tokens.viewer, client_id, client_secret };
    const wish = { system: "analytics", instance: "sandbox", credentials };
    const id = await connect(wish);
    const removed = await team.call(`connections/${id}/remove`, {}, asOwner);
    expect(removed.body).toMatchObject({ connection_id: id, removed: true, revoked: { at_system: false } });
    expect(await analytics.requests("/revoke")).toEqual([]);
    expect(await team.store.query("select id from connections where sealed is not null")).toEqual([]);
    const { body } = await team.call(`connections/${id}/get`, {}, asOwner);
    expect(body).toMatchObject({ state: "removed", state_reason: expect.stringContaining("pasted") });
    for (const operation of ["remove", "check", "update"]) {
      const answer = await team.call(`connections/${id}/${operation}`, {}, asOwner);
      expect([operation, answer.status, answer.body.code]).toEqual([operation, 409, "connection_removed"]);
    }
    expect(await connect({ ...wish, connection_id: id })).toBe(id);
    await team.call(`connections/${id}/remove`, { revoke: true }, asOwner);
    expect(await analytics.requests("/revoke")).toMatchObject([{ status: 200 }]);
  });

  test("each operation requires its role, and another organization's connection looks absent", async () => {
    const { team, connect } = await start(kind);
    const id = await connect();
    const neighbour = await team.neighbour();
    const next = { as: neighbour.owner, project: neighbour.projectId };
    for (const operation of ["get", "check", "update", "impact", "remove"]) {
      const foreign = await team.call(`connections/${id}/${operation}`, {}, next);
      const absent = await team.call(`connections/con_us_none/${operation}`, {}, next);
      expectSameRefusal("connection_not_found", foreign, absent);
    }
    const reconnect = { system: "marketing", instance: "sandbox", connection_id: id };
    expect((await team.call("connections/connect", reconnect, next)).body.code).toBe("connection_not_found");
    expect((await team.call("connections/list", {}, next)).body.results).toEqual([]);
    const begun = await team.call(
      "connections/connect",
      { system: "deployment", instance: "sandbox" },
      team.inProject(team.owner),
    );
    const asked = await team.call("connections/status", { connect_id: begun.body.connect_id }, next);
    expectSameRefusal("connect_not_found", asked, await team.call("connections/status", { connect_id: "none" }, next));
  });

  test.each([
    ["connections/connect", { system: "marketing", instance: "sandbox" }, "editor"],
    ["connections/status", { connect_id: "none" }, "editor"],
    ["connections/list", {}, "viewer"],
    ["connections/con_us_none/get", {}, "viewer"],
    ["connections/con_us_none/check", {}, "editor"],
    ["connections/con_us_none/update", {}, "editor"],
    ["connections/con_us_none/impact", {}, "viewer"],
    ["connections/con_us_none/remove", {}, "editor"],
  ] as const)("%s is guarded", async (operation, body, role) => {
    await expectGuarded(await startTeam(kind), operation, body, role);
  });
});
