import { expect, test } from "vitest";
import {
  addCodes,
  addPasskey,
  codeNow,
  givePassword,
  goodPassword,
  sessionIn,
  signInWithPasskey,
  withSession,
} from "../../test/support/sign-in/sign-in.ts";
import { describeOnBothStores, type StoreKind } from "../../test/support/stores.ts";
import { asRole, startTeam, type Team } from "../../test/support/team.ts";

/** A person of another organization, invited into the team's. */
async function startWithGuest(kind: StoreKind) {
  const team = await startTeam(kind);
  const { owner: guest } = await team.neighbour();
  await givePassword(team, guest);
  const wish = { email: guest.email, permissions: asRole("viewer") };
  const { body } = await team.call("auth/invite/create", wish, team.inProject(team.owner));
  const accept = (as: Parameters<Team["call"]>[2]) =>
    team.call("auth/invite/accept", { invite_code: body.invite_code }, as);
  const signIn = (organization_id: string, code?: string) =>
    team.call("auth/sign_in/password", { email: guest.email, password: goodPassword, organization_id, code });
  return { team, guest, accept, signIn, here: team.owner.organizationId, there: guest.organizationId };
}

describeOnBothStores("a second account, from an invite to another organization", (kind) => {
  test("requires a code if the first account does: the same app and recovery codes, each once", async () => {
    const { team, guest, accept, signIn, here } = await startWithGuest(kind);
    const { secret, recoveryCodes } = await addCodes(team, { as: guest });
    expect((await signIn(guest.organizationId, recoveryCodes[0])).body.state).toBe("signed_in");
    expect((await accept({ as: guest })).status).toBe(200);
    expect((await signIn(here)).body.state).toBe("code_required");
    const states: string[] = [];
    for (const code of [codeNow(team, secret), codeNow(team, secret), recoveryCodes[1], recoveryCodes[1]]) {
      const { body } = await signIn(here, code);
      states.push(body.state ?? body.code);
    }
    expect(states).toEqual(["signed_in", "code_refused", "signed_in", "code_refused"]);
    // A recovery code that was used before is not valid here either.
    expect((await signIn(here, recoveryCodes[0])).body.code).toBe("code_refused");
  });

  test("has no password if that needs a passkey, and its session works all the same", async () => {
    const { team, guest, accept, signIn, here, there } = await startWithGuest(kind);
    const { authenticator } = await addPasskey(team, { as: guest });
    await team.call("organizations/update", { second_factor: "required" }, { as: guest });
    expect((await signIn(there)).body.state).toBe("passkey_required");
    const accepted = await accept(withSession(sessionIn(await signInWithPasskey(team, authenticator))));
    expect((await signIn(here)).body.code).toBe("sign_in_failed");
    const inside = withSession(sessionIn(accepted));
    const first = await team.call("auth/password/change", { new_password: `${goodPassword} here` }, inside);
    expect(first.status).toBe(200);
  });

  test("has a full session if the person signed in with a code and a second factor is required", async () => {
    const { team, guest, accept, signIn, here, there } = await startWithGuest(kind);
    const { secret } = await addCodes(team, { as: guest });
    await team.call("organizations/update", { second_factor: "required" }, { as: team.owner });
    const accepted = await accept(withSession(sessionIn(await signIn(there, codeNow(team, secret)))));
    const listed = await team.call("auth/sessions/list", {}, withSession(sessionIn(accepted)));
    expect(listed.body.results).toMatchObject([{ method: "password_and_code", current: true }]);
    expect((await team.call("auth/info", {}, withSession(sessionIn(accepted)))).body.organization_id).toBe(here);
  });

  test("requires password and code of a person from another organization's provider, if a second factor is required", async () => {
    const { team, guest, accept, signIn, here, there } = await startWithGuest(kind);
    const { secret } = await addCodes(team, { as: guest });
    await team.call("organizations/update", { second_factor: "required" }, { as: team.owner });
    const token = sessionIn(await signIn(there, codeNow(team, secret)));
    await team.store.transaction((db) => db.query("update sessions set method = 'oidc'"));
    const accepted = await accept(withSession(token));
    expect([accepted.status, sessionIn(accepted)]).toEqual([200, null]);
    expect((await signIn(here)).body.state).toBe("code_required");
  });
});
