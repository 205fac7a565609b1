import { expect, test } from "vitest";
import { operatorScope } from "../../src/access/operator.ts";
import { expectProblem } from "../../test/support/calls/expect-problem.ts";
import { startScim } from "../../test/support/scim/scim.ts";
import {
  addPasskey,
  givePassword,
  goodPassword,
  lastMail,
  sessionIn,
  signIn,
  signInWithPasskey,
  withSession,
} from "../../test/support/sign-in/sign-in.ts";
import { describeOnBothStores } from "../../test/support/stores.ts";
import { asRole, everythingIn, startTeam, type Team } from "../../test/support/team.ts";
import { reactivateUser } from "../access/deactivation.ts";
import { verifyAsOperator } from "./sso/domains.ts";

const primary = (value: string) => ({ emails: [{ value, type: "work", primary: true }] });

const inviteTo = async (team: Team, email: string, options = team.inProject(team.owner)): Promise<string> => {
  const answer = await team.call("auth/invite/create", { email, permissions: asRole("viewer") }, options);
  expect(answer.status).toBe(200);
  return answer.body.invite_code;
};

describeOnBothStores("accepting an invite with an account of another organization", (kind) => {
  test("creates no key where a second factor is required, because a key would bypass it", async () => {
    const team = await startTeam(kind);
    const { owner: guest } = await team.neighbour();
    await team.call("organizations/update", { second_factor: "required" }, { as: team.owner });
    const code = await inviteTo(team, guest.email);
    const accepted = await team.call("auth/invite/accept", { invite_code: code }, { as: guest });
    expect([accepted.status, accepted.body.api_key]).toEqual([200, undefined]);
    const keys = await team.store.query("select 1 from api_keys where user_id = $1", [accepted.body.user_id]);
    expect(keys).toEqual([]);
  });

  test("is refused where single sign-on is required for the domain", async () => {
    const team = await startTeam(kind);
    const { owner: guest } = await team.neighbour();
    const provider = { kind: "oidc", label: "X", issuer: "https://nobody.invalid", client_id: "x", required: true };
    expect((await team.call("single_sign_on/create", provider, { as: team.owner })).status).toBe(200);
    await verifyAsOperator(operatorScope(team.store, "us", team.now), team.owner.organizationId, "example.org");
    const code = await inviteTo(team, guest.email);
    const before = await everythingIn(team.store);
    expectProblem(await team.call("auth/invite/accept", { invite_code: code }, { as: guest }), "sso_required");
    expect(await everythingIn(team.store)).toBe(before);
  });

  test("a sign-up that began before that is refused too", async () => {
    const team = await startTeam(kind);
    const code = await inviteTo(team, "new@example.org");
    const begun = await team.call("auth/sign_up/begin", { invite_code: code, name: "New", password: goodPassword });
    const provider = { kind: "oidc", label: "X", issuer: "https://nobody.invalid", client_id: "x", required: true };
    await team.call("single_sign_on/create", provider, { as: team.owner });
    await verifyAsOperator(operatorScope(team.store, "us", team.now), team.owner.organizationId, "example.org");
    const mailed = (await lastMail(team, "sign_up_code")).details.code;
    const answer = { sign_up_token: begun.body.sign_up_token, code: mailed };
    expectProblem(await team.call("auth/sign_up/finish", answer), "sso_required");
  });

  test("does not confirm an old session", async () => {
    const team = await startTeam(kind);
    const { owner: guest } = await team.neighbour();
    await givePassword(team, guest);
    const as = withSession(await signIn(team, guest));
    team.advance(16 * 60);
    const code = await inviteTo(team, guest.email);
    const accepted = await team.call("auth/invite/accept", { invite_code: code }, as);
    const there = withSession(sessionIn(accepted));
    expect((await team.call("auth/info", {}, there)).status).toBe(200);
    expectProblem(await team.call("auth/keys/create", {}, there), "confirmation_required");
  });

  test("requires the account's own address, not one that is only shown", async () => {
    const team = await startScim(kind);
    const { owner: neighbour, projectId } = await team.neighbour();
    const mallory = await team.colleague("mallory");
    await team.user("mallory", primary(mallory.email));
    // Another account of the organization has the address already: it is shown, and never compared.
    await team.patch(`/Users/${mallory.userId}`, { op: "replace", value: primary(team.owner.email) });
    const code = await inviteTo(team, team.owner.email, { as: neighbour, project: projectId });
    expectProblem(await team.call("auth/invite/accept", { invite_code: code }, { as: mallory }), "invite_not_found");
    expect((await team.call("auth/invite/accept", { invite_code: code }, { as: team.owner })).status).toBe(200);
  });

  test("accepts an address that the person verified, but not one from another organization's directory", async () => {
    const team = await startScim(kind);
    const { owner: neighbour, projectId } = await team.neighbour();
    const [honest, mallory] = [await team.colleague("honest"), await team.colleague("mallory")];
    await team.user("mallory", primary(mallory.email));
    await team.patch(`/Users/${mallory.userId}`, { op: "replace", value: primary("victim@example.net") });
    const verified = async (address: string, as: typeof honest): Promise<boolean> => {
      const code = await inviteTo(team, address, { as: neighbour, project: projectId });
      const { body } = await team.call("auth/invite/accept", { invite_code: code }, { as });
      const [row] = await team.store.query<{ at: string | null }>(
        "select email_verified_at as at from users where id = $1",
        // After a refusal there is no account.
        [body.user_id ?? ""],
      );
      return row?.at != null;
    };
    expect(await verified(honest.email, honest)).toBe(true);
    expect(await verified("victim@example.net", mallory)).toBe(false);
  });
});

describeOnBothStores("a person whom a directory deleted", (kind) => {
  test("cannot be reactivated or made an owner by hand, and is restored as a member", async () => {
    const team = await startScim(kind);
    const bob = await team.colleague("bob");
    const role = (organization_role: string) =>
      team.call("organizations/users/update", { user_id: bob.userId, organization_role }, { as: team.owner });
    expect((await role("owner")).status).toBe(200);
    await team.user("bob", { externalId: "E7", ...primary(bob.email) });
    await team.scim("DELETE", `/Users/${bob.userId}`);
    const before = await everythingIn(team.store);
    const again = () => team.call("organizations/users/reactivate", { user_id: bob.userId }, { as: team.owner });
    expectProblem(await again(), "user_not_found");
    expectProblem(await role("owner"), "user_not_found");
    await expect(reactivateUser(operatorScope(team.store, "us", team.now), bob.userId)).rejects.toThrow();
    expect(await everythingIn(team.store)).toBe(before);
    await team.user("bob", { externalId: "E7", ...primary(bob.email) });
    const [row] = await team.store.query("select organization_role, active from users where id = $1", [bob.userId]);
    expect(row).toEqual({ organization_role: "member", active: 1 });
  });

  test("a person deactivated by hand stays deactivated when a directory links them without `active`", async () => {
    const team = await startScim(kind);
    const bob = await team.colleague("bob");
    await team.deactivate(bob);
    expect((await team.user("bob", primary(bob.email))).active).toBe(false);
    expectProblem(await team.call("auth/info", {}, { as: bob }), "owner_deactivated");
  });

  test("after the directory is deleted, its provider can still be changed and disabled", async () => {
    const team = await startScim(kind);
    const provider = { kind: "oidc", label: "X", issuer: "https://nobody.invalid", client_id: "x" };
    const { body } = await team.call("single_sign_on/create", provider, { as: team.owner });
    expect(body.directory_id).toBe(team.directoryId);
    expect((await team.call(`directory/${team.directoryId}/delete`, {}, { as: team.owner })).status).toBe(200);
    const off = await team.call(`single_sign_on/${body.provider_id}/update`, { enabled: false }, { as: team.owner });
    expect([off.status, off.body.enabled, off.body.directory_id]).toEqual([200, false, null]);
  });
});

describeOnBothStores("the requirement of a second factor", (kind) => {
  test("can be changed only in a recently confirmed session", async () => {
    const team = await startTeam(kind);
    await givePassword(team, team.owner);
    const as = withSession(await signIn(team, team.owner));
    const update = (body: object) => team.call("organizations/update", body, as);
    expect((await update({ second_factor: "optional" })).status).toBe(200);
    team.advance(16 * 60);
    expectProblem(await update({ second_factor: "optional" }), "confirmation_required");
    expectProblem(await update({ keys_on_reactivation: "restore" }), "confirmation_required");
    expect((await update({ name: "Another name" })).status).toBe(200);
  });

  test("ends password sessions of people who have a second factor", async () => {
    const team = await startTeam(kind);
    const careful = await team.colleague("careful");
    await givePassword(team, careful);
    const { authenticator } = await addPasskey(team, { as: careful });
    const byPassword = await signIn(team, careful);
    await team.call("organizations/update", { second_factor: "required" }, { as: team.owner });
    expectProblem(await team.call("auth/info", {}, withSession(byPassword)), "session_ended");
    expect((await signInWithPasskey(team, authenticator)).body.state).toBe("signed_in");
  });
});
