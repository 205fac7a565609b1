import { expect, test } from "vitest";
import { expectProblem } from "../../test/support/calls/expect-problem.ts";
import { startScim } from "../../test/support/scim/scim.ts";
import {
  addCodes,
  codeNow,
  givePassword,
  goodPassword,
  lastMail,
  sessionIn,
  signIn,
  withSession,
} from "../../test/support/sign-in/sign-in.ts";
import { describeOnBothStores } from "../../test/support/stores.ts";
import { startTeam } from "../../test/support/team.ts";
import { fingerprintOf } from "../calls/idempotency.ts";

const another = "another lamp on the fourth shelf";
const rounds = 4;

describeOnBothStores("credentials that changed during a sign-in", (kind) => {
  test("a sign-in that began with the old password cannot be finished", async () => {
    const team = await startTeam(kind);
    await givePassword(team, team.owner);
    const { secret } = await addCodes(team, { as: team.owner });
    const begun = await team.call("auth/sign_in/password", { email: team.owner.email, password: goodPassword });
    expect(begun.body.state).toBe("code_required");
    const changed = { current_password: goodPassword, new_password: another };
    expect((await team.call("auth/password/change", changed, { as: team.owner })).status).toBe(200);
    const answer = { sign_in_token: begun.body.sign_in_token, code: codeNow(team, secret) };
    const finished = await team.call("auth/sign_in/code", answer);
    expectProblem(finished, "challenge_gone");
    expect(sessionIn(finished)).toBeNull();
  });

  test("a sign-in concurrent with a password change leaves no session of the old password", async () => {
    const team = await startTeam(kind);
    let current = goodPassword;
    await givePassword(team, team.owner, current);
    for (let round = 0; round < rounds; round++) {
      const next = `${another} ${round}`;
      const entry = { email: team.owner.email, password: current };
      const [first, changed, second] = await Promise.all([
        team.call("auth/sign_in/password", entry),
        team.call("auth/password/change", { current_password: current, new_password: next }, { as: team.owner }),
        team.call("auth/sign_in/password", entry),
      ]);
      expect(changed.status).toBe(200);
      for (const answer of [first, second]) {
        const token = sessionIn(answer);
        if (token !== null) expectProblem(await team.call("auth/info", {}, withSession(token)), "session_ended");
      }
      current = next;
    }
  });

  test("a sign-in concurrent with requiring a second factor leaves no full session by password alone", async () => {
    const team = await startTeam(kind);
    const person = await team.colleague("ada");
    await givePassword(team, person);
    const demand = (second_factor: string) => team.call("organizations/update", { second_factor }, { as: team.owner });
    for (let round = 0; round < rounds; round++) {
      const entry = { email: person.email, password: goodPassword };
      const [answer] = await Promise.all([team.call("auth/sign_in/password", entry), demand("required")]);
      const token = sessionIn(answer);
      if (token !== null) {
        expectProblem(await team.call("auth/sessions/list", {}, withSession(token)), "second_factor_required");
      }
      await demand("optional");
    }
  });

  test("an idempotent password change stores nothing from which the password could be guessed", async () => {
    const team = await startTeam(kind);
    await givePassword(team, team.owner);
    const body = { current_password: goodPassword, new_password: another };
    const options = { as: team.owner, headers: { "idempotency-key": "once" } };
    const [first, again] = [
      await team.call("auth/password/change", body, options),
      await team.call("auth/password/change", body, options),
    ];
    expect([first.status, again.text, again.headers["idempotency-replayed"]]).toEqual([200, first.text, "true"]);
    const other = await team.call("auth/password/change", { ...body, new_password: `${another}!` }, options);
    expectProblem(other, "idempotency_mismatch");
    const kept = JSON.stringify(await team.store.query("select * from idempotent_answers"));
    expect(kept).not.toContain(fingerprintOf(body));
  });

  test("a mailed link is invalid after the address changed", async () => {
    const team = await startScim(kind);
    const bob = await team.colleague("bob");
    await givePassword(team, bob);
    const emails = (value: string) => ({ emails: [{ value, type: "work", primary: true }] });
    await team.user("bob", emails(bob.email));
    await team.call("auth/password/forgot", { email: bob.email });
    const { token } = (await lastMail(team, "password_reset")).details;
    await team.patch(`/Users/${bob.userId}`, { op: "replace", value: emails("robert@example.com") });
    const reset = await team.call("auth/password/reset", { token, new_password: another });
    expectProblem(reset, "challenge_gone");
    expect(await signIn(team, { ...bob, email: "robert@example.com" })).toBeTruthy();
  });
});
