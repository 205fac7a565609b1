import { describe, expect, test } from "vitest";
import { expectProblem } from "../../../test/support/calls/expect-problem.ts";
import {
  givePassword,
  goodPassword,
  lastMail,
  mailsIn,
  sessionIn,
  signIn,
  withSession,
} from "../../../test/support/sign-in/sign-in.ts";
import { describeOnBothStores } from "../../../test/support/stores.ts";
import { expectRefused, startTeam, type Team } from "../../../test/support/team.ts";
import { defaultPolicies } from "../../calls/rate-limits/default-quotas.ts";
import { weaknessOf } from "./common-passwords.ts";
import { hashPassword, matchesHash } from "./hash.ts";
import { newPassword } from "./passwords.ts";

const another = "another lamp on the fourth shelf";
const canEnter = async (team: Team, password: string, person = team.owner): Promise<boolean> =>
  (await team.call("auth/sign_in/password", { email: person.email, password })).status === 200;

describe("a password", () => {
  test.each([
    "passwordpassword",
    "Password1234!",
    "qwertyuiop123",
    "123456789012",
    "987654321098",
    "aaaaaaaaaaaaaaa",
    "abababababababab",
    "1q2w3e4r5t6y",
    "Administrator2026",
    "correcthorsebatterystaple",
    "iloveyou2026!!!",
    "!!!welcome2026!!!",
    "ada.lovelace1815",
  ])("%s is a common password", (password) => {
    expect(weaknessOf(password, "ada.lovelace@example.com")).not.toBeNull();
  });

  test.each([
    goodPassword,
    another,
    "пароль для сигнала",
    "k7x-q2m-p9z-w4v",
    newPassword(),
    "My dragon eats soup daily",
  ])("%s is not a common password", (password) => expect(weaknessOf(password, "ada.lovelace@example.com")).toBeNull());

  test("is the same however a keyboard composes it", async () => {
    const hash = await hashPassword("Zürich liegt am See", "operator");
    expect(await matchesHash("Zu\u0308rich liegt am See", hash, "operator")).toBe(true);
    expect(await matchesHash("Zurich liegt am See", hash, "operator")).toBe(false);
    expect(await matchesHash("the password of nobody", null, "operator")).toBe(false);
  });

  test("that is generated is unique", () => {
    const made = Array.from({ length: 50 }, newPassword);
    expect(new Set(made).size).toBe(50);
    for (const password of made) expect(password).toMatch(/^([a-z2-9]{5}-){3}[a-z2-9]{5}$/);
  });
});

describeOnBothStores("changing a password", (kind) => {
  test("requires the current one, ends the other sessions, and sends a mail", async () => {
    const team = await startTeam(kind);
    await givePassword(team, team.owner);
    const [here, elsewhere] = [await signIn(team, team.owner), await signIn(team, team.owner)];
    const change = (current_password?: string) =>
      team.call("auth/password/change", { current_password, new_password: another }, withSession(here));
    expectProblem(await change("not the current one"), "password_wrong");
    expectProblem(await change(), "password_wrong");
    expect((await change(goodPassword)).body).toEqual({ changed: true, sessions_ended: 1 });
    expect([await canEnter(team, goodPassword), await canEnter(team, another)]).toEqual([false, true]);
    const [row] = await team.store.query<{ hash: string }>("select hash from passwords");
    expect(row?.hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    expect((await team.call("auth/info", {}, withSession(here))).status).toBe(200);
    expectProblem(await team.call("auth/info", {}, withSession(elsewhere)), "session_ended");
    expect((await team.call("auth/info", {}, { as: team.owner })).status).toBe(200);
    expect(await lastMail(team, "password_changed")).toMatchObject({ recipient: team.owner.email });
  });

  test("an account without one gets its first, if the session is confirmed", async () => {
    const team = await startTeam(kind);
    await givePassword(team, team.owner);
    const as = withSession(await signIn(team, team.owner));
    await team.store.transaction((db) => db.query("delete from passwords"));
    team.advance(16 * 60);
    const change = () => team.call("auth/password/change", { new_password: another }, as);
    expectProblem(await change(), "confirmation_required");
    expect((await team.call("auth/password/change", { new_password: another }, { as: team.owner })).status).toBe(200);
    expect(await canEnter(team, another)).toBe(true);
  });

  test("a bad new password is refused, and nothing is changed", async () => {
    const team = await startTeam(kind);
    const pointer = "#/new_password";
    await expectRefused(team, "auth/password/change", { as: team.owner }, [
      [{}, 400, "malformed_request", pointer],
      [{ new_password: 12 }, 400, "malformed_request", pointer],
      [{ new_password: "eleven char" }, 422, "validation_failed", pointer],
      [{ new_password: "passwordpassword" }, 422, "validation_failed", pointer],
      [{ new_password: "x1".repeat(129) }, 422, "validation_failed", pointer],
      [{ new_password: "👍".repeat(11) }, 422, "validation_failed", pointer],
      [{ new_password: "owner@example.com" }, 422, "validation_failed", pointer],
    ]);
  });

  test("wrong attempts from an open session are counted", async () => {
    const rateLimits = { ...defaultPolicies, sign_in_failure: { quota: 2, windowSeconds: 900 } };
    const team = await startTeam(kind, { rateLimits });
    await givePassword(team, team.owner);
    const as = withSession(await signIn(team, team.owner));
    const guess = () => team.call("auth/confirm/password", { password: "a guess" }, as);
    for (let i = 0; i < 2; i++) expectProblem(await guess(), "password_wrong");
    expectProblem(await guess(), "rate_limited");
  });

  test("changes of credentials require a confirmation after a quarter of an hour (ASVS 7.5.1)", async () => {
    const team = await startTeam(kind);
    await givePassword(team, team.owner);
    const as = withSession(await signIn(team, team.owner));
    team.advance(16 * 60);
    for (const operation of ["auth/passkeys/begin", "auth/codes/begin", "auth/codes/remove", "auth/keys/create"]) {
      expectProblem(await team.call(operation, {}, as), "confirmation_required");
    }
    expectProblem(await team.call("auth/confirm/password", { password: another }, as), "password_wrong");
    expect((await team.call("auth/confirm/password", { password: goodPassword }, as)).status).toBe(200);
    expect(await team.lastAudit()).toMatchObject({ action: "session.confirmed", details: { method: "password" } });
    expect((await team.call("auth/passkeys/begin", {}, as)).status).toBe(200);
  });
});

describeOnBothStores("a forgotten password", (kind) => {
  const forgot = (team: Team, email = team.owner.email) => team.call("auth/password/forgot", { email });
  const reset = (team: Team, token: string | undefined, new_password = another) =>
    team.call("auth/password/reset", { token, new_password });
  const tokenIn = async (team: Team) => (await lastMail(team, "password_reset")).details.token;

  test("is replaced with the link from a mail, which ends all sessions and opens none", async () => {
    const team = await startTeam(kind);
    await givePassword(team, team.owner);
    const session = await signIn(team, team.owner);
    expect((await forgot(team)).body).toEqual({ sent: true });
    const mail = await lastMail(team, "password_reset");
    expect([mail.recipient, Object.keys(mail.details).sort()]).toEqual([
      team.owner.email,
      ["email", "expires_at", "name", "organization", "organization_id", "token"],
    ]);
    const answer = await reset(team, mail.details.token);
    expect([answer.body, sessionIn(answer)]).toEqual([{ changed: true, sessions_ended: 1 }, null]);
    expectProblem(await team.call("auth/info", {}, withSession(session)), "session_ended");
    expect([await canEnter(team, goodPassword), await canEnter(team, another)]).toEqual([false, true]);
    // "Only the hash is stored": the stored value is not a valid token.
    expect(JSON.stringify(await team.store.query("select * from challenges"))).not.toContain(mail.details.token);
  });

  test("the response is the same for every address, and only an active account gets a mail", async () => {
    const team = await startTeam(kind);
    const leaver = await team.colleague("leaver");
    await team.deactivate(leaver);
    const answers = [await forgot(team), await forgot(team, "nobody@example.com"), await forgot(team, leaver.email)];
    for (const answer of answers) expect([answer.status, answer.text]).toEqual([200, '{"sent":true}']);
    expect((await mailsIn(team, "password_reset")).map(({ recipient }) => recipient)).toEqual([team.owner.email]);
  });

  test("a person with two accounts gets a link for each", async () => {
    const team = await startTeam(kind);
    const there = await team.person(team.owner.email);
    await forgot(team);
    const mails = await mailsIn(team, "password_reset");
    expect(mails).toHaveLength(2);
    for (const { details } of mails) expect((await reset(team, details.token)).status).toBe(200);
    const choice = await team.call("auth/sign_in/password", { email: there.email, password: another });
    expect(choice.body.state).toBe("choose_organization");
  });

  test("the link works once, for an hour, and using it invalidates the others", async () => {
    const team = await startTeam(kind);
    await forgot(team);
    const first = await tokenIn(team);
    await forgot(team);
    const second = await tokenIn(team);
    // A refused new password does not use it up.
    expectProblem(await reset(team, first, "passwordpassword"), "validation_failed");
    const answers = await Promise.all(Array.from({ length: 5 }, () => reset(team, first)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expectProblem(await reset(team, second), "challenge_gone");
    await forgot(team);
    const late = await tokenIn(team);
    team.advance(3601);
    expectProblem(await reset(team, late), "challenge_gone");
    expectProblem(await reset(team, "A".repeat(43)), "challenge_gone");
  });

  test("a change of the password invalidates the link, and so does a deactivation", async () => {
    const team = await startTeam(kind);
    await givePassword(team, team.owner);
    await forgot(team);
    const wanted = { current_password: goodPassword, new_password: another };
    await team.call("auth/password/change", wanted, { as: team.owner });
    expectProblem(await reset(team, await tokenIn(team)), "challenge_gone");
    const leaver = await team.colleague("leaver");
    await forgot(team, leaver.email);
    await team.deactivate(leaver);
    expectProblem(await reset(team, await tokenIn(team)), "challenge_gone");
  });

  test("a person gets at most five links in a quarter of an hour, and the response is always the same", async () => {
    const team = await startTeam(kind);
    for (const email of [team.owner.email, "nobody@example.com"]) {
      const answers = await Promise.all(Array.from({ length: 8 }, () => forgot(team, email)));
      for (const answer of answers) expect([answer.status, answer.text]).toEqual([200, '{"sent":true}']);
    }
    expect(await mailsIn(team, "password_reset")).toHaveLength(5);
    team.advance(901);
    await forgot(team);
    expect(await mailsIn(team, "password_reset")).toHaveLength(6);
  });
});
