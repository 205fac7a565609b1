import type { AuditEntry } from "../audit/audit.ts";
import type { Directory as DirectoryActor, Scope } from "../scope.ts";

/** One change that a directory asks for: in one transaction, behind its organization's lock. */
export interface DirectoryChange {
  scope: Scope<DirectoryActor>;
  organizationId: string;
  /** Appends a row to the audit log; what it says is told to webhooks too. */
  note(entry: AuditEntry): Promise<void>;
  /** The address by which the account is found is another one. Who may open the account, and how, may hang on that. */
  addressChanged(userId: string): Promise<void>;
}

/** Something that must be unique in the directory is taken by another. */
export class DirectoryConflict extends Error {}

/** A member of a group that is no person of the directory. */
export class UnknownMember extends Error {}
