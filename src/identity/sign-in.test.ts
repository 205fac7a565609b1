import { expect, test } from "vitest";
import type { TestAnswer, TestPerson } from "../../test/support/app.ts";
import { expectProblem } from "../../test/support/calls/expect-problem.ts";
import {
  addCodes,
  codeNow,
  givePassword,
  goodPassword,
  sessionIn,
  signIn,
  withSession,
} from "../../test/support/sign-in/sign-in.ts";
import { describeOnBothStores } from "../../test/support/stores.ts";
import { startTeam, type Team, withoutRequestId } from "../../test/support/team.ts";
import { defaultPolicies } from "../calls/rate-limits/default-quotas.ts";

const tryIn = (team: Team, email: string, password: string, more: object = {}): Promise<TestAnswer> =>
  team.call("auth/sign_in/password", { email, password, ...more });

async function teamWithPassword(kind: Parameters<typeof startTeam>[0], options = {}): Promise<Team> {
  const team = await startTeam(kind, options);
  await givePassword(team, team.owner);
  return team;
}

const auditOf = async (team: Team) => {
  const { body } = await team.call("audit/list", { whole_organization: true }, team.inProject(team.owner));
  return body.results as { action: string; target: string; details: Record<string, unknown>; actor_id?: string }[];
};

describeOnBothStores("signing in with a password", (kind) => {
  test("opens a session with the person's rights, in a cookie that no script can read", async () => {
    const team = await teamWithPassword(kind);
    const answer = await tryIn(team, "Owner@Example.com", goodPassword);
    expect(answer.body).toEqual({
      state: "signed_in",
      user_id: team.owner.userId,
      organization_id: team.owner.organizationId,
      sign_in_token: null,
      organizations: [],
    });
    expect(answer.headers["set-cookie"]).toEqual([
      expect.stringMatching(
        /^__Host-sb_session_us=[0-9A-Za-z]{43}; Path=\/; Max-Age=604800; Secure; HttpOnly; SameSite=Lax$/,
      ),
      expect.stringMatching(/^__Host-sb_known_us=[\w.-]+; Path=\/; Max-Age=15552000; Secure; HttpOnly; SameSite=Lax$/),
    ]);
    const { body } = await team.call("auth/info", {}, withSession(sessionIn(answer)));
    expect([body.user_id, body.key]).toEqual([team.owner.userId, null]);
    expect((await auditOf(team))[0]).toMatchObject({
      action: "session.created",
      target: body.session_id,
      details: { method: "password" },
    });
  });

  test("each time with another token, whatever cookie the browser came with (ASVS 7.2.4)", async () => {
    const team = await teamWithPassword(kind);
    const planted = "A".repeat(43);
    const body = { email: team.owner.email, password: goodPassword };
    const first = sessionIn(await team.call("auth/sign_in/password", body, withSession(planted)));
    const second = sessionIn(await team.call("auth/sign_in/password", body, withSession(first)));
    expect(new Set([planted, first, second]).size).toBe(3);
    expectProblem(await team.call("auth/info", {}, withSession(planted)), "session_ended");
  });

  test("a wrong password, an unknown address and an account without a password are refused alike (ASVS 6.3.8)", async () => {
    const team = await teamWithPassword(kind);
    const bare = await team.colleague("bare");
    const { body: service } = await team.call("auth/service_users/create", { name: "robot" }, { as: team.owner });
    const [robot] = await team.store.query<{ email: string }>("select email from users where id = $1", [
      service.user_id,
    ]);
    await givePassword(team, { userId: service.user_id });
    const answers = [
      await tryIn(team, team.owner.email, "not the password at all"),
      await tryIn(team, "nobody@example.com", goodPassword),
      await tryIn(team, bare.email, goodPassword),
      // "Service users … cannot sign in", not even by the address they are shown with.
      await tryIn(team, robot?.email ?? "", goodPassword),
      await tryIn(team, team.owner.email, goodPassword, { organization_id: "org_us_another" }),
    ];
    for (const answer of answers) {
      expectProblem(answer, "sign_in_failed");
      expect(answer.headers["set-cookie"]).toBeUndefined();
    }
    const [first, ...others] = answers.map((answer) => withoutRequestId(answer));
    for (const other of others) expect(other).toBe(first);
    expect((await auditOf(team)).filter(({ action }) => action === "sign_in.failed")).toMatchObject([
      { target: bare.userId, details: { method: "password" } },
      { target: team.owner.userId },
    ]);
  });

  test("only a person with the right password learns that the account is deactivated", async () => {
    const team = await startTeam(kind);
    const leaver = await team.colleague("leaver");
    await givePassword(team, leaver);
    await team.deactivate(leaver);
    expectProblem(await tryIn(team, leaver.email, goodPassword), "account_deactivated");
    expectProblem(await tryIn(team, leaver.email, "something else altogether"), "sign_in_failed");
  });

  test("a person with accounts in two organizations chooses between those with this password", async () => {
    const team = await teamWithPassword(kind);
    const there = await team.person(team.owner.email);
    const elsewhere = await team.person(team.owner.email);
    await givePassword(team, there);
    await givePassword(team, elsewhere, "quite another password here");
    const asked = await tryIn(team, team.owner.email, goodPassword);
    expect(asked.body).toMatchObject({ state: "choose_organization", user_id: null });
    expect(asked.headers["set-cookie"]).toBeUndefined();
    const offered = asked.body.organizations.map((each: { organization_id: string }) => each.organization_id);
    expect(offered.sort()).toEqual([team.owner.organizationId, there.organizationId].sort());
    const chosen = await tryIn(team, team.owner.email, goodPassword, { organization_id: there.organizationId });
    expect(chosen.body).toMatchObject({ state: "signed_in", user_id: there.userId });
    const wrong = await tryIn(team, team.owner.email, goodPassword, { organization_id: elsewhere.organizationId });
    expectProblem(wrong, "sign_in_failed");
  });

  test("of two accounts, one of them deactivated, the other is opened", async () => {
    const team = await teamWithPassword(kind);
    const there = await team.person(team.owner.email);
    await givePassword(team, there);
    await team.deactivate(there);
    expect((await tryIn(team, team.owner.email, goodPassword)).body.user_id).toBe(team.owner.userId);
  });

  test("after too many wrong attempts their sender has to wait, known or not, and others do not", async () => {
    const rateLimits = { ...defaultPolicies, sign_in_failure: { quota: 6, windowSeconds: 600 } };
    const team = await teamWithPassword(kind, { rateLimits, clock: "still" });
    const other = await team.colleague("other");
    await givePassword(team, other);
    for (const email of [team.owner.email, "nobody@example.com"]) {
      // Concurrently: each is counted before it is compared.
      const answers = await Promise.all(Array.from({ length: 6 }, () => tryIn(team, email, "not the password at all")));
      expect(answers.map(({ body }) => body.code).sort()).toEqual([
        ...Array(3).fill("rate_limited"),
        ...Array(3).fill("sign_in_failed"),
      ]);
      for (const wait of [1, 2, 4, 100, 100]) {
        team.advance(wait);
        expectProblem(await tryIn(team, email, "not the password at all"), "sign_in_failed");
        expectProblem(await tryIn(team, email, goodPassword), "rate_limited");
      }
    }
    expect((await tryIn(team, other.email, goodPassword)).status).toBe(200);
  });

  test("right passwords are not counted", async () => {
    const rateLimits = { ...defaultPolicies, sign_in_failure: { quota: 2, windowSeconds: 900 } };
    const team = await teamWithPassword(kind, { rateLimits });
    for (let i = 0; i < 4; i++) expect((await tryIn(team, team.owner.email, goodPassword)).status).toBe(200);
  });

  test("each address has a rate limit", async () => {
    const rateLimits = { ...defaultPolicies, sign_in: { quota: 2, windowSeconds: 60 } };
    const team = await startTeam(kind, { rateLimits });
    const ask = () => team.call("auth/sign_in/methods", { email: "ada@example.com" });
    expect((await ask()).headers["ratelimit-policy"]).toBe('"sign_in";q=2;w=60');
    await ask();
    expectProblem(await ask(), "rate_limited");
  });

  test("the response names single sign-on of the domain, and nothing about the account", async () => {
    const team = await startTeam(kind);
    const known = await team.call("auth/sign_in/methods", { email: team.owner.email });
    const unknown = await team.call("auth/sign_in/methods", { email: "nobody@example.com" });
    expect(known.text).toBe(unknown.text);
    expect(known.body).toEqual({ sso_url: null, sso_label: null, sso_required: false });
  });

  test("neither the log nor the audit rows contain what was typed", async () => {
    const team = await teamWithPassword(kind);
    const token = await signIn(team, team.owner);
    await tryIn(team, team.owner.email, "my other secret words");
    const { secret, recoveryCodes } = await addCodes(team, withSession(token));
    const written = team.logged.join("") + JSON.stringify(await auditOf(team));
    for (const text of [goodPassword, "my other secret words", token, secret, ...recoveryCodes]) {
      expect(written).not.toContain(text);
    }
  });
});

describeOnBothStores("signing in with a one-time code", (kind) => {
  async function withCodes(): Promise<{ team: Team; secret: string; recoveryCodes: string[]; person: TestPerson }> {
    const team = await teamWithPassword(kind);
    const { secret, recoveryCodes } = await addCodes(team, { as: team.owner });
    return { team, secret, recoveryCodes, person: team.owner };
  }
  const begin = async (team: Team): Promise<string> => {
    const { body, headers } = await tryIn(team, team.owner.email, goodPassword);
    expect([body.state, headers["set-cookie"]]).toEqual(["code_required", undefined]);
    return body.sign_in_token;
  };
  const finish = (team: Team, token: string, code: string) =>
    team.call("auth/sign_in/code", { sign_in_token: token, code });

  test("the password alone is not enough; with a code of the app it is", async () => {
    const { team, secret } = await withCodes();
    const answer = await finish(team, await begin(team), codeNow(team, secret));
    expect(answer.body.state).toBe("signed_in");
    expect((await team.call("auth/info", {}, withSession(sessionIn(answer)))).status).toBe(200);
    const [row] = await auditOf(team);
    expect(row).toMatchObject({
      action: "session.created",
      details: { method: "password_and_code", second_factor: "code" },
    });
  });

  test("both can be sent at once", async () => {
    const { team, secret } = await withCodes();
    const answer = await tryIn(team, team.owner.email, goodPassword, { code: codeNow(team, secret) });
    expect(answer.body.state).toBe("signed_in");
  });

  test('"each time step accepted once": of ten concurrent uses of a code, one succeeds', async () => {
    const { team, secret } = await withCodes();
    const code = codeNow(team, secret);
    const tokens = [];
    for (let i = 0; i < 10; i++) tokens.push(await begin(team));
    const answers = await Promise.all(tokens.map((token) => finish(team, token, code)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ body }) => body.code === "code_refused")).toHaveLength(9);
    expectProblem(await finish(team, await begin(team), code), "code_refused");
    team.advance(30);
    expect((await finish(team, await begin(team), codeNow(team, secret))).status).toBe(200);
  });

  test("a code of two steps ago is too old", async () => {
    const { team, secret } = await withCodes();
    team.advance(90);
    expectProblem(await finish(team, await begin(team), codeNow(team, secret, -2)), "code_refused");
    expect((await finish(team, await begin(team), codeNow(team, secret, -1))).status).toBe(200);
  });

  test("a sign-in under way ends after five wrong attempts, after five minutes, and with its use", async () => {
    const { team, secret } = await withCodes();
    const token = await begin(team);
    const wrong = codeNow(team, secret) === "000000" ? "111111" : "000000";
    for (let i = 0; i < 5; i++) expectProblem(await finish(team, token, wrong), "code_refused");
    expectProblem(await finish(team, token, codeNow(team, secret)), "challenge_gone");
    const late = await begin(team);
    team.advance(301);
    expectProblem(await finish(team, late, codeNow(team, secret)), "challenge_gone");
    const used = await begin(team);
    expect((await finish(team, used, codeNow(team, secret))).status).toBe(200);
    expectProblem(await finish(team, used, codeNow(team, secret, 1)), "challenge_gone");
    expectProblem(await finish(team, "A".repeat(43), "123456"), "challenge_gone");
  });

  test("a recovery code is valid once, however it is written", async () => {
    const { team, recoveryCodes } = await withCodes();
    const [first = "", second = ""] = recoveryCodes;
    expect(recoveryCodes).toHaveLength(10);
    expect(new Set(recoveryCodes).size).toBe(10);
    expect((await finish(team, await begin(team), first)).body.state).toBe("signed_in");
    expectProblem(await finish(team, await begin(team), first), "code_refused");
    const spelled = second.toUpperCase().replaceAll("-", " ");
    const answer = await finish(team, await begin(team), spelled);
    expect(answer.status).toBe(200);
    const { body } = await team.call("auth/security/get", {}, withSession(sessionIn(answer)));
    expect(body.codes.recovery_codes_left).toBe(8);
  });

  test("the app's secret is sealed, and stays valid with a new data key", async () => {
    const { team, secret } = await withCodes();
    const sealed = () => team.store.query<{ sealed: string }>("select sealed from code_generators");
    const [before] = await sealed();
    expect(before?.sealed).toMatch(/^v2\./);
    expect(before?.sealed).not.toContain(secret);
    expect(await team.context.rooms.vault.keys.renew(team.store)).toBe(1);
    expect((await sealed())[0]?.sealed).not.toBe(before?.sealed);
    expect((await finish(team, await begin(team), codeNow(team, secret))).status).toBe(200);
  });

  test("a person deactivated between password and code is refused", async () => {
    const team = await startTeam(kind);
    const leaver = await team.colleague("leaver");
    await givePassword(team, leaver);
    const { secret } = await addCodes(team, { as: leaver });
    const { body } = await tryIn(team, leaver.email, goodPassword);
    await team.deactivate(leaver);
    expectProblem(await finish(team, body.sign_in_token, codeNow(team, secret)), "account_deactivated");
  });
});
