import { hash } from "node:crypto";
import { expect, test } from "vitest";
import { operatorScope } from "../../src/access/operator.ts";
import { verifyAsOperator } from "../../src/identity/sso/domains.ts";
import type { Store } from "../../src/store/db.ts";
import type { CallOptions } from "../support/app.ts";
import { expectProblem } from "../support/calls/expect-problem.ts";
import { type ScimTeam, startScim } from "../support/scim/scim.ts";
import { goodPassword, lastMail, withSession } from "../support/sign-in/sign-in.ts";
import { startSsoWorld } from "../support/sign-in/sso-world.ts";
import { describeOnBothStores, type StoreKind } from "../support/stores.ts";
import { allPages, asRole, everythingIn, startTeam } from "../support/team.ts";

const victim = "ada@victim.example";

describeOnBothStores("a person who reads a copy of the store", (kind) => {
  test("finds no code in any table, whatever was done with an invite; callers see codes as always", async () => {
    const team = await startTeam(kind, { privateOrigins: ["https://hooks.example"] });
    const inProject = team.inProject(team.owner);
    const call = async (operation: string, body: object, as: CallOptions = inProject) => {
      const answer = await team.call(operation, body, as);
      expect([operation, answer.status, answer.text]).toEqual([operation, 200, expect.anything()]);
      return answer.body;
    };
    const { webhook_id } = await call("webhooks/create", { url: "https://hooks.example/", events: ["*"] });
    const invite = { email: victim, permissions: asRole("viewer") };
    const once = { ...inProject, headers: { "idempotency-key": "once" } };
    const { invite_code: open } = await call("auth/invite/create", invite, once);
    const { invite_code: gone } = await call("auth/invite/create", { ...invite, email: "gone@victim.example" });
    expect(await call("auth/invite/create", invite, once)).toEqual({ invite_code: open });
    expect((await team.call("auth/invite/create", invite, inProject)).body).toMatchObject({ invite_code: open });
    const again = { ...inProject, headers: { "idempotency-key": "again" } };
    const resent = await call("auth/invite/resend", { invite_code: open }, again);
    expect(await call("auth/invite/resend", { invite_code: open }, again)).toEqual(resent);
    await call("auth/sign_up/begin", { invite_code: open, name: "Ada", password: goodPassword }, {});
    await call("auth/invite/delete", { invite_code: gone });
    const kept = await everyRowOf(team.store);
    for (const code of [open, gone]) {
      expect(code).toMatch(/^inv_us_\w{57}$/);
      // The store has region, time and 21 more characters. The other 22 are the secret.
      expect(kept).toContain(code.slice(0, 42));
      for (let at = 37; at + 10 <= code.length; at++) expect(kept).not.toContain(code.slice(at, at + 10));
    }

    // Everywhere else the invite has its code.
    const { results, next } = await call("auth/invite/list", { limit: 1 });
    expect([results.map((each: Shown) => each.invite_code), next]).toEqual([[open], null]);
    const rows = (await call("audit/list", { limit: 10 })).results as Shown[];
    expect(rows.slice(0, 5).map(({ action, target }) => [action, target])).toEqual([
      ["invite.deleted", gone],
      ["sign_up.begun", open],
      ["invite.resent", open],
      ["invite.created", gone],
      ["invite.created", open],
    ]);
    expect((await call("audit/list", { text: open })).results).toEqual(rows.filter(({ target }) => target === open));
    expect((await call("audit/export", {})).content).toContain(`"target":"${open}"`);
    const sent = (await call(`webhooks/${webhook_id}/deliveries`, {})).results as { type: string; body: Body }[];
    const deliveries = sent.filter(({ type }) => type.startsWith("invite."));
    expect(deliveries.map(({ body }) => body.data.target)).toEqual([gone, open, gone, open]);
    expect(await call("audit/verify", {})).toMatchObject({ valid: true });

    // What the store has in place of the code is none.
    const [row] = await team.store.query<{ code: string }>("select code from invites");
    for (const operation of ["auth/invite/delete", "auth/invite/resend", "auth/invite/accept"]) {
      expectProblem(await team.call(operation, { invite_code: row?.code }, inProject), "invite_not_found");
    }
    expectProblem(await team.call("auth/sign_up/look", { invite_code: row?.code }), "invite_not_found");
  });

  test("finds no code of an invite that was accepted either, and pages of a list join", async () => {
    const team = await startTeam(kind);
    const there = await team.neighbour();
    const as = { as: there.owner, project: there.projectId };
    const codes: string[] = [];
    for (const email of [team.owner.email, "b@victim.example", "c@victim.example"]) {
      const answer = await team.call("auth/invite/create", { email, permissions: asRole("viewer") }, as);
      codes.push(answer.body.invite_code);
    }
    const accepted = await team.call("auth/invite/accept", { invite_code: codes[0] }, { as: team.owner });
    expect(accepted.status).toBe(200);
    const kept = await everyRowOf(team.store);
    for (const code of codes) expect(kept).not.toContain(code.slice(42));
    const pages = await allPages(team.call, "auth/invite/list", { limit: 1 }, as);
    expect(pages.flat().map((each) => each.invite_code)).toEqual(codes);
    const [joined] = (await team.call("audit/list", { action: "user.joined" }, as)).body.results;
    expect(joined.details).toEqual({ email: team.owner.email, invite_code: codes[0] });
    const mine = { action: "invite.accepted", whole_organization: true };
    const [told] = (await team.call("audit/list", mine, team.inProject(team.owner))).body.results;
    expect(told.target).toBe(codes[0]);
  });
});

interface Shown {
  invite_code: string;
  action: string;
  target: string;
}

interface Body {
  data: { target: string };
}

/** Every row of every table, as one text. */
async function everyRowOf(store: Store): Promise<string> {
  const named =
    store.kind === "sqlite"
      ? "select name from sqlite_master where type = 'table'"
      : "select tablename as name from pg_tables where schemaname = 'public'";
  const texts: string[] = [];
  for (const { name } of await store.query<{ name: string }>(named))
    texts.push(JSON.stringify(await store.query(`select * from ${name}`)));
  return texts.join("\n");
}

/** A code of an invite names it in lists, in the audit log and in events. So it is not enough to come in with. */
describeOnBothStores("a person who got the code of an invite from a mail or an event log", (kind) => {
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
    expectProblem(await team.call("auth/invite/accept", { invite_code }, { as: mallory }), "address_unverified");
    expect(await everythingIn(team.store)).toBe(before);
    const members = await team.call("auth/users/list", {}, { as: there.owner, project: there.projectId });
    expect(members.text).not.toContain(victim);
    // An organization that has shown that the domain is its own may say whose its addresses are.
    const ours = operatorScope(team.store, "us", team.now);
    await verifyAsOperator(ours, team.owner.organizationId, "victim.example");
    expect((await team.call("auth/invite/accept", { invite_code }, { as: mallory })).status).toBe(200);
  });

  test("cannot accept it with an account that their own identity provider created for the invited address", async () => {
    const world = await startSsoWorld(kind, { just_in_time: true });
    const there = await world.neighbour();
    const as = { as: there.owner, project: there.projectId };
    const codes: string[] = [];
    for (const project of [there.projectId, await world.project(there.owner, "Another")]) {
      const invite = { email: victim, permissions: asRole("admin") };
      const made = await world.call("auth/invite/create", invite, { ...as, project });
      codes.push(made.body.invite_code);
    }
    world.idp.person = { sub: "mallory", email: victim, email_verified: false };
    const mallory = withSession((await world.signIn()).browser.session ?? null);
    expect((await world.call("auth/info", {}, mallory)).body.user.email).toBe(victim);
    const expectRefused = async () => {
      const before = await everythingIn(world.store);
      for (const invite_code of codes) {
        expectProblem(await world.call("auth/invite/accept", { invite_code }, mallory), "address_unverified");
      }
      expect(await everythingIn(world.store)).toBe(before);
    };
    await expectRefused();
    // Nor where the domain is the organization's own: its provider says that nobody has checked the address.
    await world.verify("victim.example");
    await expectRefused();
    expect((await world.call("auth/users/list", {}, as)).text).not.toContain(victim);
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
