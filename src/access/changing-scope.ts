import type { AuditEntry } from "./audit/audit-entry.ts";
import type { Scope } from "./scope.ts";

/** What one change adds to the audit log, and the value that it returns. */
export interface Changed<T> extends Omit<AuditEntry, "action"> {
  value: T;
  /** Names what the call began, for a repeat of it. */
  reference?: string;
}

/** The scope of a rule that waits for other systems: it reads from the store, and changes it in short transactions. */
export interface ChangingScope extends Scope {
  /**
   * One transaction with its audit row, under the organization's lock and after a second check of the caller. It may be called
   * several times. Each transaction stands, also if the call fails afterwards.
   */
  change<T>(work: (inside: Scope) => Promise<Changed<T>>): Promise<T>;
}
