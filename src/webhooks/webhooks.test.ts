import { describe, expect, test } from "vitest";
import { describeOnBothStores } from "../../test/support/stores.ts";
import { allPages, aTime, expectGuarded, expectRefused, startTeam, type Team } from "../../test/support/team.ts";
import { isGenuine, startReceiver } from "../../test/support/webhooks/receiver.ts";
import { eventOfChange } from "./event-types.ts";

const wanted = { url: "https://example.com/hooks?for=us", events: ["run.failed", "run.failed", "key.created"] };

async function create(team: Team, more: object = {}) {
  return team.call("webhooks/create", { ...wanted, ...more }, team.inProject(team.owner));
}

describeOnBothStores("a webhook", (kind) => {
  test("is created with a secret that is shown once and stored sealed", async () => {
    const team = await startTeam(kind);
    const { status, body } = await create(team);
    expect(status).toBe(200);
    const { webhook_secret: secret, ...record } = body;
    expect(secret).toMatch(/^whsec_[\w+/]{43}=$/);
    expect(record).toEqual({
      webhook_id: expect.stringMatching(/^whk_us_/),
      project_id: team.projectId,
      whole_organization: false,
      url: wanted.url,
      description: "",
      events: ["run.failed", "key.created"],
      status: "enabled",
      status_reason: null,
      created_by: team.owner.userId,
      created_at: aTime,
      updated_at: aTime,
    });
    const { body: listed } = await team.call("webhooks/list", {}, team.inProject(team.owner));
    expect(listed).toEqual({ results: [record], next: null });
    expect(JSON.stringify(await team.store.query("select * from webhooks"))).not.toContain(secret.slice(6));
    const audit = await team.lastAudit();
    expect(audit).toMatchObject({ action: "webhook.created", target: record.webhook_id });
    expect(JSON.stringify([audit, team.logged])).not.toMatch(/whsec_\w|for=us/);
  });

  test("receives every event by default", async () => {
    const team = await startTeam(kind);
    const { body } = await team.call("webhooks/create", { url: wanted.url }, team.inProject(team.owner));
    expect(body.events).toEqual(["*"]);
  });

  test("cannot be created with an invalid address or unknown events, and nothing is stored", async () => {
    const team = await startTeam(kind);
    const refusals = [
      ["not an address", "#/url"],
      ["http://example.com/hooks", "#/url"],
      ["ftp://example.com/hooks", "#/url"],
      ["https://user:pass@example.com/hooks", "#/url"],
      ["https://example.com/hooks#here", "#/url"],
      ["https://127.0.0.1/hooks", "#/url"],
      ["https://0x7f.1/hooks", "#/url"],
      ["https://[::1]/hooks", "#/url"],
      ["https://169.254.169.254/latest/meta-data", "#/url"],
      ["https://localhost/hooks", "#/url"],
      ["https://10.0.0.7/hooks", "#/url"],
      ["https://example.com/a//b", "#/url"],
      ["https://example.com/%2e%2e%2fadmin", "#/url"],
    ] as const;
    await expectRefused(team, "webhooks/create", team.inProject(team.owner), [
      ...refusals.map(([url, pointer]): [unknown, number, string, string] => [
        { ...wanted, url },
        422,
        "validation_failed",
        pointer,
      ]),
      [{ ...wanted, events: [] }, 422, "validation_failed", "#/events"],
      [{ ...wanted, events: ["run.exploded"] }, 422, "validation_failed", "#/events/0"],
      [{ ...wanted, events: ["webhook.test"] }, 422, "validation_failed", "#/events/0"],
      [{ ...wanted, events: "*" }, 400, "malformed_request", "#/events"],
      [{ events: ["*"] }, 400, "malformed_request", "#/url"],
    ]);
    expect(await team.store.query("select id from webhooks")).toEqual([]);
  });

  test("is created by admins, and of a whole organization by its owner alone", async () => {
    const team = await startTeam(kind);
    await expectGuarded(team, "webhooks/create", wanted, "admin");
    const admin = await team.colleague("admin", "admin");
    const whole = { ...wanted, whole_organization: true };
    expect((await team.call("webhooks/create", whole, team.inProject(admin))).body.code).toBe("owner_required");
    const { body: key } = await team.call("auth/keys/create", { max_role: "admin" }, { as: team.owner });
    const authorization = `Bearer ${team.projectId}:${key.api_key}`;
    expect((await team.call("webhooks/create", whole, { authorization })).body.code).toBe("key_restricted");
    const { body } = await create(team, { whole_organization: true });
    // Others see that it exists and its origin, but no path, which often holds a secret.
    const seen = await team.call(`webhooks/${body.webhook_id}/get`, {}, team.inProject(admin));
    const listed = await team.call("webhooks/list", {}, team.inProject(admin));
    const { origin } = new URL(wanted.url);
    expect([seen.body.url, listed.body.results[0].url]).toEqual([origin, origin]);
    const own = await team.call(`webhooks/${body.webhook_id}/get`, {}, team.inProject(team.owner));
    expect(own.body.url).toBe(wanted.url);
    // Its events concern other projects too, so only the owner may read them, or redirect them.
    for (const what of ["update", "rotate_secret", "delete", "test", "deliveries", "replay"]) {
      const path = `webhooks/${body.webhook_id}/${what}`;
      const answer = await team.call(path, { url: "https://example.net/mine" }, team.inProject(admin));
      expect([what, answer.body.code]).toEqual([what, "owner_required"]);
    }
  });

  test("of another project or organization looks absent, whatever the call", async () => {
    const team = await startTeam(kind);
    const { webhook_id: id } = (await create(team)).body;
    const next = await team.neighbour();
    const other = await team.project(team.owner, "Another");
    for (const what of ["get", "update", "rotate_secret", "delete", "test", "deliveries", "replay"]) {
      for (const options of [
        { as: next.owner, project: next.projectId },
        { as: team.owner, project: other },
      ]) {
        const answer = await team.call(`webhooks/${id}/${what}`, {}, options);
        expect([what, answer.status, answer.body.code]).toEqual([what, 404, "webhook_not_found"]);
      }
    }
    expect((await team.call(`webhooks/${id}/get`, {}, team.inProject(team.owner))).status).toBe(200);
  });

  test("is listed in pages, and there are fifty of them at most", async () => {
    const team = await startTeam(kind);
    for (let i = 0; i < 50; i++) expect((await create(team)).status).toBe(200);
    expect((await create(team)).body.code).toBe("too_many_webhooks");
    const pages = await allPages(team.call, "webhooks/list", { limit: 20 }, team.inProject(team.owner));
    expect(pages.map((page) => page.length)).toEqual([20, 20, 10]);
  });

  test("of a whole organization are fifty at most in all its projects, and those beyond that continue", async () => {
    const team = await startTeam(kind);
    const other = await team.project(team.owner, "Another");
    const whole = { whole_organization: true, events: ["*"] };
    const inOther = (more: object = whole) =>
      team.call("webhooks/create", { ...wanted, ...more }, { as: team.owner, project: other });
    for (let i = 0; i < 49; i++) expect((await create(team, whole)).status).toBe(200);
    const { webhook_id: last } = (await inOther()).body;
    const { status, body } = await inOther();
    expect([status, body.code]).toEqual([409, "too_many_webhooks"]);
    expect(body.detail).toBe(
      "An organization has at most 50 webhooks for the whole organization, in all its projects together.",
    );
    // Webhooks of a project are counted for themselves, and other organizations for themselves.
    expect((await inOther({})).status).toBe(200);
    const next = await team.neighbour();
    const elsewhere = { as: next.owner, project: next.projectId };
    expect((await team.call("webhooks/create", { ...wanted, ...whole }, elsewhere)).status).toBe(200);
    // An earlier version allowed more: they receive events until they are deleted.
    await team.store.transaction((db) =>
      db.query(
        `insert into webhooks (id, organization_id, project_id, whole_organization, url, description, events, status,
                               created_by, created_at, updated_at)
         select 'whk_us_more', organization_id, project_id, 1, url, '', events, status, created_by, created_at, updated_at
           from webhooks where id = $1`,
        [last],
      ),
    );
    expect((await team.call("projects/update", { name: "Renamed" }, team.inProject(team.owner))).status).toBe(200);
    const [row] = await team.store.query<{ count: number }>(
      "select count(*) as count from deliveries where type = 'project.updated'",
    );
    expect(Number(row?.count)).toBe(51);
    await team.call(`webhooks/${last}/delete`, {}, { as: team.owner, project: other });
    expect((await inOther()).body.code).toBe("too_many_webhooks");
    await team.store.transaction((db) => db.query("delete from webhooks where id = 'whk_us_more'"));
    expect((await inOther()).status).toBe(200);
  });

  test("can get another address and other events, and be disabled; deleting it deletes its secret", async () => {
    const team = await startTeam(kind);
    const { webhook_id: id } = (await create(team)).body;
    const change = (what: string, body: object = {}) =>
      team.call(`webhooks/${id}/${what}`, body, team.inProject(team.owner));
    const edit = { url: "https://example.org/new", events: ["*"], description: "moved", status: "disabled" };
    expect((await change("update", edit)).body).toMatchObject({ ...edit, status_reason: "Disabled by a person." });
    expect((await change("update", { url: "https://127.0.0.1/" })).body.code).toBe("validation_failed");
    expect((await change("delete")).body).toEqual({ webhook_id: id, deleted: true });
    expect((await change("get")).body.code).toBe("webhook_not_found");
    expect(await team.store.query("select id from webhooks")).toEqual([]);
  });

  test("can be tested: the response says how it went, and nothing is retried", async () => {
    const receiver = await startReceiver();
    const team = await startTeam(kind, { privateOrigins: [receiver.origin] });
    const { webhook_id: id, webhook_secret: secret } = (await create(team, { url: receiver.url })).body;
    const sendTest = () => team.call(`webhooks/${id}/test`, {}, team.inProject(team.owner));
    expect((await sendTest()).body).toMatchObject({ type: "webhook.test", status: "delivered", response_status: 204 });
    const [event] = receiver.received;
    expect(event && isGenuine(event, secret)).toBe(true);
    receiver.answerWith(418);
    expect((await sendTest()).body).toMatchObject({ status: "failed", response_status: 418, next_attempt_at: null });
    expect(await team.context.rooms.webhooks.deliveries.sendDue()).toBe(0);
    const { body } = await team.call(`webhooks/${id}/deliveries`, {}, team.inProject(team.owner));
    expect(body.results.map((each: { status: string }) => each.status)).toEqual(["failed", "delivered"]);
    expect(await team.lastAudit()).toMatchObject({ action: "webhook.tested", target: id });
  });

  test("opens its secret with the organization's next data key too", async () => {
    const receiver = await startReceiver();
    const team = await startTeam(kind, { privateOrigins: [receiver.origin] });
    const { webhook_id: id, webhook_secret: secret } = (await create(team, { url: receiver.url })).body;
    expect(await team.context.rooms.vault.keys.renew(team.store)).toBe(1);
    await team.call(`webhooks/${id}/test`, {}, team.inProject(team.owner));
    const [event] = receiver.received;
    expect(event && isGenuine(event, secret)).toBe(true);
  });
});

describe("the event of a change", () => {
  test.each([
    ["invite.created", "invite.created"],
    ["connection.connect", "connection.connected"],
    ["invite.accepted", null],
    ["webhook.tested", null],
    ["webhook.test", null],
    ["step.run", null],
    ["constructor", null],
  ])("%s is announced as %s", (action, type) => expect(eventOfChange(action)).toBe(type));
});
