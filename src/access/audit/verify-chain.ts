import type { Db } from "../../store/db.ts";
import { type Anchor, type AnchorSeal, findAnchor, isSealIntact } from "./anchors.ts";
import { type AuditHead, type AuditRow, readChain, readHead } from "./audit.store.ts";
import { emptyChain, hashOfRow } from "./audit.ts";

const pageRows = 1000;

export interface ChainVerdict {
  organization_id: string;
  valid: boolean;
  /** All rows that the chain ever had. */
  rows: number;
  head: string;
  /** The first row that breaks the chain, or null. */
  broken_at: number | null;
  /** The first row that is in the database; all before it are in archives. */
  verified_from: number;
  /** The last row that was archived, or null if none was. */
  anchor: { seq: number; hash: string; archive_id: string; created_at: string } | null;
}

/** The next row of a chain follows this one. */
export interface Link {
  seq: number;
  hash: string;
}

export const firstLink: Link = { seq: 0, hash: emptyChain };

/** Whether a row is the next one of the chain, and unchanged. */
export const fits = (last: Link, row: AuditRow): boolean =>
  row.seq === last.seq + 1 && row.prev_hash === last.hash && hashOfRow(row) === row.hash;

/**
 * Verifies the chain from its anchor on, a page at a time. Ignores rows that are appended meanwhile. An anchor counts
 * only if its seal opens, and if the chain itself has the row that was appended with it.
 */
export async function verifyChain(
  db: Db,
  organizationId: string,
  seal: AnchorSeal | null = null,
): Promise<ChainVerdict> {
  const head = (await readHead(db, organizationId)) ?? { organizationId, ...firstLink };
  const anchor = await findAnchor(db, organizationId);
  const verdict = (brokenAt: number | null) => verdictOf(head, anchor, brokenAt);
  if (anchor && seal && !(await isSealIntact(db, anchor, seal))) return verdict(anchor.seq);
  let last: Link = anchor ?? firstLink;
  let isAnchored = anchor === null;
  while (last.seq < head.seq) {
    const rows = await readChain(db, organizationId, null, last.seq, Math.min(pageRows, head.seq - last.seq));
    for (const row of rows) {
      if (!fits(last, row)) return verdict(last.seq + 1);
      isAnchored ||= anchor !== null && tellsOf(row, anchor);
      last = row;
    }
    if (rows.length === 0) return verdict(last.seq + 1);
  }
  if (anchor && !isAnchored) return verdict(anchor.seq);
  return verdict(last.hash === head.hash ? null : head.seq);
}

/** What the retention policy appends to the chain with each anchor. */
export const archivedAction = "audit.archived";

function tellsOf(row: AuditRow, anchor: Anchor): boolean {
  if (row.action !== archivedAction || row.target !== anchor.archiveId) return false;
  const { last_seq, last_hash } = JSON.parse(row.details) as Record<string, unknown>;
  return last_seq === anchor.seq && last_hash === anchor.hash;
}

const verdictOf = (head: AuditHead, anchor: Anchor | null, brokenAt: number | null): ChainVerdict => ({
  organization_id: head.organizationId,
  valid: brokenAt === null,
  rows: head.seq,
  head: head.hash,
  broken_at: brokenAt,
  verified_from: (anchor?.seq ?? 0) + 1,
  anchor: anchor && {
    seq: anchor.seq,
    hash: anchor.hash,
    archive_id: anchor.archiveId,
    created_at: anchor.createdAt,
  },
});
