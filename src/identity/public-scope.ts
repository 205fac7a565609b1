import type { AuditEntry } from "../access/audit/audit.ts";
import type { Anonymous, Person, Scope } from "../access/scope.ts";
import type { Seal } from "../vault/sealing/seal.ts";
import type { KnownBrowser } from "./passwords/known-browser.ts";

/** What a public operation changes: the audit entry, and the person, once the operation has identified them. */
export interface PublicChange<T> extends AuditEntry {
  value: T;
  actor?: Person;
  /** Further audit rows, after the first. */
  also?: AuditEntry[];
}

/** The scope of an operation that needs no account: it reads from the store, and changes it in short transactions. */
export interface PublicScope extends Scope<Anonymous> {
  userAgent: string;
  ip: string;
  /** The browser, where an account has signed in from it before. */
  browser: KnownBrowser | null;
  seal: Seal;
  /** One transaction under the organization's lock, with its audit rows. */
  change<T>(organizationId: string, work: (inside: PublicScope) => Promise<PublicChange<T>>): Promise<T>;
  setSession(token: string | null): void;
  rememberBrowser(userId: string, strongly: boolean): void;
}
