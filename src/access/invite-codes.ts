import type { Region } from "../kernel/regions.ts";

/**
 * How the store names an invite. It keeps a code in a form that only the region's key can read, so that a copy of the
 * database holds no code. Rules and rows use the stored form; the code itself is only in what goes out: answers, mails,
 * webhooks. Invites of earlier versions are stored under the code itself.
 */
export interface InviteCodes {
  create(region: Region): NewCode;
  /** The code that a stored form stands for. */
  shown(stored: string): string;
  /** The forms in which a code that somebody sent may be stored. A stored form itself is no code, and has none. */
  formsOf(code: string): readonly string[];
}

export interface NewCode {
  code: string;
  stored: string;
}

/** Whether the target of an audit row is the stored form of a code. It never is a text that a caller chose. */
export const isAboutInvite = (action: string): boolean => action.startsWith("invite.") || action === "sign_up.begun";
