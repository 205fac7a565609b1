import { join } from "node:path";
import { createLoggedOutbox, createMailQueue, createQueuedOutbox, type Outbox } from "../../access/mails/mail-queue.ts";
import { sendBySmtp, sendToOperator } from "../../access/mails/send-mail.ts";
import { createUnsentMails } from "../../access/mails/unsent-mails.ts";
import type { Log, MailLog } from "../../kernel/log.ts";
import type { RegionMeter } from "../../kernel/meter.ts";
import type { Region } from "../../kernel/regions.ts";
import type { Store } from "../../store/db.ts";
import type { Seal } from "../../vault/sealing/seal.ts";
import type { Config } from "../settings/config.ts";

const unsentMailsFile = (config: Config, region: Region): string => join(config.home, `${region}.unsent-mails.txt`);

interface MailParts {
  store: Store;
  seal: Seal;
  baseUrl: string;
  log: Log;
  mailLog: MailLog;
  now: () => Date;
  meter: RegionMeter;
  /** While it is, nothing is sent. */
  isHeld: () => boolean;
}

/** Mails go to the SMTP server through a durable queue. Without a server they go to a file that the operator reads. */
export function openMails(config: Config, region: Region, parts: MailParts): { outbox: Outbox; stop(): Promise<void> } {
  const { store, seal, baseUrl, log, mailLog, now, meter, isHeld } = parts;
  if (config.smtpUrl) {
    const send = sendBySmtp({ url: config.smtpUrl, from: config.mailFrom, baseUrl });
    const queue = createMailQueue({ db: store, envelope: seal, send, log, now, meter, isHeld });
    return { outbox: createQueuedOutbox(queue, seal), stop: () => queue.stop() };
  }
  const unsent = createUnsentMails(unsentMailsFile(config, region), baseUrl, {
    now,
    failed: (error) => log.warn({ err: error }, "unsent mails cannot be written to their file"),
  });
  return {
    outbox: createLoggedOutbox(sendToOperator(mailLog, region, baseUrl, unsent), meter),
    stop: () => unsent.close(),
  };
}
