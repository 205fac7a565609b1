import { expect, test } from "vitest";
import type { TestPerson } from "../../../test/support/app.ts";
import { expectProblem } from "../../../test/support/calls/expect-problem.ts";
import { startScim } from "../../../test/support/scim/scim.ts";
import {
  addCodes,
  addPasskey,
  codeNow,
  givePassword,
  goodPassword,
  sessionIn,
  signIn,
  signInWithPasskey,
  withSession,
} from "../../../test/support/sign-in/sign-in.ts";
import { startSsoWorld } from "../../../test/support/sign-in/sso-world.ts";
import { describeOnBothStores, type StoreKind } from "../../../test/support/stores.ts";
import { startTeam, type Team } from "../../../test/support/team.ts";
import { operatorScope } from "../../access/operator.ts";
import { verifyAsOperator } from "./domains.ts";

const provider = { kind: "oidc", label: "X", issuer: "https://nobody.invalid", client_id: "x" };

/** The organization owns the domain of all people in the team. */
async function startVerified(kind: StoreKind): Promise<Team> {
  const team = await startTeam(kind);
  await verify(team, "example.com");
  return team;
}

const verify = (team: Team, domain: string) =>
  verifyAsOperator(operatorScope(team.store, "us", team.now), team.owner.organizationId, domain);

const createProvider = async (team: Team, more: object): Promise<string> => {
  const made = await team.call("single_sign_on/create", { ...provider, ...more }, { as: team.owner });
  expect(made.status).toBe(200);
  return made.body.provider_id;
};

const passwordSession = async (team: Team, person: TestPerson): Promise<string> => {
  await givePassword(team, person);
  return signIn(team, person);
};

const stateOf = async (team: Team, token: string | null): Promise<string> => {
  const answer = await team.call("auth/info", {}, withSession(token));
  return answer.status === 200 ? "open" : answer.body.code;
};

describeOnBothStores("single sign-on that becomes required", (kind) => {
  test("ends sessions by password or passkey, except of owners and other domains", async () => {
    const team = await startVerified(kind);
    const [ada, guest] = [await team.colleague("ada"), await team.person("guest@example.net", team.owner)];
    const providerId = await createProvider(team, {});
    const { authenticator } = await addPasskey(team, { as: ada });
    const byPasskey = sessionIn(await signInWithPasskey(team, authenticator));
    const tokens = [byPasskey];
    for (const person of [ada, guest, team.owner]) tokens.push(await passwordSession(team, person));
    const states = () => Promise.all(tokens.map((token) => stateOf(team, token)));
    expect(await states()).toEqual(["open", "open", "open", "open"]);
    await team.call(`single_sign_on/${providerId}/update`, { required: true }, { as: team.owner });
    expect((await team.lastAudit()).details).toEqual({ changed: ["required"], sessions_ended: 2 });
    expect(await states()).toEqual(["session_ended", "session_ended", "open", "open"]);
    // API keys are not affected.
    expect((await team.call("auth/info", {}, { as: ada })).status).toBe(200);
  });

  test("keeps sessions by a provider", async () => {
    const world = await startSsoWorld(kind);
    await world.verify("example.com");
    await world.colleague("ada");
    const { browser } = await world.signIn();
    await world.call(`single_sign_on/${world.providerId}/update`, { required: true }, { as: world.owner });
    const again = await world.call("auth/info", {}, withSession(browser.session ?? null));
    expect(again.status).toBe(200);
  });

  test("ends sessions with every change that makes it apply", async () => {
    const team = await startTeam(kind);
    const ada = await team.colleague("ada");
    const asOwner = { as: team.owner };
    const ended = async (token: string) => expect(await stateOf(team, token)).toBe("session_ended");

    let token = await passwordSession(team, ada);
    const open = await createProvider(team, {});
    const required = await createProvider(team, { required: true });
    const domain = await verify(team, "example.com");
    // The first provider is responsible for the domain, and it is not required.
    expect(await stateOf(team, token)).toBe("open");

    await team.call(`domains/${domain.id}/update`, { provider_id: required }, asOwner);
    await ended(token);

    await team.call(`domains/${domain.id}/update`, { provider_id: null }, asOwner);
    token = await signIn(team, ada);
    await team.call(`single_sign_on/${open}/delete`, {}, asOwner);
    await ended(token);

    await team.call("organizations/users/update", { user_id: ada.userId, organization_role: "owner" }, asOwner);
    token = await signIn(team, ada);
    await team.call("organizations/users/update", { user_id: ada.userId, organization_role: "member" }, asOwner);
    await ended(token);
  });

  test("also ends sessions of a person who gets an address in such a domain, and of no other", async () => {
    const team = await startScim(kind);
    const [ada, bob] = [
      await team.person("ada@example.net", team.owner),
      await team.person("bob@example.net", team.owner),
    ];
    for (const { email } of [ada, bob]) await team.user(email, { emails: [{ value: email, primary: true }] });
    const tokens = [await passwordSession(team, ada), await passwordSession(team, bob)];
    await createProvider(team, { required: true });
    await verify(team, "example.com");
    const address = { emails: [{ value: "ada@example.com", primary: true }] };
    expect((await team.patch(`/Users/${ada.userId}`, { op: "replace", value: address })).status).toBe(200);
    expect(await Promise.all(tokens.map((token) => stateOf(team, token)))).toEqual(["session_ended", "open"]);
  });

  test("a sign-in under way cannot be finished, and a concurrent one leaves no session", async () => {
    const team = await startVerified(kind);
    const [ada, bob] = [await team.colleague("ada"), await team.colleague("bob")];
    for (const person of [ada, bob]) await givePassword(team, person);
    const { secret } = await addCodes(team, { as: ada });
    const tryIn = ({ email }: TestPerson) => team.call("auth/sign_in/password", { email, password: goodPassword });
    const begun = await tryIn(ada);
    const [beside] = await Promise.all([tryIn(bob), createProvider(team, { required: true })]);
    if (sessionIn(beside) !== null) expect(await stateOf(team, sessionIn(beside))).toBe("session_ended");
    const answer = { sign_in_token: begun.body.sign_in_token, code: codeNow(team, secret) };
    expectProblem(await team.call("auth/sign_in/code", answer), "sso_required");
  });
});
