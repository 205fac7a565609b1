/** What mails say. Nothing in them but a project's or organization's own name is a stranger's: ids, times, and addresses that passed our grammar. */

export interface MailContent {
  subject: string;
  text: string;
}

export interface InviteDetails {
  invite_code: string;
  project_id: string;
  invited_by: string;
  expires_at: string;
  accepted: boolean;
}

/** The code stands behind a #, which browsers keep to themselves: no log of any server on the way has it. */
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

export interface ResetDetails {
  token: string;
  organization: string;
  /** For the page to tell password managers whose password it is. Mails of an earlier program lack it. */
  email?: string;
}

/** All of it stands behind the #, and stays in the browser. */
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

export interface CodeDetails {
  code: string;
}

export const codeContent = ({ code }: CodeDetails): MailContent => ({
  subject: `${code} is your code for Signalbox`,
  text: `Your code is

  ${code}

Type it into the page that asked for it, within half an hour. It shows that this address is yours, so give it to nobody.
If you did not ask for it, leave this mail alone: nothing changes.
`,
});

export interface ChangeDetails {
  organization: string;
  at: string;
}

export const passwordChangedContent = (details: ChangeDetails, baseUrl: string): MailContent => ({
  subject: "Your password on Signalbox was changed",
  text: `The password of your account at ${details.organization} was changed at ${details.at}, and its other sessions were ended.

If it was not you, set a new one at once:

  ${baseUrl}/forgot
`,
});

/** Everything that mails tell of, and how it is told. */
const letters = {
  invite: (details, baseUrl) => inviteContent(details as unknown as InviteDetails, baseUrl),
  password_reset: (details, baseUrl) => resetContent(details as unknown as ResetDetails, baseUrl),
  sign_up_code: (details) => codeContent(details as unknown as CodeDetails),
  password_changed: (details, baseUrl) => passwordChangedContent(details as unknown as ChangeDetails, baseUrl),
} as const satisfies Record<string, (details: Record<string, unknown>, baseUrl: string) => MailContent>;

export type MailKind = keyof typeof letters;

/** The kind and its details were written by the same rule that queued the mail. */
export const contentOf = (mail: { kind: string; details: Record<string, unknown> }, baseUrl: string): MailContent =>
  letters[mail.kind as MailKind](mail.details, baseUrl);
