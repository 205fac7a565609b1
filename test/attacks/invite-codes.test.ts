import { hash } from "node:crypto";
import { expect, test } from "vitest";
import { operatorScope } from "../../src/access/operator.ts";
import { verifyAsOperator } from "../../src/identity/sso/domains.ts";
import { expectProblem } from "../support/expect-problem.ts";
import { type ScimTeam, startScim } from "../support/scim.ts";
import { goodPassword, lastMail } from "../support/sign-in.ts";
import { describeOnBothStores, type StoreKind } from "../support/stores.ts";
import { asRole, everythingIn } from "../support/team.ts";

/** A code of an invite names it in lists, in the audit log and in events. So it is not enough to come in with. */
describeOnBothStores("a person who got the code of an invite from a stolen store or an event log", (kind) => {
  const victim = "ada@victim.example";

  /** Mallory's organization has a directory of its own; the neighbour invites Ada. */
  async function start(kind: StoreKind) {
    const team = await startScim(kind);
    const there = await team.neighbour();
    const invite = { email: victim, permissions: asRole("admin") };
    const as = { as: there.owner, project: there.projectId };
    const { invite_code } = (await team.call("auth/invite/create", invite, as)).body;
    return { team, there, invite_code: String(invite_code) };
  }

  const borrow = (team: ScimTeam, userId: string) =>
    team.patch(`/Users/${userId}`, {
      op: "replace",
      value: { emails: [{ value: victim, type: "work", primary: true }] },
    });

  test("cannot accept it with an account of another address", async () => {
    const { team, invite_code } = await start(kind);
    const mallory = await team.colleague("mallory");
    expectProblem(await team.call("auth/invite/accept", { invite_code }, { as: mallory }), "invite_not_found");
  });

  test("cannot accept it with an account to which their own directory assigned the invited address", async () => {
    const { team, invite_code, there } = await start(kind);
    const mallory = await team.colleague("mallory");
    await team.user("mallory", { emails: [{ value: mallory.email, type: "work", primary: true }] });
    expect((await borrow(team, mallory.userId)).status).toBeLessThan(300);
    expect((await team.call("auth/info", {}, { as: mallory })).body.user.email).toBe(victim);
    const before = await everythingIn(team.store);
    expectProblem(await team.call("auth/invite/accept", { invite_code }, { as: mallory }), "invite_not_found");
    expect(await everythingIn(team.store)).toBe(before);
    const members = await team.call("auth/users/list", {}, { as: there.owner, project: there.projectId });
    expect(members.text).not.toContain(victim);
    // An organization that has shown that the domain is its own may say whose its addresses are.
    const ours = operatorScope(team.store, "us", team.now);
    await verifyAsOperator(ours, team.owner.organizationId, "victim.example");
    expect((await team.call("auth/invite/accept", { invite_code }, { as: mallory })).status).toBe(200);
  });

  test("cannot sign up with it: the digits are sent to the invited address, and cannot be derived from the store", async () => {
    const { team, invite_code } = await start(kind);
    const begun = await team.call("auth/sign_up/begin", { invite_code, name: "Mallory", password: goodPassword });
    expect(begun.status).toBe(200);
    const { recipient, details } = await lastMail(team, "sign_up_code");
    expect(recipient).toBe(victim);
    // The person who began knows the token: neither the digits nor a hash that they could be tried against stand there.
    const kept = JSON.stringify(await team.store.query("select * from challenges"));
    const { sign_up_token: known } = begun.body;
    for (const text of [details.code, `${known}|${details.code}`, `${known}${details.code}`]) {
      for (const form of [String(text), hash("sha256", String(text), "hex")]) expect(kept).not.toContain(form);
    }
    const codes = Array.from({ length: 12 }, (_, index) => String(10_000_000 + index)).filter(
      (code) => code !== details.code,
    );
    for (const code of codes.slice(0, 10)) {
      expectProblem(
        await team.call("auth/sign_up/finish", { sign_up_token: begun.body.sign_up_token, code }),
        "code_refused",
      );
    }
    const late = { sign_up_token: begun.body.sign_up_token, code: details.code };
    expectProblem(await team.call("auth/sign_up/finish", late), "challenge_gone");
  });
});
