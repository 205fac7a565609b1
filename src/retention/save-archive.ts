import { join } from "node:path";
import { type AuditHead, appendAudit, lockChain } from "../access/audit/audit.ts";
import { archivedAction } from "../access/audit/verify-chain.ts";
import { newId } from "../kernel/ids.ts";
import type { Db } from "../store/db.ts";
import { insertArchive } from "./archives.store.ts";
import type { Manifest } from "./manifest.ts";
import { type PassParts, requireSamePolicy, retentionScope, type Target } from "./prune-pass.ts";
import { type ArchiveWriter, openArchive } from "./write-archive.ts";

export { type Archive, findArchive, listArchives } from "./archives.store.ts";

/** A file is finished at this size, and its records deleted, before the next one is begun. */
const recordsMax = 10_000;
const sizeMax = 64 * 1024 * 1024;

/** An archive that is being written. */
export interface OpenArchive {
  id: string;
  writer: ArchiveWriter;
  isFull(records: number): boolean;
}

/** `<archive folder>/<region>/<organization>/<kind>-<day>-<archive>.jsonl.gz` */
export async function beginArchive(parts: PassParts, { organizationId, kind }: Target): Promise<OpenArchive> {
  const id = newId("archive", parts.region);
  const today = parts.now().toISOString().slice(0, 10);
  const folder = join(parts.archiveFolder, parts.region, organizationId);
  const writer = await openArchive(join(folder, `${kind}-${today}-${id}.jsonl.gz`));
  return { id, writer, isFull: (records) => records >= recordsMax || writer.size >= sizeMax };
}

export interface Exported {
  records: number;
  firstAt: string;
  lastAt: string;
  chain?: NonNullable<Manifest["chain"]>;
}

/** Makes the file durable. Nothing is deleted before this. */
export const finishArchive = (
  parts: PassParts,
  { organizationId, kind }: Target,
  { id, writer }: OpenArchive,
  { records, firstAt, lastAt, chain }: Exported,
): Promise<Manifest> =>
  writer.finish({
    archive_id: id,
    region: parts.region,
    organization_id: organizationId,
    kind,
    records,
    first_at: firstAt,
    last_at: lastAt,
    created_at: parts.now().toISOString(),
    chain: chain ?? null,
  });

/** Records a finished archive, with its audit row, in one transaction with `more`. */
export function recordArchive(
  parts: PassParts,
  target: Target,
  manifest: Manifest,
  more: (db: Db, head: AuditHead) => Promise<void> = async () => {},
): Promise<void> {
  const { organizationId, kind } = target;
  return parts.store.transaction(async (db) => {
    await parts.lease.require(db);
    const head = await lockChain(db, organizationId);
    await requireSamePolicy(db, target);
    await insertArchive(db, {
      id: manifest.archive_id,
      organizationId,
      kind,
      file: join(parts.region, organizationId, manifest.file),
      records: manifest.records,
      firstAt: manifest.first_at,
      lastAt: manifest.last_at,
      bytes: manifest.bytes,
      sha256: manifest.sha256,
      createdAt: manifest.created_at,
    });
    await more(db, head);
    const { records, first_at, last_at, sha256, chain } = manifest;
    const details = { kind, records, first_at, last_at, sha256, ...chain };
    const action = chain ? archivedAction : "retention.archived";
    await appendAudit(retentionScope(db, parts), head, { action, target: manifest.archive_id, details });
  });
}
