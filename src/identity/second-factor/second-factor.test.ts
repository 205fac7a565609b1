import { expect, test } from "vitest";
import { expectProblem } from "../../../test/support/calls/expect-problem.ts";
import {
  addCodes,
  addPasskey,
  givePassword,
  goodPassword,
  sessionIn,
  signIn,
  signInWithPasskey,
  withSession,
} from "../../../test/support/sign-in/sign-in.ts";
import { describeOnBothStores } from "../../../test/support/stores.ts";
import { startTeam, type Team } from "../../../test/support/team.ts";
import { operations } from "../../api/index.ts";

const demand = async (team: Team, second_factor = "required") => {
  const answer = await team.call("organizations/update", { second_factor }, { as: team.owner });
  expect([answer.status, answer.body.second_factor]).toEqual([200, second_factor]);
};

async function teamThatDemands(kind: Parameters<typeof startTeam>[0]) {
  const team = await startTeam(kind);
  const person = await team.colleague("ada", "viewer");
  await givePassword(team, person);
  await demand(team);
  const tryIn = () => team.call("auth/sign_in/password", { email: person.email, password: goodPassword });
  return { team, person, tryIn };
}

describeOnBothStores("an organization that requires a second factor", (kind) => {
  test("restricts people without one to setting one up", async () => {
    const { team, tryIn } = await teamThatDemands(kind);
    const answer = await tryIn();
    expect(answer.body.state).toBe("set_up_second_factor");
    const as = withSession(sessionIn(answer));
    const open = operations.filter(({ needs, whileEnrolling }) => needs !== "nobody" && whileEnrolling);
    expect(open.map(({ path }) => path.slice("/latest/".length)).sort()).toEqual([
      "auth/codes/begin",
      "auth/codes/confirm",
      "auth/confirm/passkey",
      "auth/confirm/password",
      "auth/info",
      "auth/passkeys/begin",
      "auth/passkeys/finish",
      "auth/security/get",
      "auth/sign_out",
    ]);
    for (const operation of operations) {
      if (operation.needs === "nobody" || operation.whileEnrolling) continue;
      const path = operation.path.slice("/latest/".length).replace(/\{\w+\}/g, "x");
      const refused = await team.call(path, {}, { headers: { ...as.headers, "x-signalbox-project": team.projectId } });
      expect([path, refused.status, refused.body.code]).toEqual([path, 403, "second_factor_required"]);
    }
  });

  test("a passkey counts; then the session has full rights and a new token", async () => {
    const { team, tryIn } = await teamThatDemands(kind);
    const before = sessionIn(await tryIn());
    const { authenticator, finished } = await addPasskey(team, withSession(before));
    const after = sessionIn(finished);
    expect(after).not.toBe(before);
    expect((await team.call("auth/sessions/list", {}, withSession(after))).status).toBe(200);
    expectProblem(await team.call("auth/info", {}, withSession(before)), "session_ended");
    // A password is one factor; a passkey counts as two.
    const again = await tryIn();
    expect([again.body.state, sessionIn(again)]).toEqual(["passkey_required", null]);
    expect((await signInWithPasskey(team, authenticator)).body.state).toBe("signed_in");
  });

  test("one-time codes count too", async () => {
    const { team, tryIn } = await teamThatDemands(kind);
    const before = sessionIn(await tryIn());
    const { confirmed } = await addCodes(team, withSession(before));
    expect((await team.call("auth/keys/list", {}, withSession(sessionIn(confirmed)))).status).toBe(200);
    expect((await tryIn()).body.state).toBe("code_required");
  });

  test("applies it at once, also to existing sessions", async () => {
    const team = await startTeam(kind);
    const bare = await team.colleague("bare");
    const careful = await team.colleague("careful");
    for (const person of [bare, careful]) await givePassword(team, person);
    await addPasskey(team, { as: careful });
    const tokens = { bare: await signIn(team, bare), careful: await signIn(team, careful) };
    const { owner: neighbour } = await team.neighbour();
    await givePassword(team, neighbour);
    const next = await signIn(team, neighbour);
    await demand(team);
    const list = (token: string) => team.call("auth/sessions/list", {}, withSession(token));
    expectProblem(await list(tokens.bare), "second_factor_required");
    // A password session of a person with a second factor ends; the next sign-in requires both.
    expectProblem(await list(tokens.careful), "session_ended");
    expect((await list(next)).status).toBe(200);
    await demand(team, "optional");
    expect((await list(tokens.bare)).status).toBe(200);
  });

  test("refuses to remove a person's last one, and no other", async () => {
    const { team, person } = await teamThatDemands(kind);
    const { passkeyId } = await addPasskey(team, { as: person });
    await addCodes(team, { as: person });
    expect((await team.call("auth/codes/remove", {}, { as: person })).status).toBe(200);
    const remove = () => team.call("auth/passkeys/remove", { passkey_id: passkeyId }, { as: person });
    expectProblem(await remove(), "last_second_factor");
    await demand(team, "optional");
    expect((await remove()).body).toEqual({ passkey_id: passkeyId, removed: true });
    expectProblem(await remove(), "passkey_not_found");
    expectProblem(await team.call("auth/codes/remove", {}, { as: person }), "codes_not_found");
  });

  test("only its owner can require it", async () => {
    const team = await startTeam(kind);
    const admin = await team.colleague("admin", "admin");
    const answer = await team.call("organizations/update", { second_factor: "required" }, { as: admin });
    expectProblem(answer, "owner_required");
  });
});
