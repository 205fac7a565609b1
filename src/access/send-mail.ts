import type { MailLog } from "../kernel/log.ts";
import type { Region } from "../kernel/regions.ts";
import type { Secret } from "../kernel/secret.ts";
import { letterOf } from "./letters.ts";
import type { SendMail } from "./mails.ts";

/** Hands mails to an SMTP server. The library is loaded with the first one. */
export function sendBySmtp(settings: { url: Secret; from: string; baseUrl: string }): SendMail {
  let transport: Promise<{ sendMail(message: object): Promise<unknown> }> | undefined;
  return async (mail) => {
    transport ??= import("nodemailer").then(({ default: nodemailer }) =>
      nodemailer.createTransport(settings.url.reveal()),
    );
    const letter = letterOf(mail, settings.baseUrl);
    // As an object it is one address, whatever is in it; a text would be read as a list of them.
    const to = { name: "", address: mail.recipient };
    await (await transport).sendMail({ from: settings.from, to, ...letter });
  };
}

/** Without a mail server the operator reads the log: each mail is one line there, with the code the person needs. */
export function sendToLog(log: MailLog, region: Region, baseUrl: string): SendMail {
  return async (mail) => {
    const { subject, text } = letterOf(mail, baseUrl);
    log({ region, to: mail.recipient, subject, text });
  };
}
