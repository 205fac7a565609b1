import { appendAudit, lockChain } from "../access/audit/audit.ts";
import { listProjectIds } from "../access/projects.ts";
import { expiredEvents } from "../agents/events/expired-events.ts";
import { idAt } from "../kernel/ids.ts";
import { expiredRuns } from "../runs/expired-runs.ts";
import type { Db } from "../store/db.ts";
import type { ExpiredRow, ExpiringTable } from "../store/expiring-tables.ts";
import { expiredDeliveries } from "../webhooks/expired-deliveries.ts";
import { listWebhookIds } from "../webhooks/webhooks.ts";
import { readHeld } from "./legal-holds.ts";
import { cutOff, type PassParts, PolicyChanged, requireSamePolicy, retentionScope, type Target } from "./prune-pass.ts";
import { findPolicy, type KindPolicy } from "./retention-policy.ts";
import { beginArchive, finishArchive, type OpenArchive, recordArchive } from "./save-archive.ts";

export type TableKind = "runs" | "events" | "deliveries";

interface PrunedTable extends ExpiringTable {
  idKind: "run" | "event" | "delivery";
  /** Where the rows of a project are found by an index. */
  ownersOf(db: Db, projectId: string): Promise<string[]>;
}

const theProject = async (_db: Db, projectId: string) => [projectId];

const tables: Record<TableKind, PrunedTable> = {
  runs: { ...expiredRuns, idKind: "run", ownersOf: theProject },
  events: { ...expiredEvents, idKind: "event", ownersOf: theProject },
  deliveries: { ...expiredDeliveries, idKind: "delivery", ownersOf: listWebhookIds },
};

/** What one transaction deletes at most: enough to be quick, too little to be felt. */
const batchRows = 100;
const batchBytes = 1024 * 1024;
const pageRows = 500;
const projectsAtOnce = 100;
/** Clocks of nodes differ, and an id has the time of the node's own. */
const toleranceMilliseconds = 86_400_000;

interface Owner {
  projectId: string;
  id: string;
}

interface Found extends Owner {
  rows: ExpiredRow[];
}

/** Deletes an organization's expired rows of one kind, after exporting them if the policy says so. */
export async function pruneTable(
  parts: PassParts,
  organizationId: string,
  kind: TableKind,
  policy: KindPolicy,
): Promise<void> {
  if (policy.days === null) return;
  const before = cutOff(parts.expiryNow(), policy.days);
  const target: Target = { organizationId, kind, policy };
  const found = findExpired(parts, target, tables[kind], before);
  if (policy.export) await exportAndRemove(parts, target, found, before);
  else await removeAll(parts, target, found, before);
}

async function* findExpired(
  parts: PassParts,
  { organizationId }: Target,
  table: PrunedTable,
  before: string,
): AsyncGenerator<Found> {
  const { store, region } = parts;
  const below = idAt(table.idKind, region, new Date(Date.parse(before) + toleranceMilliseconds));
  const held = await readHeld(store, organizationId);
  for await (const projectId of projectsOf(parts, organizationId)) {
    if (held.projects.has(projectId)) continue;
    for (const id of await table.ownersOf(store, projectId)) {
      for (let above: string | null = ""; above !== null && !parts.hasStopped(); ) {
        const page = await table.find(store, id, { before, above, below, limit: pageRows });
        if (page.rows.length > 0) yield { projectId, id, rows: page.rows };
        above = page.searchedTo;
        if (above !== null) await parts.pause();
      }
    }
  }
}

/** An organization may have hundreds of thousands, and SQLite answers without a turn of the event loop. */
async function* projectsOf({ store, pause, hasStopped }: PassParts, organizationId: string): AsyncGenerator<string> {
  for (let after: string | undefined = ""; after !== undefined && !hasStopped(); ) {
    const page: string[] = await listProjectIds(store, organizationId, after, projectsAtOnce);
    yield* page;
    after = page.length < projectsAtOnce ? undefined : page.at(-1);
    if (after !== undefined) await pause();
  }
}

async function removeAll(parts: PassParts, target: Target, all: AsyncIterable<Found>, before: string): Promise<void> {
  let count = 0;
  try {
    for await (const found of all) count += await remove(parts, target, found, before);
  } finally {
    if (count > 0) await recordDeletion(parts, target, count, before);
  }
}

/** An organization that never set a policy has no rows about the default one. */
const recordDeletion = (parts: PassParts, { organizationId, kind }: Target, records: number, before: string) =>
  parts.store.transaction(async (db) => {
    const head = await lockChain(db, organizationId);
    if ((await findPolicy(db, organizationId)) === null) return;
    const details = { kind, records, before };
    await appendAudit(retentionScope(db, parts), head, { action: "retention.deleted", target: null, details });
  });

/** File by file: all records of a file are durable in it before the first of them is deleted. */
async function exportAndRemove(
  parts: PassParts,
  target: Target,
  all: AsyncIterable<Found>,
  before: string,
): Promise<void> {
  let archive: OpenArchive | null = null;
  let exported: Found[] = [];
  const table = tables[target.kind as TableKind];
  const finish = async (): Promise<void> => {
    if (!archive) return;
    const records = exported.flatMap(({ rows }) => rows);
    const times = records.map(({ createdAt }) => createdAt).sort();
    const about = { records: records.length, firstAt: times[0] ?? "", lastAt: times.at(-1) ?? "" };
    await recordArchive(parts, target, await finishArchive(parts, target, archive, about));
    archive = null;
    for (const found of exported) await remove(parts, target, found, before);
    exported = [];
  };
  try {
    for await (const { rows, ...owner } of all) {
      for (const row of rows) {
        archive ??= await beginArchive(parts, target);
        for await (const line of table.read(parts.store, row.id)) await archive.writer.write(line);
        addTo(exported, owner, row);
        if (archive.isFull(exported.reduce((sum, found) => sum + found.rows.length, 0))) await finish();
        if (parts.hasStopped()) return;
      }
    }
    await finish();
  } finally {
    await (archive as OpenArchive | null)?.writer.discard();
  }
}

function addTo(exported: Found[], owner: Owner, row: ExpiredRow): void {
  const last = exported.at(-1);
  if (last?.id === owner.id) last.rows.push(row);
  else exported.push({ ...owner, rows: [row] });
}

/** Returns how many rows it deleted. A row that has changed since it was read stays. */
async function remove(
  parts: PassParts,
  target: Target,
  { projectId, id, rows }: Found,
  before: string,
): Promise<number> {
  const table = tables[target.kind as TableKind];
  let count = 0;
  for (const batch of batchesOf(rows)) {
    if (parts.hasStopped()) return count;
    count += await parts.store.transaction(async (db) => {
      await parts.lease.require(db);
      await lockChain(db, target.organizationId);
      const held = await requireSamePolicy(db, target);
      if (held.projects.has(projectId)) throw new PolicyChanged();
      const free = await table.unchanged(db, id, batch, before);
      if (free.length > 0)
        await table.remove(
          db,
          free.map((row) => row.id),
        );
      return free.length;
    });
    await parts.pause();
  }
  return count;
}

function* batchesOf(rows: readonly ExpiredRow[]): Generator<ExpiredRow[]> {
  let batch: ExpiredRow[] = [];
  let bytes = 0;
  for (const row of rows) {
    if (batch.length > 0 && (batch.length >= batchRows || bytes + row.bytes > batchBytes)) {
      yield batch;
      [batch, bytes] = [[], 0];
    }
    batch.push(row);
    bytes += row.bytes;
  }
  if (batch.length > 0) yield batch;
}
