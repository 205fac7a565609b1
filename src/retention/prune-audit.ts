import { type Anchor, deleteArchivedRows, findAnchor, saveAnchor } from "../access/audit/anchors.ts";
import { type AuditRow, lockChain, readChain } from "../access/audit/audit.ts";
import { firstLink, fits, type Link } from "../access/audit/verify-chain.ts";
import { newId } from "../kernel/ids.ts";
import { readHeld } from "./legal-holds.ts";
import { cutOff, type PassParts, PolicyChanged, requireSamePolicy, type Target } from "./prune-pass.ts";
import type { KindPolicy } from "./retention-policy.ts";
import { beginArchive, finishArchive, recordArchive } from "./save-archive.ts";

const pageRows = 500;
const batchRows = 100;

/**
 * Archives the beginning of an organization's audit chain. The chain belongs to all projects, so a hold of any of them
 * keeps it whole.
 */
export async function pruneAudit(parts: PassParts, organizationId: string, policy: KindPolicy): Promise<void> {
  const { store, expiryNow } = parts;
  const held = await readHeld(store, organizationId);
  if (held.projects.size > 0) return;
  const target: Target = { organizationId, kind: "audit", policy };
  let anchor = await findAnchor(store, organizationId);
  // Usually there is nothing to do: an earlier pass that was interrupted may have left rows.
  if (anchor) await deleteBehind(parts, target, anchor);
  if (policy.days === null) return;
  const before = cutOff(expiryNow(), policy.days);
  while (!parts.hasStopped() && (await archiveNext(parts, target, anchor, before))) {
    anchor = await findAnchor(store, organizationId);
    if (anchor) await deleteBehind(parts, target, anchor);
  }
}

/** Writes one archive and sets the anchor behind it. Returns false if no row has expired. */
async function archiveNext(parts: PassParts, target: Target, anchor: Anchor | null, before: string): Promise<boolean> {
  const { organizationId } = target;
  const from: Link = anchor ?? firstLink;
  const [first] = await readChain(parts.store, organizationId, null, from.seq, 1);
  if (!first || first.at >= before) return false;
  const archive = await beginArchive(parts, target);
  try {
    let last: AuditRow | null = null;
    for await (const row of rowsBehind(parts, organizationId, from)) {
      if (row.at >= before || archive.isFull(row.seq - from.seq - 1)) break;
      if (!fits(last ?? from, row)) {
        const detail = { organization: organizationId, broken_at: row.seq };
        parts.log.error(detail, "an audit chain is broken and is not archived: run `signalbox audit verify`");
        await archive.writer.discard();
        return false;
      }
      await archive.writer.write({ table: "audit_log", row: { ...row } });
      last = row;
    }
    if (last === null) throw new Error("The audit chain has changed while it was read.");
    const { seq, hash, at: lastAt } = last;
    const chain = { first_seq: from.seq + 1, first_hash: from.hash, last_seq: seq, last_hash: hash };
    const about = { records: seq - from.seq, firstAt: first.at, lastAt, chain };
    const manifest = await finishArchive(parts, target, archive, about);
    await recordArchive(parts, target, manifest, async (db) => {
      if ((await readHeld(db, organizationId)).projects.size > 0) throw new PolicyChanged();
      const id = newId("anchor", parts.region);
      const { archive_id: archiveId, created_at: createdAt } = manifest;
      await saveAnchor(db, { id, organizationId, seq, hash, archiveId, createdAt }, parts.seal);
    });
    return true;
  } catch (error) {
    await archive.writer.discard();
    throw error;
  }
}

async function* rowsBehind(parts: PassParts, organizationId: string, from: Link): AsyncGenerator<AuditRow> {
  for (let after = from.seq; ; ) {
    const rows = await readChain(parts.store, organizationId, null, after, pageRows);
    yield* rows;
    const last = rows.at(-1);
    if (!last || rows.length < pageRows) return;
    after = last.seq;
    await parts.pause();
  }
}

async function deleteBehind(parts: PassParts, target: Target, anchor: Anchor): Promise<void> {
  for (let deleted = batchRows; deleted === batchRows && !parts.hasStopped(); ) {
    deleted = await parts.store.transaction(async (db) => {
      await parts.lease.require(db);
      await lockChain(db, target.organizationId);
      const held = await requireSamePolicy(db, target);
      if (held.projects.size > 0) throw new PolicyChanged();
      return deleteArchivedRows(db, anchor, batchRows);
    });
    if (deleted > 0) await parts.pause();
  }
}
