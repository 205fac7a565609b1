/** What one check found. */
export interface Finding {
  what: string;
  ok: boolean;
  detail: string;
  /** What to do if it fails, or could be better. */
  remedy?: string;
}
