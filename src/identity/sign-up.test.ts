import { expect, test } from "vitest";
import type { TestAnswer } from "../../test/support/app.ts";
import { expectProblem } from "../../test/support/calls/expect-problem.ts";
import {
  addPasskey,
  givePassword,
  goodPassword,
  lastMail,
  mailsIn,
  sessionIn,
  signIn,
  withSession,
} from "../../test/support/sign-in/sign-in.ts";
import { describeOnBothStores } from "../../test/support/stores.ts";
import { asRole, expectRefused, startTeam, type Team, withoutRequestId } from "../../test/support/team.ts";
import { defaultPolicies } from "../calls/rate-limits/default-quotas.ts";

const email = "ada@example.com";

async function invited(kind: Parameters<typeof startTeam>[0], options = {}): Promise<{ team: Team; code: string }> {
  const team = await startTeam(kind, options);
  const invite = { email, permissions: asRole("editor") };
  const { body } = await team.call("auth/invite/create", invite, team.inProject(team.owner));
  return { team, code: body.invite_code };
}

const look = (team: Team, invite_code: string) => team.call("auth/sign_up/look", { invite_code });
const begin = (team: Team, invite_code: string, more: object = { password: goodPassword }) =>
  team.call("auth/sign_up/begin", { invite_code, name: "Ada Lovelace", ...more });
const finish = (team: Team, begun: TestAnswer, code: string | undefined) =>
  team.call("auth/sign_up/finish", { sign_up_token: begun.body.sign_up_token, code });
const mailed = async (team: Team) => (await lastMail(team, "sign_up_code")).details.code;
const peopleOf = async (team: Team) =>
  (await team.call("auth/users/list", {}, team.inProject(team.owner))).body.results as {
    email: string;
    role: string;
  }[];

describeOnBothStores("a new person with an invite", (kind) => {
  test("signs up with the mailed code and gets account, membership and session at once", async () => {
    const { team, code } = await invited(kind);
    const second = await team.project(team.owner, "Another");
    const invite = { email, permissions: asRole("viewer") };
    await team.call("auth/invite/create", invite, { as: team.owner, project: second });
    expect((await look(team, code)).body).toMatchObject({
      email,
      organization: team.owner.email,
      project: "A project",
      role: "editor",
      invited_by: team.owner.email,
      invited_by_name: expect.any(String),
      expires_at: expect.any(String),
    });
    const begun = await begin(team, code);
    expect([begun.status, sessionIn(begun)]).toEqual([200, null]);
    expect(await peopleOf(team)).toHaveLength(1);
    const mail = await lastMail(team, "sign_up_code");
    expect([mail.recipient, mail.details.code]).toEqual([email, expect.stringMatching(/^\d{8}$/)]);

    const done = await finish(team, begun, mail.details.code);
    expect(done.body.state).toBe("signed_in");
    const { body } = await team.call("auth/info", {}, withSession(sessionIn(done)));
    expect(body.projects.map((each: { role: string }) => each.role).sort()).toEqual(["editor", "viewer"]);
    expect(await peopleOf(team)).toContainEqual(expect.objectContaining({ email, role: "editor" }));
    const [row] = await team.store.query<{ name: string; email_verified_at: string | null }>(
      "select name, email_verified_at from users where id = $1",
      [body.user_id],
    );
    expect([row?.name, row?.email_verified_at]).toEqual(["Ada Lovelace", expect.any(String)]);
    const again = await team.call("auth/sign_in/password", { email, password: goodPassword });
    expect(again.body.state).toBe("signed_in");
    const { body: audit } = await team.call("audit/list", { whole_organization: true }, team.inProject(team.owner));
    const actions = audit.results.map((each: { action: string }) => each.action);
    expect(actions.slice(0, 5)).toEqual([
      "session.created",
      "user.joined",
      "user.joined",
      "user.signed_up",
      "sign_up.begun",
    ]);
    expect((await team.call("audit/verify", {}, team.inProject(team.owner))).body.valid).toBe(true);
    for (const [project, inviteCode] of [
      [team.projectId, code],
      [second, expect.any(String)],
    ]) {
      const { results } = (await team.call("audit/list", {}, { as: team.owner, project })).body;
      const details = { email, invite_code: inviteCode };
      expect(results[0]).toMatchObject({ action: "user.joined", target: body.user_id, details });
    }
  });

  test("can do so without a password, and add a passkey", async () => {
    const { team, code } = await invited(kind);
    const done = await finish(team, await begin(team, code, {}), await mailed(team));
    const as = withSession(sessionIn(done));
    await addPasskey(team, as);
    expect((await team.call("auth/security/get", {}, as)).body).toMatchObject({
      password_changed_at: null,
      passkeys: 1,
    });
    expectProblem(await team.call("auth/sign_in/password", { email, password: goodPassword }), "sign_in_failed");
  });

  test("needs the mailed code too: the sender also knows the code of the invite", async () => {
    const { team, code } = await invited(kind);
    const begun = await begin(team, code);
    const right = await mailed(team);
    const wrong = right === "00000000" ? "11111111" : "00000000";
    for (let i = 0; i < 9; i++) expectProblem(await finish(team, begun, wrong), "code_refused");
    // The tenth attempt may still succeed; the eleventh may not.
    const other = await begin(team, code);
    for (let i = 0; i < 10; i++) expectProblem(await finish(team, other, wrong), "code_refused");
    expectProblem(await finish(team, other, await mailed(team)), "challenge_gone");
    expect(await peopleOf(team)).toHaveLength(1);
    expect((await finish(team, begun, right)).status).toBe(200);
  });

  test("has half an hour, and one successful use", async () => {
    const { team, code } = await invited(kind);
    const late = await begin(team, code);
    team.advance(1801);
    expectProblem(await finish(team, late, await mailed(team)), "challenge_gone");
    const begun = await begin(team, code);
    const right = await mailed(team);
    const answers = await Promise.all(Array.from({ length: 5 }, () => finish(team, begun, right)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(await peopleOf(team)).toHaveLength(2);
  });

  test("learns that the invite has expired, was withdrawn, was accepted, or is another region's", async () => {
    const { team, code } = await invited(kind);
    const begun = await begin(team, code);
    const right = await mailed(team);
    await team.call("auth/invite/delete", { invite_code: code }, team.inProject(team.owner));
    for (const answer of [await look(team, code), await begin(team, code), await finish(team, begun, right)]) {
      expectProblem(answer, "invite_not_found");
    }
    const invite = { email, permissions: asRole("editor") };
    const { body } = await team.call("auth/invite/create", invite, team.inProject(team.owner));
    await finish(team, await begin(team, body.invite_code), await mailed(team));
    const accepted = await look(team, body.invite_code);
    expectProblem(accepted, "invite_already_accepted");
    expect(accepted.body.user_id).toBeUndefined();
    const { body: other } = await team.call(
      "auth/invite/create",
      { ...invite, email: "late@example.com" },
      team.inProject(team.owner),
    );
    team.advance(8 * 86_400);
    expectProblem(await look(team, other.invite_code), "invite_expired");
    expectProblem(await look(team, "inv_eu_0123"), "wrong_region");
    expect(await peopleOf(team)).toHaveLength(2);
  });

  test("does not learn whether the address has an account in another organization", async () => {
    const { team, code } = await invited(kind);
    await team.person(email);
    const { team: other, code: unknown } = await invited(kind);
    const strip = (answer: TestAnswer) => withoutRequestId(answer).replace(/"expires_at":"[^"]+"/, "");
    expect(strip(await look(team, code))).toBe(strip(await look(other, unknown)));
    expect(Object.keys((await begin(team, code)).body)).toEqual(Object.keys((await begin(other, unknown)).body));
  });

  test("sets up a second factor first, where the organization requires one", async () => {
    const { team, code } = await invited(kind);
    await team.call("organizations/update", { second_factor: "required" }, { as: team.owner });
    const done = await finish(team, await begin(team, code), await mailed(team));
    expect(done.body.state).toBe("set_up_second_factor");
    const as = withSession(sessionIn(done));
    expectProblem(await team.call("auth/sessions/list", {}, as), "second_factor_required");
    const { finished } = await addPasskey(team, as);
    expect((await team.call("auth/sessions/list", {}, withSession(sessionIn(finished)))).status).toBe(200);
  });

  test("bad input is refused, and nothing is stored or sent", async () => {
    const { team, code } = await invited(kind);
    const name = "Ada";
    await expectRefused(team, "auth/sign_up/begin", {}, [
      [{}, 400, "malformed_request"],
      [{ invite_code: code, name: "" }, 422, "validation_failed", "#/name"],
      [{ invite_code: code, name: "a\nb" }, 422, "validation_failed", "#/name"],
      [{ invite_code: code, name, password: "short" }, 422, "validation_failed", "#/password"],
      [{ invite_code: code, name, password: "password1234" }, 422, "validation_failed", "#/password"],
      [{ invite_code: `${code}x`, name, password: goodPassword }, 404, "invite_not_found"],
    ]);
    expect(await mailsIn(team, "sign_up_code")).toEqual([]);
  });

  test("gets a limited number of mails from a holder of the code", async () => {
    const rateLimits = { ...defaultPolicies, sign_in_failure: { quota: 2, windowSeconds: 900 } };
    const { team, code } = await invited(kind, { rateLimits });
    for (let i = 0; i < 2; i++) expect((await begin(team, code, {})).status).toBe(200);
    expectProblem(await begin(team, code, {}), "rate_limited");
  });
});

describeOnBothStores("a person with an account in another organization", (kind) => {
  test("accepts with one call, gets a session of the new account, and signs in to it with the same password", async () => {
    const { team, code } = await invited(kind);
    const ada = await team.person(email);
    await givePassword(team, ada);
    const accepted = await team.call("auth/invite/accept", { invite_code: code }, withSession(await signIn(team, ada)));
    expect([accepted.status, accepted.body.api_key]).toEqual([200, undefined]);
    const { body } = await team.call("auth/info", {}, withSession(sessionIn(accepted)));
    expect([body.user_id, body.organization_id]).toEqual([accepted.body.user_id, team.owner.organizationId]);
    const choice = await team.call("auth/sign_in/password", { email, password: goodPassword });
    expect(choice.body.organizations).toHaveLength(2);
  });

  test("gets a key and no cookie when calling with a key", async () => {
    const { team, code } = await invited(kind);
    const ada = await team.person(email);
    const accepted = await team.call("auth/invite/accept", { invite_code: code }, { as: ada });
    expect([accepted.body.api_key, accepted.headers["set-cookie"]]).toEqual([
      expect.stringMatching(/^sbk_us_/),
      undefined,
    ]);
  });

  test("cannot accept an invite to another person", async () => {
    const { team, code } = await invited(kind);
    const { owner: stranger } = await team.neighbour();
    await givePassword(team, stranger);
    const as = withSession(await signIn(team, stranger));
    expectProblem(await team.call("auth/invite/accept", { invite_code: code }, as), "invite_not_found");
  });
});
