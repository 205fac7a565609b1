import { expect, test } from "vitest";
import { checksumOf, newApiKey } from "../../src/access/callers/api-key-format.ts";
import { defaultPolicies as rateLimits } from "../../src/calls/rate-limits/default-quotas.ts";
import type { TestApp } from "../support/app.ts";
import { expectProblem } from "../support/calls/expect-problem.ts";
import { newAgent, platformEvent, sendEvent } from "../support/runs/agents.ts";
import { startScim } from "../support/scim/scim.ts";
import {
  addCodes,
  addPasskey,
  codeNow,
  givePassword,
  goodPassword,
  knownIn,
  lastMail,
  mailsIn,
  sessionIn,
  signInWithPasskey,
  withSession,
} from "../support/sign-in/sign-in.ts";
import { describeOnBothStores } from "../support/stores.ts";
import { asRole, startTeam } from "../support/team.ts";
import { another, attack, elsewhere, home, ownerAtHome, tryIn, wearOut } from "./support/sign-in-attempts.ts";

/**
 * "Sign-in attempts are limited by region, account and address of the caller together, with growing delays instead of a lock that strangers
 * can set; a person with a session, a passkey or a mailed link gets in meanwhile."
 */

describeOnBothStores("a stranger who fails a thousand times at an account, from several addresses", (kind) => {
  test("does not lock out a person who can prove that the account is theirs", async () => {
    const team = await startTeam(kind, { rateLimits });
    const { cookie, session } = await ownerAtHome(team);
    const { authenticator } = await addPasskey(team, { ...withSession(session), from: home });
    await attack(team, team.owner.email, 1000, 8);

    // The session goes on, and their own browser signs in from anywhere.
    expect((await team.call("auth/info", {}, withSession(session))).status).toBe(200);
    expect((await tryIn(team, team.owner.email, goodPassword, { cookie })).body.state).toBe("signed_in");
    // Without its cookie too, from the address that they signed in from before.
    expect((await tryIn(team, team.owner.email, goodPassword, { from: home })).body.state).toBe("signed_in");
    // And even from an address that is new to the account.
    expect((await tryIn(team, team.owner.email, goodPassword, { from: "192.0.2.200" })).body.state).toBe("signed_in");
    expect((await signInWithPasskey(team, authenticator)).body.state).toBe("signed_in");
  });

  test("cannot stop a mailed link from working, even from the stranger's own address", async () => {
    const team = await startTeam(kind, { rateLimits });
    await givePassword(team, team.owner);
    const here = { from: "203.0.0.1" };
    await wearOut(team, team.owner.email, here.from);
    // A new browser at an address that had it wrong: a password has to wait.
    expectProblem(await tryIn(team, team.owner.email, goodPassword, here), "rate_limited");
    expect((await team.call("auth/password/forgot", { email: team.owner.email }, here)).status).toBe(200);
    const { token } = (await lastMail(team, "password_reset")).details;
    const reset = await team.call("auth/password/reset", { token, new_password: another }, here);
    expect([reset.status, sessionIn(reset)]).toEqual([200, null]);
    const entered = await tryIn(team, team.owner.email, another, { ...here, cookie: knownIn(reset) });
    expect(entered.body.state).toBe("signed_in");
  });

  test("must wait for a stated number of seconds, after which the right password works from there too", async () => {
    const team = await startTeam(kind, { rateLimits });
    await givePassword(team, team.owner);
    await wearOut(team, team.owner.email, "203.0.0.0");
    const refused = await tryIn(team, team.owner.email, goodPassword, { from: "203.0.0.0" });
    expectProblem(refused, "rate_limited");
    expect(refused.body["violated-policies"]).toEqual(["sign_in_failure"]);
    expect(Number(refused.headers["retry-after"])).toBeLessThanOrEqual(90);
    team.advance(Number(refused.headers["retry-after"]));
    expect((await tryIn(team, team.owner.email, goodPassword, { from: "203.0.0.0" })).status).toBe(200);
  });

  test("learns nothing about who has an account: an unknown address is limited in the same way", async () => {
    const team = await startTeam(kind, { rateLimits, clock: "still" });
    await givePassword(team, team.owner);
    const seen: unknown[] = [];
    for (const email of [team.owner.email, "nobody@example.com"]) {
      const answers = await Promise.all(
        Array.from({ length: 40 }, (_, index) => tryIn(team, email, "a guess", { from: `203.0.113.${index % 3}` })),
      );
      seen.push(answers.map(({ status, body }) => [status, body.code, body["violated-policies"]]));
      await wearOut(team, email, "203.0.113.9");
      const { body, headers } = await tryIn(team, email, goodPassword, { from: "203.0.113.9" });
      seen.push([body.code, body.title, headers["ratelimit-policy"]]);
    }
    expect(seen[0]).toEqual(seen[2]);
    expect(seen[1]).toEqual(seen[3]);
  });

  test("gets at most ten times the guesses of one address in an hour, from however many addresses", async () => {
    // One address: two at once and eight in an hour.
    const few = { ...rateLimits, sign_in_failure: { quota: 2, windowSeconds: 900 } };
    const team = await startTeam(kind, { rateLimits: few });
    await givePassword(team, team.owner);
    let looked = 0;
    for (let minute = 0; minute < 60; minute += 5, team.advance(300)) {
      looked += await attack(team, team.owner.email, 60, 60);
    }
    expect(looked).toBeGreaterThan(40);
    expect(looked).toBeLessThanOrEqual(100);
  });
});

describeOnBothStores("a stranger who sends many passwords at once", (kind) => {
  /** More than one address may have waiting, each for an account of its own, so that no other limit refuses them. */
  function flood(app: TestApp) {
    const codes: string[] = [];
    const all = Array.from({ length: 100 }, async (_, index) => {
      codes.push((await tryIn(app, `nobody-${index}@example.com`, "a guess", { from: elsewhere })).body.code);
    });
    return { codes, all: Promise.all(all), compared: () => codes.filter((code) => code === "sign_in_failed").length };
  }

  test("does not make others wait for all of them, and is refused when it sends too many", async () => {
    const team = await startTeam(kind, { rateLimits });
    await givePassword(team, team.owner);
    const { codes, all, compared } = flood(team);
    expect((await tryIn(team, team.owner.email, goodPassword, { from: home })).body.state).toBe("signed_in");
    const before = compared();
    await all;
    expect(new Set(codes)).toEqual(new Set(["sign_in_failed", "rate_limited"]));
    expect(compared() - before).toBeGreaterThan(20);
  });

  test("does not lock out a known browser at the same address", async () => {
    const team = await startTeam(kind, { rateLimits });
    const { cookie } = await ownerAtHome(team);
    const { all, compared } = flood(team);
    const entered = await tryIn(team, team.owner.email, goodPassword, { from: elsewhere, cookie });
    expect(entered.body.state).toBe("signed_in");
    const before = compared();
    await all;
    expect(compared() - before).toBeGreaterThan(20);
  });
});

describeOnBothStores("guesses by strangers", (kind) => {
  test("a cookie of another person's browser, of another region, or made up gives no extra attempts", async () => {
    const team = await startTeam(kind, { rateLimits });
    await givePassword(team, team.owner);
    const other = await team.person("mallory@example.org");
    await givePassword(team, other);
    const theirs = knownIn(await tryIn(team, other.email, goodPassword));
    await wearOut(team, team.owner.email, "203.0.0.0");
    const eu = await startTeam(kind, { rateLimits, region: "eu" });
    await givePassword(eu, eu.owner);
    const abroad = String(knownIn(await tryIn(eu, eu.owner.email, goodPassword))).replace("_eu=", "_us=");
    const changed = `${theirs.slice(0, -3)}AAA`;
    for (const cookie of [
      theirs,
      changed,
      abroad,
      "__Host-sb_known_us=v1.abc.def",
      `__Host-sb_known_us=${"A".repeat(60)}`,
    ]) {
      expectProblem(await tryIn(team, team.owner.email, "a guess", { from: "203.0.0.0", cookie }), "rate_limited");
    }
  });

  test("a change of the password makes a browser that knew the earlier one a stranger's", async () => {
    const team = await startTeam(kind, { rateLimits });
    const { cookie, session } = await ownerAtHome(team);
    team.advance(1);
    const change = { current_password: goodPassword, new_password: another };
    const changed = await team.call("auth/password/change", change, withSession(session));
    expect(changed.status).toBe(200);
    await wearOut(team, team.owner.email, "203.0.0.0");
    expectProblem(await tryIn(team, team.owner.email, another, { from: "203.0.0.0", cookie }), "rate_limited");
    const here = await tryIn(team, team.owner.email, another, { from: "203.0.0.0", cookie: knownIn(changed) });
    expect(here.status).toBe(200);
  });

  test("requesting links does not invalidate earlier ones, and floods no mailbox", async () => {
    const team = await startTeam(kind, { rateLimits });
    await givePassword(team, team.owner);
    await team.call("auth/password/forgot", { email: team.owner.email }, { from: home });
    const { token } = (await lastMail(team, "password_reset")).details;
    const asked = Array.from({ length: 100 }, (_, index) =>
      team.call("auth/password/forgot", { email: team.owner.email }, { from: `203.0.113.${index}` }),
    );
    for (const { status, text } of await Promise.all(asked)) expect([status, text]).toEqual([200, '{"sent":true}']);
    expect(await mailsIn(team, "password_reset")).toHaveLength(5);
    expect((await team.call("auth/password/reset", { token, new_password: another })).status).toBe(200);
    // One that was used makes the others worthless.
    const { token: last } = (await lastMail(team, "password_reset")).details;
    expectProblem(await team.call("auth/password/reset", { token: last, new_password: another }), "challenge_gone");
  });

  test("one-time codes stay hard to guess, and a person with the password cannot use up the owner's attempts", async () => {
    const team = await startTeam(kind, { rateLimits });
    const { session } = await ownerAtHome(team);
    const { secret } = await addCodes(team, withSession(session));
    const entered = await tryIn(team, team.owner.email, goodPassword, { from: home, code: codeNow(team, secret) });
    const cookie = knownIn(entered);
    expect(entered.body.state).toBe("signed_in");
    const wrong = codeNow(team, secret) === "000000" ? "111111" : "000000";
    const guesses: string[] = [];
    for (let index = 0; index < 30; index++) {
      const from = `203.0.113.${index}`;
      guesses.push((await tryIn(team, team.owner.email, goodPassword, { from, code: wrong })).body.code);
    }
    expect(guesses.filter((code) => code === "code_refused")).toHaveLength(10);
    team.advance(60);
    const code = codeNow(team, secret);
    expectProblem(await tryIn(team, team.owner.email, goodPassword, { from: "203.0.113.1", code }), "rate_limited");
    expect((await tryIn(team, team.owner.email, goodPassword, { cookie, code })).body.state).toBe("signed_in");
  });

  test("a link from a mail is no second factor: it gives no further attempts at the codes", async () => {
    const team = await startTeam(kind, { rateLimits });
    const { session } = await ownerAtHome(team);
    const { secret } = await addCodes(team, withSession(session));
    const wrong = codeNow(team, secret) === "000000" ? "111111" : "000000";
    let refused = 0;
    for (let link = 0; link < 3; link++) {
      await team.call("auth/password/forgot", { email: team.owner.email });
      const { token } = (await lastMail(team, "password_reset")).details;
      const new_password = `${another} ${link}`;
      const cookie = knownIn(await team.call("auth/password/reset", { token, new_password }));
      for (let index = 0; index < 8; index++) {
        const { body } = await tryIn(team, team.owner.email, new_password, { cookie, code: wrong });
        if (body.code === "code_refused") refused++;
      }
    }
    expect(refused).toBe(10);
  });

  test("a known browser keeps working while others flood from the address that it shares with them", async () => {
    const team = await startTeam(kind, { rateLimits });
    const { cookie } = await ownerAtHome(team);
    for (let index = 0; index < 310; index++) {
      await team.call("auth/sign_in/methods", { email: "a@example.com" }, { from: home });
    }
    expectProblem(await tryIn(team, team.owner.email, goodPassword, { from: home }), "rate_limited");
    expect((await tryIn(team, team.owner.email, goodPassword, { from: home, cookie })).status).toBe(200);
  });

  test("wrong keys that share the beginning of a key are refused, and the right key never is", async () => {
    const few = { ...rateLimits, auth_failure: { quota: 3, windowSeconds: 60 } };
    const team = await startTeam(kind, { rateLimits: few });
    const { apiKey } = team.owner;
    const statuses: number[] = [];
    for (let index = 0; index < 10; index++) {
      const body = apiKey.slice(0, 15) + newApiKey("us").slice(15, -6);
      const authorization = `Bearer :${body}${checksumOf(body)}`;
      statuses.push((await team.call("auth/info", {}, { authorization, from: `203.0.113.${index}` })).status);
    }
    expect(statuses).toEqual([401, 401, 401, ...Array(7).fill(429)]);
    expect((await team.call("auth/info", {}, { as: team.owner, from: "203.0.113.1" })).status).toBe(200);
  });

  test("wrong directory tokens, even from the provider's own address, do not block the right one", async () => {
    const few = { ...rateLimits, auth_failure: { quota: 3, windowSeconds: 60 } };
    const team = await startScim(kind, { rateLimits: few });
    const body = team.token.slice(0, 15) + newApiKey("us").slice(15, -6);
    const authorization = `Bearer ${body}${checksumOf(body)}`;
    const statuses: number[] = [];
    for (let index = 0; index < 6; index++)
      statuses.push((await team.scim("GET", "/Users", undefined, { authorization })).status);
    expect(statuses).toEqual([401, 401, 401, 429, 429, 429]);
    expect((await team.scim("GET", "/Users")).status).toBe(200);
  });

  test("guesses at an agent's address, even from the sender's own, do not block correctly signed events", async () => {
    const few = { ...rateLimits, auth_failure: { quota: 3, windowSeconds: 60 } };
    const team = await startTeam(kind, { rateLimits: few });
    const agent = await newAgent(team);
    for (let index = 0; index < 6; index++) {
      const wrong = { ...agent, url: agent.url.replace(/[^/]+$/, `${"A".repeat(42)}${index}`) };
      expect([404, 429]).toContain((await sendEvent(team, wrong, platformEvent("deployment.error"))).status);
    }
    expect((await sendEvent(team, agent, platformEvent("deployment.error"))).status).toBe(202);
  });

  test("made-up invite codes and wrong digits do not block a person with the real ones", async () => {
    const few = { ...rateLimits, auth_failure: { quota: 3, windowSeconds: 60 } };
    const team = await startTeam(kind, { rateLimits: few });
    const invite = { email: "ada@example.org", permissions: asRole("viewer") };
    const { invite_code } = (await team.call("auth/invite/create", invite, team.inProject(team.owner))).body;
    for (let index = 0; index < 20; index++) {
      const madeUp = `${invite_code.slice(0, -2)}${String(index).padStart(2, "0")}`;
      if (madeUp === invite_code) continue;
      await team.call("auth/sign_up/begin", { invite_code: madeUp, name: "Mallory" });
      await team.call("auth/sign_up/finish", {
        sign_up_token: "A".repeat(41) + String(index).padStart(2, "0"),
        code: "1",
      });
    }
    const begun = await team.call("auth/sign_up/begin", { invite_code, name: "Ada", password: another });
    expect(begun.status).toBe(200);
    const { code } = (await lastMail(team, "sign_up_code")).details;
    const { sign_up_token } = begun.body;
    expect((await team.call("auth/sign_up/finish", { sign_up_token, code })).status).toBe(200);
  });
});
