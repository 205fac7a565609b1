import { newId } from "../kernel/ids.ts";
import type { Log } from "../kernel/log.ts";
import type { Db } from "../store/db.ts";
import type { MailKind } from "./letters.ts";
import { claimMails, deleteMails, hasDueMail, insertMail, type Mail, postponeMail } from "./mails.store.ts";
import type { AnyScope } from "./scope.ts";

export type { Mail } from "./mails.store.ts";

/** Takes a mail that tells of a change, while that change is being made. */
export interface Post {
  take(scope: AnyScope, recipient: string, kind: MailKind, details: Record<string, unknown>): Promise<void>;
}

/** A mail server may be away for hours: the mail is kept with the change itself, and sent from there. */
export const createQueuedPost = (queue: Pick<MailQueue, "wake">): Post => ({
  async take(scope, recipient, kind, details) {
    const mail: Mail = { id: newId("mail", scope.region), recipient, kind, details, attempts: 0 };
    await insertMail(scope.db, mail, scope.now().toISOString());
    scope.afterCommit(queue.wake);
  },
});

/** What goes to our own log needs no queue: it is written as soon as the change stands. */
export const createLoggedPost = (send: SendMail): Post => ({
  async take(scope, recipient, kind, details) {
    const mail: Mail = { id: newId("mail", scope.region), recipient, kind, details, attempts: 1 };
    scope.afterCommit(() => void send(mail));
  },
});

/** Hands one mail to the outside world, and throws where that did not work. */
export type SendMail = (mail: Mail) => Promise<void>;

export interface MailQueue {
  /** Something was queued: look soon. */
  wake(): void;
  /** Sends what is due now, and answers how many went out. */
  sendDue(): Promise<number>;
  stop(): Promise<void>;
}

const batchMails = 50;
const attemptsMax = 8;
const lookEverySeconds = 15;
const gatherMilliseconds = 50;
// A sender that dies keeps its mails hidden this long; then another takes them up.
const claimSeconds = 120;

/** Sends queued mails one after the other, tries again later what failed, and gives up loudly after two. */
export function createMailQueue(ports: { db: Db; send: SendMail; log: Log; now: () => Date }): MailQueue {
  const { db, send, log, now } = ports;
  let running: Promise<unknown> = Promise.resolve();
  let scheduled = false;
  let stopped = false;

  async function sendDue(): Promise<number> {
    let sent = 0;
    while (!stopped && (await hasDueMail(db, now().toISOString()))) {
      const until = later(now(), claimSeconds);
      const mails = await db.transaction((tx) => claimMails(tx, now().toISOString(), until, batchMails));
      const outcomes = await Promise.all(mails.map(attempt));
      await db.transaction(async (tx) => {
        const done: string[] = [];
        for (const [index, mail] of mails.entries()) {
          const error = outcomes[index] ?? null;
          if (error === null || hasHadItsTries(mail, error)) done.push(mail.id);
          else await postpone(tx, mail, error);
        }
        await deleteMails(tx, done);
      });
      sent += outcomes.filter((outcome) => outcome === null).length;
    }
    return sent;
  }

  async function attempt(mail: Mail): Promise<unknown> {
    try {
      await send(mail);
      return null;
    } catch (error) {
      return error;
    }
  }

  function hasHadItsTries(mail: Mail, error: unknown): boolean {
    if (mail.attempts < attemptsMax) return false;
    log.error({ mail_id: mail.id, attempts: mail.attempts, err: error }, "mail given up");
    return true;
  }

  async function postpone(tx: Db, mail: Mail, error: unknown): Promise<void> {
    log.warn({ mail_id: mail.id, attempts: mail.attempts, err: error }, "mail not sent, will be tried again");
    // 1, 4, 16 minutes … most of two days in all.
    await postponeMail(tx, mail.id, later(now(), 60 * 4 ** Math.min(mail.attempts - 1, 5)));
  }

  // Mails that are queued together go out together: the queue is read once for all of them.
  function wake(): void {
    if (scheduled || stopped) return;
    scheduled = true;
    setTimeout(() => {
      scheduled = false;
      running = running.then(sendDue).catch((error) => log.error({ err: error }, "mail queue could not be read"));
    }, gatherMilliseconds).unref();
  }

  const timer = setInterval(wake, lookEverySeconds * 1000);
  timer.unref();
  return {
    wake,
    sendDue,
    async stop() {
      stopped = true;
      clearInterval(timer);
      await running;
    },
  };
}

const later = (from: Date, seconds: number): string => new Date(from.getTime() + seconds * 1000).toISOString();
