import type { MailLog } from "../../kernel/log.ts";
import type { Region } from "../../kernel/regions.ts";
import type { Secret } from "../../kernel/secret.ts";
import type { SendMail } from "./mail-queue.ts";
import { contentOf } from "./mail-texts.ts";
import type { UnsentMails } from "./unsent-mails.ts";

/** Of each stage of the conversation with the server; the queue has a deadline for all of it. */
const timeouts = { connectionTimeout: 20_000, greetingTimeout: 20_000, socketTimeout: 40_000 };

/** Sends mails to an SMTP server. Loads the library with the first mail. */
export function sendBySmtp(settings: { url: Secret; from: string; baseUrl: string }): SendMail {
  let transport: Promise<{ sendMail(message: object): Promise<unknown> }> | undefined;
  return async (mail) => {
    transport ??= import("nodemailer").then(({ default: nodemailer }) =>
      nodemailer.createTransport({ url: settings.url.reveal(), ...timeouts }),
    );
    const { subject, text, html } = contentOf(mail, settings.baseUrl);
    // An object is always one address; a text would be parsed as a list.
    const to = { name: "", address: mail.recipient };
    await (await transport).sendMail({ from: settings.from, to, subject, text, html });
  };
}

/**
 * Without a mail server, logs where the operator can read the mail. The content is a credential, often a link to an
 * account, so only a log at level debug includes it.
 */
export function sendToOperator(log: MailLog, region: Region, baseUrl: string, unsent: UnsentMails): SendMail {
  return async (mail) => {
    unsent.keep(mail);
    log({ region, to: mail.recipient, kind: mail.kind, file: unsent.file }, () => {
      const { subject, text } = contentOf(mail, baseUrl);
      return { subject, text };
    });
  };
}
