import { newId } from "../../kernel/ids.ts";
import type { Log } from "../../kernel/log.ts";
import { mark, type Work } from "../../kernel/loop-watch.ts";
import type { RegionMeter } from "../../kernel/meter.ts";
import type { Db, Store } from "../../store/db.ts";
import type { AnyScope } from "../scope.ts";
import {
  claimMails,
  type DueMail,
  deleteMail,
  insertMail,
  listDueMails,
  listMails,
  postponeMail,
  type QueuedMail,
  replaceSealed,
} from "./mail-queue.store.ts";
import type { MailKind } from "./mail-texts.ts";
import { slots, takeTurns } from "./take-turns.ts";

export interface Mail extends Omit<QueuedMail, "sealed" | "organizationId"> {
  details: Record<string, unknown>;
}

/** Encrypts texts in the store. A sealed text opens only with the context it was sealed with. */
export interface Envelope {
  seal(text: string, context: string): string;
  open(sealed: string, context: string): string;
}

/** Accepts mails in the transaction of the change they report. */
export interface Outbox {
  enqueue(scope: AnyScope, recipient: string, kind: MailKind, details: Record<string, unknown>): Promise<void>;
}

/**
 * Stores the mail in the transaction of the change and sends it later: a mail server can be down for hours. The content
 * is sealed, because it can hold a link that grants access to an account.
 */
export const createQueuedOutbox = (queue: Pick<MailQueue, "wake">, envelope: Envelope): Outbox => ({
  async enqueue(scope, recipient, kind, details) {
    const mail = { id: newId("mail", scope.region), recipient, kind, attempts: 0 };
    const sealed = envelope.seal(JSON.stringify(details), sealContext(mail));
    const organizationId = textOf(details.organization_id) ?? organizationOf(scope);
    await insertMail(scope.db, { ...mail, sealed, organizationId }, scope.now().toISOString());
    scope.afterCommit(queue.wake);
  },
});

const organizationOf = ({ actor }: AnyScope): string | null =>
  "organizationId" in actor ? actor.organizationId : null;

/** Binds the content to its mail and recipient, so that neither can be exchanged in the store. */
const sealContext = ({ id, recipient, kind }: Pick<QueuedMail, "id" | "recipient" | "kind">): string =>
  `mails|${id}|${recipient}|${kind}`;

export function openMail({ sealed, organizationId: _, ...mail }: QueuedMail, envelope: Envelope): Mail {
  // Mails that an earlier version queued hold plain JSON.
  const text = sealed.startsWith("{") ? sealed : envelope.open(sealed, sealContext(mail));
  return { ...mail, details: JSON.parse(text) as Record<string, unknown> };
}

/** For the watch of the event loop. Each kind of mail names its organization or its project. */
const workOf = ({ kind, details }: Mail): Work => ({
  operation: "mail",
  organizationId: textOf(details.organization_id),
  projectId: textOf(details.project_id),
  stepId: kind,
});

const textOf = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);

/** Seals waiting mails with a new master key. Returns how many. */
export async function resealMails(db: Db, envelope: Envelope): Promise<number> {
  let [count, after] = [0, ""];
  for (;;) {
    const mails = await db.transaction(async (tx) => {
      const batch = await listMails(tx, after, batchMails);
      for (const mail of batch) {
        const text = JSON.stringify(openMail(mail, envelope).details);
        await replaceSealed(tx, mail.id, envelope.seal(text, sealContext(mail)));
      }
      return batch;
    });
    count += mails.length;
    after = mails.at(-1)?.id ?? "";
    if (mails.length < batchMails) return count;
  }
}

/** For development: writes the mail to the log after the commit, without a queue. */
export const createLoggedOutbox = (send: SendMail, meter?: RegionMeter): Outbox => ({
  async enqueue(scope, recipient, kind, details) {
    const mail: Mail = { id: newId("mail", scope.region), recipient, kind, details, attempts: 1 };
    scope.afterCommit(() => {
      meter?.mail("kept_in_file");
      void send(mail);
    });
  },
});

export { countWaitingMails } from "./mail-queue.store.ts";

/** Sends one mail. Throws if that fails. */
export type SendMail = (mail: Mail) => Promise<void>;

export interface MailQueue {
  /** A mail was queued: send soon. */
  wake(): void;
  /** Sends due mails and returns how many were sent. */
  sendDue(): Promise<number>;
  stop(): Promise<void>;
}

const batchMails = 50;
const attemptsMax = 8;
const pollSeconds = 15;
const wakeDelayMilliseconds = 50;
/** A mail that takes longer has failed. */
const deadlineSeconds = 60;
// Mails of a sender that died stay hidden this long; then another sender claims them. Longer than the deadline.
const pauseSeconds = (attempts: number): number => 60 * 4 ** Math.min(attempts - 1, 5);
export const longestPauseSeconds = pauseSeconds(attemptsMax);
export const claimSeconds = 120;

/**
 * Sends queued mails, several at once. Mails for signing in come first, and organizations take turns. Retries failed mails
 * with backoff, and finally logs an error and drops them.
 */
export function createMailQueue(ports: {
  db: Store;
  envelope: Envelope;
  send: SendMail;
  log: Log;
  now: () => Date;
  meter?: RegionMeter;
  /** While it is, queued mails wait: it is not known yet which of them may have been sent. */
  isHeld?: () => boolean;
  /** For tests. */
  deadlineMilliseconds?: number;
}): MailQueue {
  const { db, envelope, send, log, now, meter, isHeld, deadlineMilliseconds = deadlineSeconds * 1000 } = ports;
  const underWay = new Set<DueMail>();
  let running: Promise<unknown> = Promise.resolve();
  let woken = Promise.withResolvers<void>();
  let scheduled = false;
  let queued = false;
  let stopped = false;

  /** Sends until nothing is due. A mail that is queued meanwhile does not wait for those under way. */
  async function sendDue(): Promise<number> {
    const outcomes: unknown[] = [];
    const ends = new Set<Promise<void>>();
    try {
      while (!stopped) {
        const mails = await claimNext();
        for (const mail of mails ?? []) {
          const end = sendOne(mail, outcomes).finally(() => ends.delete(end));
          ends.add(end);
        }
        // Of those that another node has claimed meanwhile, none is left; others may be.
        if (mails !== null) continue;
        if (ends.size === 0) break;
        await Promise.race([...ends, woken.promise]);
      }
    } finally {
      await Promise.all(ends);
    }
    return outcomes.filter((outcome) => outcome === null).length;
  }

  /** Null if none may be sent now. */
  async function claimNext(): Promise<QueuedMail[] | null> {
    if (underWay.size >= slots.all) return null;
    const due = await listDueMails(db, now().toISOString(), slots.ofOrganization);
    const ids = takeTurns(due, underWay).map(({ id }) => id);
    if (ids.length === 0) return null;
    const times = { now: now().toISOString(), until: later(now(), claimSeconds) };
    return db.transaction((tx) => claimMails(tx, ids, times));
  }

  async function sendOne(mail: QueuedMail, outcomes: unknown[]): Promise<void> {
    underWay.add(mail);
    try {
      const error = await attempt(mail);
      outcomes.push(error);
      await db.transaction(async (tx) => {
        mark("the end of mails", { operation: "mail" });
        if (error === null || hasUsedItsAttempts(mail, error)) await deleteMail(tx, mail.id);
        else await postpone(tx, mail, error);
      });
    } catch (error) {
      // It stays hidden for a while, and is then sent again.
      log.error({ mail_id: mail.id, err: error }, "the end of a mail could not be stored");
    } finally {
      underWay.delete(mail);
    }
  }

  async function attempt(mail: QueuedMail): Promise<unknown> {
    mark("a mail", { operation: "mail", stepId: mail.kind });
    try {
      const opened = openMail(mail, envelope);
      mark("a mail", workOf(opened));
      await withinDeadline(send(opened));
      meter?.mail("sent");
      return null;
    } catch (error) {
      return error;
    }
  }

  async function withinDeadline(sending: Promise<void>): Promise<void> {
    const late = Promise.withResolvers<never>();
    const timer = setTimeout(late.reject, deadlineMilliseconds, new Error("The mail server took too long."));
    try {
      await Promise.race([sending, late.promise]);
    } finally {
      clearTimeout(timer);
    }
  }

  function hasUsedItsAttempts(mail: QueuedMail, error: unknown): boolean {
    if (mail.attempts < attemptsMax) return false;
    meter?.mail("given_up");
    log.error({ mail_id: mail.id, attempts: mail.attempts, err: error }, "mail given up");
    return true;
  }

  async function postpone(tx: Db, mail: QueuedMail, error: unknown): Promise<void> {
    meter?.mail("retried");
    log.warn({ mail_id: mail.id, attempts: mail.attempts, err: error }, "mail not sent, will be tried again");
    // 1, 4, 16 minutes … most of two days in all.
    await postponeMail(tx, mail.id, later(now(), pauseSeconds(mail.attempts)));
  }

  // Waits a moment, so that one read of the queue serves mails that are queued together.
  function wake(): void {
    if (scheduled || stopped) return;
    scheduled = true;
    setTimeout(() => {
      scheduled = false;
      woken.resolve();
      woken = Promise.withResolvers();
      if (queued) return;
      queued = true;
      running = running.then(runNext).catch((error) => log.error({ err: error }, "mail queue could not be read"));
    }, wakeDelayMilliseconds).unref();
  }

  async function runNext(): Promise<void> {
    queued = false;
    if (!isHeld?.()) await sendDue();
  }

  const timer = setInterval(wake, pollSeconds * 1000);
  timer.unref();
  return {
    wake,
    sendDue,
    async stop() {
      stopped = true;
      clearInterval(timer);
      woken.resolve();
      await running;
    },
  };
}

const later = (from: Date, seconds: number): string => new Date(from.getTime() + seconds * 1000).toISOString();
