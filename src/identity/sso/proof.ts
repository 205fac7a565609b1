import type { Email } from "../../access/email.ts";

/** What a provider has proved about somebody. */
export interface Proof {
  /** Who they are there, for good. Everything else may change, or come to belong to somebody else. */
  subject: string;
  email: Email | null;
  /** False only where the provider says that nobody has checked the address. */
  emailChecked: boolean;
  name: string;
  /** By what the organization's directory may know them: ids that it gave, and names in lower case. */
  externalIds: string[];
  userNames: string[];
  /** When they last showed the provider who they are, where it tells. */
  authenticatedAt: string | null;
}

/** One line of at most 200 characters, whatever came. */
export const nameIn = (text: string | null): string =>
  (text ?? "")
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what a name must not hold.
    .replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, " ")
    .trim()
    .slice(0, 200);
