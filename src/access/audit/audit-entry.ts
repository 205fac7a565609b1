/** What happened, in the words of an operation's `audit` line. */
export interface AuditEntry {
  action: string;
  target?: string | null;
  details?: Record<string, unknown>;
  projectId?: string | null;
}
