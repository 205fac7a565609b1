import type { Region } from "../kernel/regions.ts";

/**
 * How the store names an invite. It keeps the first half of a code, and only the region's key can tell the second, so that a
 * copy of the database holds no code. Rules and rows use the stored form; the code itself is only in what goes out: answers, mails,
 * webhooks. Invites of earlier versions are stored under the code itself.
 */
export interface InviteCodes {
  create(region: Region): NewCode;
  /** The code that a stored form stands for. */
  shown(stored: string): string;
  /** How the store names the invite of a code that somebody sent. A stored form itself is no code: null. */
  storedOf(code: string): string | null;
}

export interface NewCode {
  code: string;
  stored: string;
}

/** Whether the target of an audit row is the stored form of a code. It never is a text that a caller chose. */
export const isAboutInvite = (action: string): boolean => action.startsWith("invite.") || action === "sign_up.begun";
