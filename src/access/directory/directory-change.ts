import type { AuditEntry } from "../audit/audit.ts";
import type { Directory as DirectoryActor, Scope } from "../scope.ts";

/** One change by a directory: one transaction under the organization's lock. */
export interface DirectoryChange {
  scope: Scope<DirectoryActor>;
  organizationId: string;
  /** Appends a row to the audit log, which also announces it to webhooks. */
  audit(entry: AuditEntry): Promise<void>;
  /** Called when the account's address changes. How the person may sign in can depend on the address. */
  onAddressChanged(userId: string): Promise<void>;
}

/** A value that must be unique in the directory is already in use. */
export class DirectoryConflict extends Error {}

/** A group member that is not a person of the directory. */
export class UnknownMember extends Error {}
