/** What happened. `action` is the word in an operation's `audit`. */
export interface AuditEntry {
  action: string;
  target?: string | null;
  details?: Record<string, unknown>;
  projectId?: string | null;
}
