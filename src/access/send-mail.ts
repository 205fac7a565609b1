import type { Log } from "../kernel/log.ts";
import type { Secret } from "../kernel/secret.ts";
import type { SendMail } from "./mails.ts";

interface InviteDetails {
  invite_code: string;
  project_id: string;
  invited_by: string;
  expires_at: string;
  accepted: boolean;
}

interface Letter {
  subject: string;
  text: string;
}

/** The words of an invite. Nothing in them is taken from a stranger: ids, times, and addresses that passed our grammar. */
export function inviteLetter(details: InviteDetails, baseUrl: string): Letter {
  const opening = `${details.invited_by} has invited you to the project ${details.project_id} on Signalbox.`;
  const next = details.accepted
    ? "You are in already: use the account you have."
    : [
        "To accept, send the code with a key of your own account:",
        "",
        `  POST ${baseUrl}/latest/auth/invite/accept`,
        `  {"invite_code":"${details.invite_code}"}`,
        "",
        `The code works until ${details.expires_at}.`,
      ].join("\n");
  return { subject: "You are invited to a project on Signalbox", text: `${opening}\n\n${next}\n` };
}

/** Hands mails to an SMTP server. The library is loaded with the first one. */
export function sendBySmtp(settings: { url: Secret; from: string; baseUrl: string }): SendMail {
  let transport: Promise<{ sendMail(message: object): Promise<unknown> }> | undefined;
  return async (mail) => {
    transport ??= import("nodemailer").then(({ default: nodemailer }) =>
      nodemailer.createTransport(settings.url.reveal()),
    );
    const letter = inviteLetter(mail.details as unknown as InviteDetails, settings.baseUrl);
    // As an object it is one address, whatever is in it; a text would be read as a list of them.
    const to = { name: "", address: mail.recipient };
    await (await transport).sendMail({ from: settings.from, to, ...letter });
  };
}

/** Without a mail server the operator reads the log: each mail is one line there, with the code the person needs. */
export function sendToLog(log: Log, baseUrl: string): SendMail {
  return async (mail) => {
    const letter = inviteLetter(mail.details as unknown as InviteDetails, baseUrl);
    log.info({ to: mail.recipient, subject: letter.subject, text: letter.text }, "mail (no SMTP server is configured)");
  };
}
