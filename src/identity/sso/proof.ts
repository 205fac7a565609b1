import type { Email } from "../../access/email.ts";

/** What a provider has proved about a person. */
export interface Proof {
  /** The person's permanent id at the provider. All other values can change or be given to another person. */
  subject: string;
  email: Email | null;
  /** False only if the provider says that the address is unverified. */
  emailChecked: boolean;
  name: string;
  /** By which the organization's directory may know the person: external ids, and user names in lower case. */
  externalIds: string[];
  userNames: string[];
  /** When the person last authenticated at the provider, if it says so. */
  authenticatedAt: string | null;
}

/** One line of at most 200 characters. */
export const nameIn = (text: string | null): string =>
  (text ?? "")
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what a name must not hold.
    .replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, " ")
    .trim()
    .slice(0, 200);
