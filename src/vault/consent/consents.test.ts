import { expect, test } from "vitest";
import { startPopUp } from "../../../test/support/browser/pop-up.ts";
import { describeOnBothStores } from "../../../test/support/stores.ts";

describeOnBothStores("connect in a pop-up", (kind) => {
  test("analytics: consent, exchange on the server, and the opener receives two ids", async () => {
    const { connect, systemsPage, consent, comeBack, status, team, asOwner } = await startPopUp(kind, "analytics");
    const begun = await connect();
    const ours = new URL(begun.connect_url);
    expect([ours.pathname, ours.searchParams.get("state")]).toEqual(["/oauth/start", begun.connect_id]);
    const url = new URL(await systemsPage(begun.connect_url));
    expect(url.searchParams.get("code_challenge_method")).toBe("S256");
    expect(url.searchParams.get("state")).toBe(begun.connect_id);
    expect(begun.connect_id).toMatch(/^\w{43}$/);
    expect(await status(begun.connect_id)).toEqual({ state: "pending" });
    const page = await comeBack(await consent(begun.connect_url));
    const after = await status(begun.connect_id);
    expect(after).toEqual({ state: "connected", connection_id: expect.stringMatching(/^con_us_/) });
    expect(page.status).toBe(200);
    const nonce = /script-src 'nonce-([^']+)'/.exec(String(page.headers["content-security-policy"]))?.[1];
    expect(page.text).toContain(`<script nonce="${nonce}"`);
    expect(page.headers["content-security-policy"]).toContain("default-src 'none'");
    expect(page.headers["content-security-policy"]).toContain("frame-ancestors 'none'");
    expect(page.headers["referrer-policy"]).toBe("no-referrer");
    expect(page.result.message).toEqual({
      type: "signalbox:connected",
      connect_id: begun.connect_id,
      connection_id: after.connection_id,
    });
    expect(page.result.listeners).toEqual(["http://us.test"]);
    const { body } = await team.call(`connections/${after.connection_id}/get`, {}, asOwner);
    expect(body).toMatchObject({
      state: "connected",
      way_in: "oauth",
      access_level: "administrator",
      identity: { email: "administrator@analytics-sandbox.example" },
      created_by: team.owner.userId,
    });
    expect(await team.lastAudit()).toMatchObject({
      action: "connection.connected",
      target: after.connection_id,
      user_id: team.owner.userId,
      project_id: team.projectId,
    });
  });

  test("deployment: the team is stored, and the window continues to the system's own last page", async () => {
    const { connect, consent, comeBack, status, team, asOwner, sandbox } = await startPopUp(kind, "deployment");
    const begun = await connect();
    const page = await comeBack(await consent(begun.connect_url));
    expect(page.status).toBe(200);
    expect(page.result.next).toBe(`${sandbox.url}/integrations/signalbox/installed`);
    const { connection_id } = await status(begun.connect_id);
    const { body } = await team.call(`connections/${connection_id}/get`, {}, asOwner);
    expect(body).toMatchObject({
      way_in: "oauth",
      identity: { team_id: sandbox.credentials.team_id, installation_id: expect.stringMatching(/^icfg_/) },
    });
    expect(body.scopes).toContain("read-write:deployment");
  });

  // "The grants that the requirement names must be enough: what cannot be read is left empty."
  test("deployment: no scope for users and teams is needed, and neither is asked for", async () => {
    const { connect, consent, comeBack, status, team, asOwner, sandbox } = await startPopUp(kind, "deployment");
    const form = new URLSearchParams({ redirect_uri: "http://127.0.0.1:4100/oauth/callback" });
    for (const name of ["read-write:deployment", "read:project", "read:domain"]) form.append("scope", name);
    await fetch(`${sandbox.url}/dashboard/integrations/console`, { method: "POST", body: form });
    const begun = await connect();
    await comeBack(await consent(begun.connect_url, { projects: [sandbox.ids.project_id] }));
    const { connection_id: id } = await status(begun.connect_id);
    const { body } = await team.call(`connections/${id}/check`, {}, asOwner);
    expect(body).toMatchObject({
      state: "connected",
      health: { ok: true, reason: null },
      label: "acme (team)",
      identity: {
        team_id: sandbox.credentials.team_id,
        team_slug: "acme",
        user_id: sandbox.ids.user_id,
        installation_id: expect.stringMatching(/^icfg_/),
        // Without the Installation scope, nobody tells whether these are all projects of the team.
        project_selection: "not_known",
        projects_in_reach: [{ project_id: sandbox.ids.project_id, name: "web" }],
      },
    });
    expect(body.identity).not.toHaveProperty("projects");
    expect(body.identity).not.toHaveProperty("email");
    const input = { method: "GET", path: "/v5/domains" };
    const read = await team.call("steps/deployment_api_call/run", { connection_id: id, input }, asOwner);
    expect(read.body.status).toBe("succeeded");
  });

  // "Installations with 'specific projects' likewise. Personal accounts without a team."
  test("deployment: specific projects limit the account and its drop-downs, and a personal account has no team", async () => {
    const { connect, consent, comeBack, status, team, asOwner, sandbox } = await startPopUp(kind, "deployment");
    const join = async (answered: Parameters<typeof consent>[1]) => {
      const begun = await connect();
      await comeBack(await consent(begun.connect_url, answered));
      const { connection_id } = await status(begun.connect_id);
      return (await team.call(`connections/${connection_id}/get`, {}, asOwner)).body;
    };
    const limited = await join({ projects: [sandbox.ids.project_id] });
    const projects = [{ project_id: sandbox.ids.project_id, name: "web" }];
    expect(limited).toMatchObject({
      state: "connected",
      identity: { project_selection: "selected", projects, projects_total: 1 },
    });
    const asked = { connection_id: limited.connection_id, field: "project" };
    const offered = await team.call("steps/list_deployments/options", asked, asOwner);
    expect(offered.body.results).toMatchObject([{ label: "web" }]);
    const personal = await join({ owner: sandbox.ids.user_id });
    expect(personal).toMatchObject({ state: "connected", access_level: "administrator" });
    expect(personal.identity).not.toHaveProperty("team_id");
    expect(personal.identity).toMatchObject({ project_selection: "all" });
  });

  test("a state works once: a second answer with it changes nothing", async () => {
    const { connect, consent, comeBack, status, team } = await startPopUp(kind, "analytics");
    const begun = await connect();
    const answer = await consent(begun.connect_url);
    await comeBack(answer);
    const first = await status(begun.connect_id);
    const again = await comeBack(answer);
    expect(again.status).toBe(400);
    expect(again.text).toContain("This sign-in was used already.");
    expect(await status(begun.connect_id)).toEqual(first);
    expect(await team.store.query("select id from connections")).toHaveLength(1);
  });

  test("twenty answers with the same state at once make one connection", async () => {
    const { connect, consent, comeBack, team } = await startPopUp(kind, "analytics");
    const answer = await consent((await connect()).connect_url);
    const pages = await Promise.all(Array.from({ length: 20 }, () => comeBack(answer)));
    expect(pages.filter((page) => page.status === 200)).toHaveLength(1);
    expect(await team.store.query("select id from connections")).toHaveLength(1);
  });

  test("a state expires after ten minutes", async () => {
    const { connect, consent, comeBack, status, team } = await startPopUp(kind, "analytics");
    const begun = await connect();
    const answer = await consent(begun.connect_url);
    team.advance(601);
    expect(await status(begun.connect_id)).toEqual({ state: "expired" });
    const page = await comeBack(answer);
    expect(page.text).toContain("longer than ten minutes");
    expect(await team.store.query("select id from connections")).toEqual([]);
  });

  test("a consent whose server died during the exchange expires too, so that no caller waits forever", async () => {
    const { connect, status, team } = await startPopUp(kind, "analytics");
    const begun = await connect();
    await team.store.transaction((db) => db.query("update connects set state = 'working'"));
    expect(await status(begun.connect_id)).toEqual({ state: "pending" });
    team.advance(601 + 120);
    expect(await status(begun.connect_id)).toEqual({ state: "expired" });
  });

  test("an unknown state and a missing state are refused", async () => {
    const { comeBack } = await startPopUp(kind, "analytics");
    for (const query of ["code=abc&state=invented", "code=abc", ""]) {
      const page = await comeBack(new URL(`http://us.test/oauth/callback?${query}`));
      expect(page.status).toBe(400);
      expect(page.result.message).toEqual({ type: "signalbox:connect_failed", connect_id: null });
    }
  });

  test("a swapped state: another user's code does not work with mine", async () => {
    const { connect, consent, comeBack, status } = await startPopUp(kind, "analytics");
    const [mine, theirs] = [await connect(), await connect()];
    const answer = await consent(theirs.connect_url);
    answer.searchParams.set("state", mine.connect_id);
    // The code was made for another challenge, so the system itself refuses to exchange it.
    expect((await comeBack(answer)).status).toBe(400);
    expect(await status(mine.connect_id)).toMatchObject({
      state: "failed",
      problem: { code: "authentication_failed", reason: "invalid_credentials" },
    });
    expect(await status(theirs.connect_id)).toEqual({ state: "pending" });
  });

  test("a user who loses the role while the page is open connects nothing", async () => {
    const { connect, consent, comeBack, status, team } = await startPopUp(kind, "analytics", "editor");
    const begun = await connect();
    const answer = await consent(begun.connect_url);
    await team.deactivate(begun.person);
    expect((await comeBack(answer)).status).toBe(400);
    expect(await status(begun.connect_id)).toMatchObject({ state: "failed" });
    expect(await team.store.query("select id from connections")).toEqual([]);
  });

  test("reconnecting keeps the id, and removing revokes the grant at the system", async () => {
    const { connect, consent, comeBack, status, team, asOwner, sandbox } = await startPopUp(kind, "analytics");
    const first = await connect();
    await comeBack(await consent(first.connect_url));
    const { connection_id } = await status(first.connect_id);
    const removed = await team.call(`connections/${connection_id}/remove`, {}, asOwner);
    expect(removed.body.revoked.at_system).toBe(true);
    expect(await sandbox.requests("/revoke")).toMatchObject([{ status: 200 }]);
    const [row] = await team.store.query("select sealed, data_key_id, state from connections");
    expect(row).toEqual({ sealed: null, data_key_id: null, state: "removed" });
    const again = await connect({ connection_id });
    await comeBack(await consent(again.connect_url));
    expect(await status(again.connect_id)).toEqual({ state: "connected", connection_id });
    const { body } = await team.call(`connections/${connection_id}/get`, {}, asOwner);
    expect(body).toMatchObject({ state: "connected", state_reason: null });
  });
});
