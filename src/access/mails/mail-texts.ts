import { z } from "zod";
import { type MailContent, type Paragraph, plainName, write } from "./mail-layout.ts";
import { timeForPeople } from "./time-for-people.ts";

/**
 * The words of mails. Members that are optional are missing in mails that an earlier version has queued. Names that users choose
 * pass through `plainName`; the rest is ids, times and validated addresses.
 */

const InviteDetails = z.object({
  invite_code: z.string(),
  project_id: z.string(),
  project: z.string().optional(),
  organization: z.string().optional(),
  role: z.string().optional(),
  invited_by: z.string(),
  invited_by_name: z.string().optional(),
  expires_at: z.string(),
  accepted: z.boolean(),
});
export type InviteDetails = z.infer<typeof InviteDetails>;

/** The code follows a #. Browsers do not send that part, so no server logs it. */
export function inviteContent(details: InviteDetails, baseUrl: string): MailContent {
  const project = details.project === undefined ? details.project_id : plainName(details.project);
  const name = plainName(details.invited_by_name ?? "");
  const inviter = name === "" ? details.invited_by : `${name} (${details.invited_by})`;
  const facts: [string, string | undefined][] = [
    ["Project", project],
    ["Organization", details.organization === undefined ? undefined : plainName(details.organization)],
    ["Your role", details.role && `${details.role.charAt(0).toUpperCase()}${details.role.slice(1)}`],
    ["Invited by", inviter],
  ];
  const known = facts.filter((fact): fact is [string, string] => fact[1] !== undefined);
  const next: Paragraph[] = details.accepted
    ? [
        "You already have access: use your existing account.",
        { button: "Open the project", url: `${baseUrl}/projects/${details.project_id}` },
      ]
    : [
        { button: "Accept the invitation", url: `${baseUrl}/invite#${details.invite_code}` },
        `The invitation is valid until ${timeForPeople(details.expires_at)}.`,
        "Programs can send the code with a key of the account that you have elsewhere:",
        { code: `POST ${baseUrl}/latest/auth/invite/accept\n{"invite_code":"${details.invite_code}"}` },
        "If you did not expect this, ignore this mail.",
      ];
  return write({
    subject: `${name || details.invited_by} invites you to ${project} on Signalbox`,
    paragraphs: [`${inviter} invites you to the project ${project} on Signalbox.`, { facts: known }, ...next],
  });
}

const ResetDetails = z.object({
  token: z.string(),
  organization: z.string(),
  name: z.string().optional(),
  /** The page shows it to password managers. */
  email: z.string().optional(),
  expires_at: z.string().optional(),
});
export type ResetDetails = z.infer<typeof ResetDetails>;

/** The part after the #, which browsers do not send. */
const resetFragment = ({ token, email }: ResetDetails): string =>
  email === undefined ? token : `${token}/${encodeURIComponent(email)}`;

export const resetContent = (details: ResetDetails, baseUrl: string): MailContent =>
  write({
    subject: "Set a new password on Signalbox",
    to: plainName(details.name ?? ""),
    paragraphs: [
      `Somebody, most likely you, asked for a new password of your account${details.email === undefined ? "" : ` ${details.email}`} at ${plainName(details.organization)}.`,
      { button: "Set a new password", url: `${baseUrl}/reset#${resetFragment(details)}` },
      `The link works once, ${details.expires_at === undefined ? "for an hour" : `until ${timeForPeople(details.expires_at)}`}. A new password signs you out everywhere.`,
      "If it was not you, ignore this mail: nothing changes.",
    ],
  });

const CodeDetails = z.object({
  code: z.string(),
  name: z.string().optional(),
  project: z.string().optional(),
  organization: z.string().optional(),
  expires_at: z.string().optional(),
});
export type CodeDetails = z.infer<typeof CodeDetails>;

export function codeContent(details: CodeDetails): MailContent {
  const { code, name = "", project, organization = "", expires_at: until } = details;
  const goal = project === undefined ? "" : ` to join the project ${plainName(project)} of ${plainName(organization)}`;
  return write({
    subject: `${code} is your code for Signalbox`,
    to: plainName(name),
    paragraphs: [
      `This is your code${goal}:`,
      { code },
      `Type it into the page that asked for it, ${until === undefined ? "within half an hour" : `by ${timeForPeople(until)}`}. It shows that this address is yours, so give it to nobody.`,
      "If you did not ask for it, ignore this mail: nothing changes.",
    ],
  });
}

const ChangeDetails = z.object({
  organization: z.string(),
  name: z.string().optional(),
  email: z.string().optional(),
  at: z.string(),
});
export type ChangeDetails = z.infer<typeof ChangeDetails>;

export const passwordChangedContent = (details: ChangeDetails, baseUrl: string): MailContent =>
  write({
    subject: "Your password on Signalbox was changed",
    to: plainName(details.name ?? ""),
    paragraphs: [
      `The password of your account${details.email === undefined ? "" : ` ${details.email}`} at ${plainName(details.organization)} was changed on ${timeForPeople(details.at)}. You were signed out everywhere else.`,
      "If it was not you, set a new one at once:",
      { button: "Set a new password", url: `${baseUrl}/forgot` },
    ],
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
