import { expect, test } from "vitest";
import { expectProblem } from "../../test/support/calls/expect-problem.ts";
import { createAuthenticator } from "../../test/support/sign-in/authenticator.ts";
import {
  addPasskey,
  givePassword,
  sessionIn,
  signIn,
  signInWithPasskey,
  withSession,
} from "../../test/support/sign-in/sign-in.ts";
import { describeOnBothStores } from "../../test/support/stores.ts";
import { aTime, startTeam } from "../../test/support/team.ts";
import { passkeysMax } from "./passkeys.ts";

describeOnBothStores("a passkey", (kind) => {
  test("signs in without an address, and is listed until it is removed", async () => {
    const team = await startTeam(kind);
    const { authenticator, passkeyId } = await addPasskey(team, { as: team.owner });
    const answer = await signInWithPasskey(team, authenticator);
    expect(answer.body).toMatchObject({ state: "signed_in", user_id: team.owner.userId });
    const as = withSession(sessionIn(answer));
    const { body: sessions } = await team.call("auth/sessions/list", {}, as);
    expect(sessions.results).toMatchObject([{ method: "passkey", current: true }]);
    const { body } = await team.call("auth/passkeys/list", {}, as);
    expect(body.results).toEqual([
      { passkey_id: passkeyId, label: "A laptop", synced: false, created_at: aTime, last_used_at: aTime },
    ]);
    expect(await team.lastAudit()).toMatchObject({
      action: "session.created",
      details: { method: "passkey", passkey_id: passkeyId },
    });
    await team.call("auth/passkeys/remove", { passkey_id: passkeyId }, as);
    expect(await team.lastAudit()).toMatchObject({ action: "passkey.removed", target: passkeyId });
    expectProblem(await signInWithPasskey(team, authenticator), "passkey_refused");
  });

  test("requires a relying party id, user verification, and no address", async () => {
    const team = await startTeam(kind);
    await addPasskey(team, { as: team.owner });
    const { options } = (await team.call("auth/passkeys/begin", {}, { as: team.owner })).body;
    expect(options).toMatchObject({
      rp: { id: "us.test", name: "Signalbox" },
      user: { name: team.owner.email, id: Buffer.from(team.owner.userId).toString("base64url") },
      attestation: "none",
      authenticatorSelection: { residentKey: "required", userVerification: "required" },
    });
    expect(options.excludeCredentials).toHaveLength(1);
    const asked = (await team.call("auth/sign_in/passkey/begin", {})).body.options;
    expect(asked).toMatchObject({ rpId: "us.test", userVerification: "required" });
    expect(asked.allowCredentials ?? []).toEqual([]);
  });

  test.each([
    ["of another site's page", { origin: "https://evil.example" }],
    ["of another region's page", { origin: "http://eu.test" }],
    ["that belongs to another name", { rpId: "evil.example" }],
    ["that did not verify the person", { userVerified: false }],
    ["that answers another question", { type: "webauthn.get" }],
  ])("%s is refused at registration", async (_, changes) => {
    const team = await startTeam(kind);
    const { body } = await team.call("auth/passkeys/begin", {}, { as: team.owner });
    const response = createAuthenticator().create(body.options, changes);
    expectProblem(await team.call("auth/passkeys/finish", { response }, { as: team.owner }), "passkey_unusable");
    expect((await team.call("auth/passkeys/list", {}, { as: team.owner })).body.results).toEqual([]);
  });

  test.each([
    ["on another site's page", { origin: "https://evil.example" }],
    ["for another name", { rpId: "evil.example" }],
    ["without verifying the person", { userVerified: false }],
    ["with a counter that does not grow, as a copy's does not", { counter: 1 }],
  ])("that is used %s is refused", async (_, changes) => {
    const team = await startTeam(kind);
    const { authenticator } = await addPasskey(team, { as: team.owner });
    const answer = await signInWithPasskey(team, authenticator, changes);
    expectProblem(answer, "passkey_refused");
    expect(sessionIn(answer)).toBeNull();
  });

  test("a challenge is valid once, for five minutes", async () => {
    const team = await startTeam(kind);
    const { authenticator } = await addPasskey(team, { as: team.owner });
    const begin = async () => (await team.call("auth/sign_in/passkey/begin", {})).body.options;
    const finish = (response: unknown) => team.call("auth/sign_in/passkey/finish", { response });
    const response = authenticator.get(await begin());
    expect((await finish(response)).status).toBe(200);
    expectProblem(await finish(response), "challenge_gone");
    const late = await begin();
    team.advance(301);
    expectProblem(await finish(authenticator.get(late)), "challenge_gone");
    expectProblem(await finish(authenticator.get({ challenge: "bWFkZSB1cA" })), "challenge_gone");
    // Of ten concurrent uses of one response, one succeeds.
    const once = authenticator.get(await begin());
    const answers = await Promise.all(Array.from({ length: 10 }, () => finish(once)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  });

  test("cannot be registered with another person's challenge, and a known one cannot be registered again", async () => {
    const team = await startTeam(kind);
    const colleague = await team.colleague("colleague");
    const begin = async (as = colleague) => (await team.call("auth/passkeys/begin", {}, { as })).body.options;
    const finish = (response: unknown, as = colleague) => team.call("auth/passkeys/finish", { response }, { as });
    expectProblem(await finish(createAuthenticator().create(await begin(team.owner))), "challenge_gone");
    const authenticator = createAuthenticator();
    expect((await finish(authenticator.create(await begin(team.owner)), team.owner)).status).toBe(200);
    expectProblem(await finish(authenticator.create(await begin())), "passkey_unusable");
    expect((await signInWithPasskey(team, authenticator)).body.user_id).toBe(team.owner.userId);
  });

  test("of a person who is deactivated is refused with the reason", async () => {
    const team = await startTeam(kind);
    const leaver = await team.colleague("leaver");
    const { authenticator } = await addPasskey(team, { as: leaver });
    await team.deactivate(leaver);
    expectProblem(await signInWithPasskey(team, authenticator), "account_deactivated");
  });

  test("of another person looks absent, and an account has a limited number", async () => {
    const team = await startTeam(kind);
    const { owner: neighbour } = await team.neighbour();
    const { passkeyId } = await addPasskey(team, { as: neighbour });
    expectProblem(
      await team.call("auth/passkeys/remove", { passkey_id: passkeyId }, { as: team.owner }),
      "passkey_not_found",
    );
    for (let i = 0; i < passkeysMax; i++) await addPasskey(team, { as: team.owner });
    expectProblem(await team.call("auth/passkeys/begin", {}, { as: team.owner }), "too_many_passkeys");
  });

  test("confirms a session of its own person only", async () => {
    const team = await startTeam(kind);
    await givePassword(team, team.owner);
    const as = withSession(await signIn(team, team.owner));
    const { authenticator } = await addPasskey(team, as);
    const { authenticator: colleagues } = await addPasskey(team, { as: await team.colleague("colleague") });
    team.advance(16 * 60);
    expectProblem(await team.call("auth/keys/create", {}, as), "confirmation_required");
    const ask = async () => (await team.call("auth/sign_in/passkey/begin", {})).body.options;
    const confirm = (response: unknown) => team.call("auth/confirm/passkey", { response }, as);
    expectProblem(await confirm(colleagues.get(await ask())), "passkey_refused");
    expect((await confirm(authenticator.get(await ask()))).body).toEqual({ confirmed_at: aTime });
    expect((await team.call("auth/keys/create", {}, as)).status).toBe(200);
  });
});
