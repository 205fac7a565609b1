import { expect, test } from "vitest";
import { startPlatform } from "../../test/support/platform.ts";
import { describeOnBothStores } from "../../test/support/stores.ts";
import { asRole, startTeam } from "../../test/support/team.ts";
import { deactivateUser, reactivateUser } from "../access/deactivation.ts";
import { readEmail } from "../access/email.ts";
import { createAccountAsOperator, operatorScope } from "../access/operator.ts";
import { type Db, isDynamic } from "../store/db.ts";
import { announceChanges } from "./announce-changes.ts";
import { listProjectSubscribers } from "./webhooks.ts";

const address = "https://hooks.example.com/signalbox";

describeOnBothStores("a change of an account by the operator's command", (kind) => {
  test("is announced to the organization once, and to every project that the person is in", async () => {
    const team = await startTeam(kind);
    const ada = await team.colleague("ada", "editor");
    const listen = async (more: object = {}) =>
      (await team.call("webhooks/create", { url: address, events: ["*"], ...more }, team.inProject(team.owner))).body
        .webhook_id;
    const ofProject = await listen();
    const ofOrganization = await listen({ whole_organization: true });
    const elsewhere = await team.project(team.owner, "Without her");
    const other = { as: team.owner, project: elsewhere };
    const { body: deaf } = await team.call("webhooks/create", { url: address, events: ["*"] }, other);

    const scope = operatorScope(team.store, "us", team.now, announceChanges(null));
    await deactivateUser(scope, ada.userId);
    await deactivateUser(scope, ada.userId);
    await reactivateUser(scope, ada.userId);
    const email = readEmail("new@example.com");
    if (!email) throw new Error("The address does not pass our own grammar.");
    await createAccountAsOperator(scope, { email, organizationId: team.owner.organizationId });

    const received = async (id: string, options = team.inProject(team.owner)) => {
      const { body } = await team.call(`webhooks/${id}/deliveries`, {}, options);
      return body.results.map((each: { type: string }) => each.type).toSorted();
    };
    expect(await received(ofProject)).toEqual(["user.deactivated", "user.reactivated"]);
    expect((await received(ofOrganization)).filter((type: string) => type.startsWith("user."))).toEqual([
      "user.created",
      "user.deactivated",
      "user.reactivated",
    ]);
    expect(await received(deaf.webhook_id, other)).toEqual([]);
    const bodies = await team.store.query<{ body: string }>(
      "select body from deliveries where type = 'user.deactivated'",
    );
    for (const { body } of bodies) expect(JSON.parse(body).data).toMatchObject({ target: ada.userId, by: null });
  });
});

describeOnBothStores("an account event", (kind) => {
  test("names no other project to a project, nor keys, sessions and invites; the organization gets everything", async () => {
    const team = await startTeam(kind);
    const ada = await team.colleague("ada", "editor");
    const led = [await team.project(team.owner, "Led"), await team.project(team.owner, "Led, too")];
    const admin = { email: ada.email, permissions: asRole("admin") };
    for (const project of led) {
      expect((await team.call("auth/invite/create", admin, { as: team.owner, project })).status).toBe(200);
      const leave = `auth/users/${team.owner.userId}/delete`;
      expect((await team.call(leave, {}, { as: team.owner, project })).status).toBe(200);
    }
    const wish = { url: address, events: ["*"] };
    const listen = async (project: string, more: object = {}): Promise<string> =>
      (await team.call("webhooks/create", { ...wish, ...more }, { as: team.owner, project })).body.webhook_id;
    const ofProjects = await Promise.all([team.projectId, ...led].map(async (id) => [id, await listen(id)] as const));
    const ofOrganization = await listen(team.projectId, { whole_organization: true });

    await team.call("organizations/users/deactivate", { user_id: ada.userId }, { as: team.owner });
    const scope = operatorScope(team.store, "us", team.now, announceChanges(null));
    await reactivateUser(scope, ada.userId);
    const { email } = ada;
    const deleted = { email, projects_without_active_admin: led, keys_deactivated: 1, keys_revoked: 7 };
    const created = { email, provider_id: "idp_us_1", key_id: "key_us_1" };
    await team.store.transaction(async (db) => {
      for (const [action, details] of Object.entries({ "user.deleted": deleted, "user.created": created })) {
        const entry = { action, target: ada.userId, projectId: null, details };
        await scope.announce({ ...scope, db }, team.owner.organizationId, entry);
      }
    });

    const received = async (id: string) => {
      const sql = "select type, body from deliveries where webhook_id = $1 and type like 'user.%' order by id";
      const rows = await team.store.query<{ type: string; body: string }>(sql, [id]);
      return Object.fromEntries(rows.map(({ type, body }) => [type, JSON.parse(body).data.details]));
    };
    for (const [projectId, webhook] of ofProjects) {
      const left = { email, projects_without_active_admin: led.includes(projectId) ? [projectId] : [] };
      expect([projectId, await received(webhook)]).toEqual([
        projectId,
        { "user.deactivated": left, "user.reactivated": { email }, "user.deleted": left, "user.created": { email } },
      ]);
    }
    expect(await received(ofOrganization)).toMatchObject({
      "user.deactivated": { email, projects_without_active_admin: led.toSorted(), keys_deactivated: 1 },
      "user.reactivated": { email, key_id: expect.stringMatching(/^key_us_/) },
      "user.deleted": deleted,
      "user.created": created,
    });
  });
});

describeOnBothStores("the webhooks of several projects", (kind) => {
  // How many projects a person is in would otherwise choose how much memory the statements and their results take.
  test("are found by a statement that is neither kept prepared nor cached", async () => {
    const { store, owner, project } = await startTeam(kind);
    const projects = [await project(owner, "One"), await project(owner, "Two")];
    const texts: string[] = [];
    const watched: Db = {
      ...store,
      query: (sql, values) => {
        texts.push(sql);
        return store.query(sql, values);
      },
    };
    await listProjectSubscribers(watched, "user.deactivated", projects, 10);
    expect(texts.map(isDynamic)).toEqual([true]);
  });
});

describeOnBothStores("a connection that is lost", (kind) => {
  test("is announced once, in the transaction that changes its state", async () => {
    const platform = await startPlatform(kind);
    const { body: hook } = await platform.call("webhooks/create", {
      url: address,
      events: ["connection.needs_reconnect"],
    });
    const { analytics } = platform.sandboxes;
    const credentials = { refresh_token: analytics.credentials.oauth.refresh_tokens.viewer };
    const wish = { system: "analytics", instance: "sandbox", credentials, label: "viewer" };
    const { body: made } = await platform.call("connections/connect", wish);
    const connection = made.connection_id;
    await fetch(`${analytics.url}/revoke`, {
      method: "POST",
      body: new URLSearchParams({ token: credentials.refresh_token }),
    });
    const input = {
      property_id: "1000",
      metrics: ["sessions"],
      date_range: { start_date: "7daysAgo", end_date: "yesterday" },
    };
    const runs = await Promise.all([1, 2, 3].map(() => platform.run("run_reports", input, { connection })));
    for (const { body } of runs) expect(body.problem.code).toBe("needs_reconnect");
    expect((await platform.call(`webhooks/${hook.webhook_id}/deliveries`)).body.results).toHaveLength(1);
    const [delivery] = await platform.app.store.query<{ body: string }>("select body from deliveries");
    expect(JSON.parse(delivery?.body ?? "").data).toMatchObject({ connection_id: connection, system: "analytics" });
    expect(delivery?.body).not.toContain(credentials.refresh_token);
  });
});
