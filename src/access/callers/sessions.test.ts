import { expect, test } from "vitest";
import type { TestAnswer } from "../../../test/support/app.ts";
import { describeOnBothStores } from "../../../test/support/stores.ts";
import { asRole, aTime, startTeam, type Team } from "../../../test/support/team.ts";
import { deactivateUser } from "../deactivation.ts";
import { operatorScope } from "../operator.ts";
import { openSession } from "./sessions.ts";

/** "Sessions: opaque 32 bytes, hash stored, `__Host-` cookie, idle 12 h, absolute 7 d, listed and revocable." */

const ownOrigin = { origin: "http://us.test" };
const cookieOf = (token: string) => `__Host-sb_session_us=${token}`;

async function signIn(team: Team, person = team.owner): Promise<{ id: string; token: string }> {
  const scope = { region: "us" as const, now: team.now, ip: "192.0.2.7" };
  const wanted = { userId: person.userId, method: "password", userAgent: "A browser" };
  const { session, token } = await team.store.transaction((db) => openSession({ ...scope, db }, wanted));
  return { id: session.id, token };
}

const callWith = (
  team: Team,
  token: string,
  operation = "auth/info",
  headers: Record<string, string> = ownOrigin,
  body: unknown = {},
): Promise<TestAnswer> => team.call(operation, body, { headers: { cookie: cookieOf(token), ...headers } });

describeOnBothStores("a session", (kind) => {
  test("has the rights of its person, and is reported as a session", async () => {
    const team = await startTeam(kind);
    const { id, token } = await signIn(team);
    const { status, body } = await callWith(team, token);
    expect([status, body.user_id, body.key, body.session_id]).toEqual([200, team.owner.userId, null, id]);
  });

  test("the console names the project in X-Signalbox-Project", async () => {
    const team = await startTeam(kind);
    const viewer = await team.colleague("viewer", "viewer");
    const { token } = await signIn(team, viewer);
    const inProject = { ...ownOrigin, "x-signalbox-project": team.projectId };
    expect((await callWith(team, token, "auth/users/list", inProject)).status).toBe(200);
    expect((await callWith(team, token, "auth/users/list")).body.code).toBe("project_required");
    const invite = { email: "new@example.com", permissions: asRole("viewer") };
    expect((await callWith(team, token, "auth/invite/create", inProject, invite)).body.code).toBe("admin_required");
    const foreign = { ...ownOrigin, "x-signalbox-project": (await team.neighbour()).projectId };
    expect((await callWith(team, token, "auth/users/list", foreign)).body.code).toBe("project_not_found");
    const odd = { ...ownOrigin, "x-signalbox-project": "../etc" };
    expect((await callWith(team, token, "auth/users/list", odd)).body.code).toBe("malformed_request");
  });

  test("an audit row of a change by a session has the session's id", async () => {
    const team = await startTeam(kind);
    const { id, token } = await signIn(team);
    await callWith(team, token, "organizations/update", ownOrigin, { name: "New name" });
    const { body } = await team.call("audit/list", { whole_organization: true }, team.inProject(team.owner));
    expect(body.results[0]).toMatchObject({ action: "organization.updated", key_id: id });
  });

  test("ends after twelve hours without use, and after seven days in any case", async () => {
    const team = await startTeam(kind);
    const idle = await signIn(team);
    team.advance(12 * 3600 + 1);
    expect((await callWith(team, idle.token)).body.code).toBe("session_ended");
    const old = await signIn(team);
    team.advance(7 * 86_400 + 1);
    await team.store.transaction((db) =>
      db.query("update sessions set last_seen_at = $2 where id = $1", [old.id, team.now().toISOString()]),
    );
    expect((await callWith(team, old.token)).body.code).toBe("session_ended");
  });

  test("ends with its person's deactivation: the next request is 401", async () => {
    const team = await startTeam(kind);
    const viewer = await team.colleague("viewer", "viewer");
    const { token } = await signIn(team, viewer);
    expect((await callWith(team, token)).status).toBe(200);
    const done = await deactivateUser(operatorScope(team.store, "us", team.now), viewer.userId);
    expect(done.sessionsEnded).toBe(1);
    const { status, body } = await callWith(team, token);
    expect([status, body.code]).toEqual([401, "owner_deactivated"]);
  });

  test("is listed, and revoked one by one or all the others at once", async () => {
    const team = await startTeam(kind);
    const [first, second, third] = [await signIn(team), await signIn(team), await signIn(team)];
    const listed = (await callWith(team, first.token, "auth/sessions/list")).body.results;
    expect(listed[0]).toEqual({
      session_id: first.id,
      method: "password",
      current: true,
      ip: "192.0.2.7",
      user_agent: "A browser",
      created_at: aTime,
      last_seen_at: aTime,
      expires_at: aTime,
    });
    expect(listed.map((each: { current: boolean }) => each.current)).toEqual([true, false, false]);
    const one = await callWith(team, first.token, "auth/sessions/revoke", ownOrigin, { session_id: second.id });
    expect(one.body).toEqual({ sessions_ended: 1 });
    expect((await callWith(team, second.token)).body.code).toBe("session_ended");
    expect((await callWith(team, first.token, "auth/sessions/revoke")).body).toEqual({ sessions_ended: 1 });
    expect((await callWith(team, third.token)).body.code).toBe("session_ended");
    expect((await callWith(team, first.token)).status).toBe(200);
  });

  test("another person's session looks absent", async () => {
    const team = await startTeam(kind);
    const theirs = await signIn(team, (await team.neighbour()).owner);
    const { token } = await signIn(team);
    const answer = await callWith(team, token, "auth/sessions/revoke", ownOrigin, { session_id: theirs.id });
    expect([answer.status, answer.body.code]).toEqual([404, "session_not_found"]);
    expect((await callWith(team, theirs.token)).status).toBe(200);
  });

  test("signing out ends it and clears the cookie", async () => {
    const team = await startTeam(kind);
    const { token } = await signIn(team);
    const answer = await callWith(team, token, "auth/sign_out");
    expect(answer.body).toEqual({ signed_out: true });
    expect(answer.headers["set-cookie"]).toMatch(
      /^__Host-sb_session_us=; Path=\/; Max-Age=0; Secure; HttpOnly; SameSite=Lax$/,
    );
    expect((await callWith(team, token)).body.code).toBe("session_ended");
  });

  test("creates keys only if it was confirmed recently", async () => {
    const team = await startTeam(kind);
    const { token } = await signIn(team);
    expect((await callWith(team, token, "auth/keys/create")).status).toBe(200);
    team.advance(15 * 60 + 1);
    const { status, body } = await callWith(team, token, "auth/keys/create");
    expect([status, body.code]).toEqual([403, "confirmation_required"]);
    expect((await callWith(team, token, "auth/keys/list")).status).toBe(200);
  });

  test("is stored as a hash", async () => {
    const team = await startTeam(kind);
    const { token } = await signIn(team);
    const rows = await team.store.query("select * from sessions");
    expect(JSON.stringify(rows)).not.toContain(token);
  });
});

describeOnBothStores("a cookie that another site could have sent", (kind) => {
  test.each([
    ["another origin", { origin: "https://evil.example" }],
    ["another port of this machine", { origin: "http://us.test:81" }],
    ["no origin, and no Sec-Fetch-Site", {}],
    ["the browser says another site", { "sec-fetch-site": "cross-site" }],
    ["the browser says a neighbouring host", { "sec-fetch-site": "same-site" }],
    ["our origin, but another site in Sec-Fetch-Site", { ...ownOrigin, "sec-fetch-site": "cross-site" }],
    ["an opaque origin", { origin: "null" }],
  ])("%s is refused, and nothing is changed", async (_what, headers: Record<string, string>) => {
    const team = await startTeam(kind);
    const { token } = await signIn(team);
    const { status, body } = await callWith(team, token, "organizations/update", headers, { name: "Taken over" });
    expect([status, body.code]).toEqual([403, "origin_refused"]);
    expect((await team.call("organizations/get", {}, { as: team.owner })).body.name).not.toBe("Taken over");
  });

  test("two cookies of the same name, a truncated one and another region's are ignored", async () => {
    const team = await startTeam(kind);
    const { token } = await signIn(team);
    const cookies = [
      `${cookieOf(token)}; ${cookieOf("x".repeat(43))}`,
      cookieOf(token.slice(0, -1)),
      `__Host-sb_session_eu=${token}`,
      `sb_session_us=${token}`,
    ];
    for (const cookie of cookies) {
      const { body } = await team.call("auth/info", {}, { headers: { cookie, ...ownOrigin } });
      expect([cookie.length, body.code]).toEqual([cookie.length, "credentials_missing"]);
    }
  });

  test("a key in the header wins over the cookie, and needs no origin", async () => {
    const team = await startTeam(kind);
    const viewer = await team.colleague("viewer", "viewer");
    const { token } = await signIn(team, viewer);
    const { body } = await team.call("auth/info", {}, { as: team.owner, headers: { cookie: cookieOf(token) } });
    expect(body.user_id).toBe(team.owner.userId);
  });
});
