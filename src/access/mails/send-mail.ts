import type { MailLog } from "../../kernel/log.ts";
import type { Region } from "../../kernel/regions.ts";
import type { Secret } from "../../kernel/secret.ts";
import { contentOf } from "./contents.ts";
import type { SendMail } from "./mails.ts";
import type { UnsentMails } from "./unsent-mails.ts";

/** Hands mails to an SMTP server. The library is loaded with the first one. */
export function sendBySmtp(settings: { url: Secret; from: string; baseUrl: string }): SendMail {
  let transport: Promise<{ sendMail(message: object): Promise<unknown> }> | undefined;
  return async (mail) => {
    transport ??= import("nodemailer").then(({ default: nodemailer }) =>
      nodemailer.createTransport(settings.url.reveal()),
    );
    const letter = contentOf(mail, settings.baseUrl);
    // As an object it is one address, whatever is in it; a text would be read as a list of them.
    const to = { name: "", address: mail.recipient };
    await (await transport).sendMail({ from: settings.from, to, ...letter });
  };
}

/**
 * Without a mail server a line in the log says so, and where the operator can read the mail. What it says is a credential, often a link that
 * opens an account: only a log at level debug has it.
 */
export function sendToOperator(log: MailLog, region: Region, baseUrl: string, unsent: UnsentMails): SendMail {
  return async (mail) => {
    unsent.keep(mail);
    log({ region, to: mail.recipient, kind: mail.kind, file: unsent.file }, () => contentOf(mail, baseUrl));
  };
}
