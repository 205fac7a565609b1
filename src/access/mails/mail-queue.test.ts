import { expect, test } from "vitest";
import { testSeal } from "../../../test/support/app.ts";
import { givePassword, lastMail } from "../../../test/support/sign-in/sign-in.ts";
import { describeOnBothStores } from "../../../test/support/stores.ts";
import { asRole, startTeam, type Team } from "../../../test/support/team.ts";
import { createLog } from "../../kernel/log.ts";
import { masterKeyFrom } from "../../vault/sealing/key-ring.ts";
import { createSeal } from "../../vault/sealing/seal.ts";
import { createMailQueue, type Mail, resealMails, type SendMail } from "./mail-queue.ts";

const minute = 60;

function openQueue(
  { store, now }: Team,
  send: SendMail,
  envelope = testSeal,
  more: { deadlineMilliseconds?: number; isHeld?: () => boolean } = {},
) {
  const logged: { level: number; msg: string; mail_id: string; attempts: number }[] = [];
  const log = createLog("info", { write: (line) => void logged.push(JSON.parse(line)) });
  return { ...createMailQueue({ db: store, envelope, send, log, now, ...more }), logged };
}

/** A mail server that accepts and records every mail. */
function willing() {
  const sent: Mail[] = [];
  const send: SendMail = async (mail) => void sent.push(mail);
  return { sent, send };
}

const invite = (team: Team, email: string) =>
  team.call("auth/invite/create", { email, permissions: asRole("viewer") }, team.inProject(team.owner));
const waiting = async ({ store }: Team) => (await store.query("select id from mails")).length;
const rewrite = ({ store }: Team, column: string, value: string) =>
  store.transaction((db) => db.query(`update mails set ${column} = $1`, [value]));

describeOnBothStores("the mail of an invite", (kind) => {
  // "The writer that becomes able to write runs the mark first."
  test("waits while a restore is not recorded, and is sent after that", async () => {
    const team = await startTeam(kind);
    await invite(team, "new@example.com");
    const { sent, send } = willing();
    let [isHeld, looks] = [true, 0];
    const queue = openQueue(team, send, testSeal, { isHeld: () => looks++ >= 0 && isHeld });
    queue.wake();
    await expect.poll(() => looks).toBe(1);
    expect(sent).toEqual([]);
    isHeld = false;
    queue.wake();
    await expect.poll(() => sent.length).toBe(1);
    await queue.stop();
  });

  test("is sent once, to the address as typed, with the code and how to use it", async () => {
    const team = await startTeam(kind);
    const { invite_code } = (await invite(team, "New@Example.com")).body;
    const [{ expires_at }] = (await team.call("auth/invite/list", {}, team.inProject(team.owner))).body.results;
    const { sent, send } = willing();
    const queue = openQueue(team, send);
    expect(await queue.sendDue()).toBe(1);
    expect(sent).toEqual([
      {
        id: expect.stringMatching(/^mail_us_/),
        recipient: "New@Example.com",
        kind: "invite",
        attempts: 1,
        details: {
          invite_code,
          project_id: team.projectId,
          project: "A project",
          organization: team.owner.email,
          role: "viewer",
          invited_by: "owner@example.com",
          invited_by_name: expect.any(String),
          expires_at,
          accepted: false,
        },
      },
    ]);
    expect([await queue.sendDue(), await waiting(team)]).toEqual([0, 0]);
    await queue.stop();
  });

  test("is queued for a member of the organization as well, and never for an invite that was refused", async () => {
    const team = await startTeam(kind);
    const member = await team.colleague("member");
    await invite(team, member.email);
    expect((await invite(team, member.email)).status).toBe(409);
    expect((await invite(team, "nonsense")).status).toBe(422);
    const { sent, send } = willing();
    const queue = openQueue(team, send);
    await queue.sendDue();
    expect(sent).toMatchObject([{ recipient: member.email, details: { accepted: true } }]);
    await queue.stop();
  });

  test("that fails is retried with backoff, delays no other, and is finally dropped with an error in the log", async () => {
    const team = await startTeam(kind);
    await invite(team, "broken@example.com");
    await invite(team, "fine@example.com");
    const tried: string[] = [];
    const queue = openQueue(team, async (mail) => {
      tried.push(mail.recipient);
      if (mail.recipient === "broken@example.com") throw new Error("mailbox full");
    });
    expect(await queue.sendDue()).toBe(1);
    expect(tried.sort()).toEqual(["broken@example.com", "fine@example.com"]);
    for (const pause of [1, 4, 16, 64, 256, 1024, 1024]) {
      const before = tried.length;
      team.advance((pause - 0.5) * minute);
      expect([await queue.sendDue(), tried.length]).toEqual([0, before]);
      team.advance(0.6 * minute);
      expect([await queue.sendDue(), tried.length]).toEqual([0, before + 1]);
    }
    expect(await waiting(team)).toBe(0);
    expect(queue.logged.map((line) => [line.level, line.attempts])).toEqual([
      ...[1, 2, 3, 4, 5, 6, 7].map((attempts) => [40, attempts]),
      [50, 8],
    ]);
    expect(queue.logged.at(-1)?.msg).toBe("mail given up");
    await queue.stop();
  });

  test("is sent by exactly one of several senders", async () => {
    const team = await startTeam(kind);
    for (let i = 0; i < 30; i++) await invite(team, `person${i}@example.com`);
    const { sent, send } = willing();
    const queues = [openQueue(team, send), openQueue(team, send), openQueue(team, send)];
    const counts = await Promise.all(queues.map((queue) => queue.sendDue()));
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(30);
    expect(new Set(sent.map((mail) => mail.recipient)).size).toBe(30);
    expect(sent).toHaveLength(30);
    for (const queue of queues) await queue.stop();
  });

  test("of a sender that died is claimed by another after two minutes", async () => {
    const team = await startTeam(kind);
    await invite(team, "new@example.com");
    const taken = Promise.withResolvers<void>();
    const dying = openQueue(team, () => {
      taken.resolve();
      return new Promise(() => {});
    });
    void dying.sendDue();
    await taken.promise;
    const { sent, send } = willing();
    const other = openQueue(team, send);
    expect(await other.sendDue()).toBe(0);
    team.advance(2 * minute);
    expect(await other.sendDue()).toBe(1);
    expect(sent).toMatchObject([{ recipient: "new@example.com", attempts: 2 }]);
    await other.stop();
    await dying.stop();
  });

  test("is sent when the queue wakes, and stays queued for the next start after a stop", async () => {
    const team = await startTeam(kind);
    const first = Promise.withResolvers<Mail>();
    const queue = openQueue(team, async (mail) => first.resolve(mail));
    await invite(team, "a@example.com");
    queue.wake();
    expect((await first.promise).recipient).toBe("a@example.com");
    await queue.stop();
    expect(await waiting(team)).toBe(0);

    await invite(team, "b@example.com");
    queue.wake();
    expect([await queue.sendDue(), await waiting(team)]).toEqual([0, 1]);
  });
});

describeOnBothStores("mails of several organizations", (kind) => {
  test("do not wait for each other, nor a link to sign in for what is under way", async () => {
    const team = await startTeam(kind);
    const { owner: neighbour, projectId } = await team.neighbour();
    await givePassword(team, neighbour);
    await team.store.transaction((db) => db.query("delete from mails"));
    for (let i = 0; i < 60; i++) await invite(team, `person${i}@slow.example`);
    const slow = Promise.withResolvers<void>();
    const sent: string[] = [];
    const arrivals = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const queue = openQueue(team, async ({ recipient, kind }) => {
      if (recipient.endsWith("@slow.example")) return slow.promise;
      sent.push(`${kind} to ${recipient}`);
      arrivals[sent.length - 1]?.resolve();
    });
    const email = "ada@example.org";
    const next = { email, permissions: asRole("viewer") };
    await team.call("auth/invite/create", next, { as: neighbour, project: projectId });
    const all = queue.sendDue();
    await arrivals[0]?.promise;
    await team.call("auth/password/forgot", { email: neighbour.email });
    queue.wake();
    await arrivals[1]?.promise;
    expect(sent).toEqual([`invite to ${email}`, `password_reset to ${neighbour.email}`]);
    slow.resolve();
    await all;
    await queue.stop();
    expect(await waiting(team)).toBe(0);
  });

  test("take turns however many of one are due", async () => {
    const team = await startTeam(kind);
    const { owner: neighbour, projectId } = await team.neighbour();
    await invite(team, "first@example.com");
    await team.store.transaction((db) =>
      db.query(
        `insert into mails (id, recipient, kind, details, attempts, send_at, created_at, organization_id)
         with recursive n(i) as (select 1 union all select i + 1 from n where i < 300)
         select id || i, recipient, kind, '{}', 0, '2000', created_at, organization_id from mails, n`,
      ),
    );
    const wanted = { email: "ada@example.org", permissions: asRole("viewer") };
    await team.call("auth/invite/create", wanted, { as: neighbour, project: projectId });
    const tried: string[] = [];
    const queue = openQueue(team, async ({ recipient }) => void tried.push(recipient));
    await queue.sendDue();
    expect(tried.indexOf("ada@example.org")).toBeLessThanOrEqual(10);
    expect(tried).toHaveLength(302);
    await queue.stop();
  });
});

describeOnBothStores("a mail that the server does not take", (kind) => {
  test("has failed after a while, and is tried again", async () => {
    const team = await startTeam(kind);
    await invite(team, "new@example.com");
    const queue = openQueue(team, () => new Promise(() => {}), testSeal, { deadlineMilliseconds: 1 });
    expect(await queue.sendDue()).toBe(0);
    expect(queue.logged.map(({ msg }) => msg)).toEqual(["mail not sent, will be tried again"]);
    expect(await waiting(team)).toBe(1);
    await queue.stop();
  });
});

describeOnBothStores("a queued mail", (kind) => {
  test("reveals no credentials in the store, and is sent complete", async () => {
    const team = await startTeam(kind);
    await givePassword(team, team.owner);
    await team.call("auth/password/forgot", { email: team.owner.email });
    const { token } = (await lastMail(team, "password_reset")).details;
    expect(JSON.stringify(await team.store.query("select * from mails"))).not.toContain(token);
    const { sent, send } = willing();
    const queue = openQueue(team, send);
    await queue.sendDue();
    expect(sent).toMatchObject([{ recipient: team.owner.email, details: { token } }]);
    await queue.stop();
  });

  test("is sent only to the address it was queued for", async () => {
    const team = await startTeam(kind);
    await invite(team, "new@example.com");
    await rewrite(team, "recipient", "mallory@example.com");
    const { sent, send } = willing();
    const queue = openQueue(team, send);
    expect([await queue.sendDue(), sent]).toEqual([0, []]);
    expect(queue.logged.map(({ msg }) => msg)).toEqual(["mail not sent, will be tried again"]);
    await queue.stop();
  });

  test("is sealed again when the master key is replaced, and no longer needs the old key", async () => {
    const team = await startTeam(kind);
    for (let i = 0; i < 51; i++) await invite(team, `person${i}@example.com`);
    const next = masterKeyFrom(Buffer.alloc(32, 8).toString("base64"));
    const both = createSeal(next, () => masterKeyFrom(Buffer.alloc(32, 7).toString("base64")));
    expect(await resealMails(team.store, both)).toBe(51);
    const { sent, send } = willing();
    const queue = openQueue(team, send, createSeal(next));
    expect([await queue.sendDue(), sent.length]).toEqual([51, 51]);
    await queue.stop();
  });

  test("is sent although an earlier version queued it unsealed", async () => {
    const team = await startTeam(kind);
    await invite(team, "new@example.com");
    await rewrite(team, "details", '{"invite_code":"inv_us_1"}');
    const { sent, send } = willing();
    const queue = openQueue(team, send);
    await queue.sendDue();
    expect(sent).toMatchObject([{ details: { invite_code: "inv_us_1" } }]);
    await queue.stop();
  });
});
