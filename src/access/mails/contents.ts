import { z } from "zod";

/** The texts of mails. Users choose only the names of organizations in them; the rest is ids, times and validated addresses. */

export interface MailContent {
  subject: string;
  text: string;
}

const InviteDetails = z.object({
  invite_code: z.string(),
  project_id: z.string(),
  invited_by: z.string(),
  expires_at: z.string(),
  accepted: z.boolean(),
});
export type InviteDetails = z.infer<typeof InviteDetails>;

/** The code follows a #. Browsers do not send that part, so no server logs it. */
export function inviteContent(details: InviteDetails, baseUrl: string): MailContent {
  const opening = `${details.invited_by} has invited you to the project ${details.project_id} on Signalbox.`;
  const next = details.accepted
    ? "You are in already: use the account you have."
    : [
        "To accept, open this page:",
        "",
        `  ${baseUrl}/invite#${details.invite_code}`,
        "",
        "Or send the code with a key of the account that you have elsewhere:",
        "",
        `  POST ${baseUrl}/latest/auth/invite/accept`,
        `  {"invite_code":"${details.invite_code}"}`,
        "",
        `The code works until ${details.expires_at}.`,
      ].join("\n");
  return { subject: "You are invited to a project on Signalbox", text: `${opening}\n\n${next}\n` };
}

const ResetDetails = z.object({
  token: z.string(),
  organization: z.string(),
  /** The page shows it to password managers. Mails of an earlier version lack it. */
  email: z.string().optional(),
});
export type ResetDetails = z.infer<typeof ResetDetails>;

/** The part after the #, which browsers do not send. */
const resetFragment = ({ token, email }: ResetDetails): string =>
  email === undefined ? token : `${token}/${encodeURIComponent(email)}`;

export const resetContent = (details: ResetDetails, baseUrl: string): MailContent => ({
  subject: "Set a new password on Signalbox",
  text: `Somebody, most likely you, asked for a new password of your account at ${details.organization}. To set one, open this page:

  ${baseUrl}/reset#${resetFragment(details)}

The link works once, for an hour. Whoever sets a new password with it ends all sessions of the account.
If it was not you, leave this mail alone: nothing changes.
`,
});

const CodeDetails = z.object({ code: z.string() });
export type CodeDetails = z.infer<typeof CodeDetails>;

export const codeContent = ({ code }: CodeDetails): MailContent => ({
  subject: `${code} is your code for Signalbox`,
  text: `Your code is

  ${code}

Type it into the page that asked for it, within half an hour. It shows that this address is yours, so give it to nobody.
If you did not ask for it, leave this mail alone: nothing changes.
`,
});

const ChangeDetails = z.object({ organization: z.string(), at: z.string() });
export type ChangeDetails = z.infer<typeof ChangeDetails>;

export const passwordChangedContent = (details: ChangeDetails, baseUrl: string): MailContent => ({
  subject: "Your password on Signalbox was changed",
  text: `The password of your account at ${details.organization} was changed at ${details.at}, and its other sessions were ended.

If it was not you, set a new one at once:

  ${baseUrl}/forgot
`,
});

interface Kind {
  write(details: unknown, baseUrl: string): MailContent;
}

const kind = <T>(shape: z.ZodType<T>, write: (details: T, baseUrl: string) => MailContent): Kind => ({
  write: (details, baseUrl) => write(shape.parse(details), baseUrl),
});

const kinds = {
  invite: kind(InviteDetails, inviteContent),
  password_reset: kind(ResetDetails, resetContent),
  sign_up_code: kind(CodeDetails, codeContent),
  password_changed: kind(ChangeDetails, passwordChangedContent),
};

export type MailKind = keyof typeof kinds;

const isKind = (name: string): name is MailKind => Object.hasOwn(kinds, name);

/** Details come from the store, so they are parsed. The error names no values: they are credentials. */
export function contentOf(mail: { kind: string; details: Record<string, unknown> }, baseUrl: string): MailContent {
  try {
    if (!isKind(mail.kind)) throw new Error("The kind is unknown.");
    return kinds[mail.kind].write(mail.details, baseUrl);
  } catch (cause) {
    throw new Error(`The stored mail of kind ${mail.kind} cannot be read.`, { cause });
  }
}
