import { hash } from "node:crypto";
import { isoTime } from "../../kernel/times.ts";
import type { Db } from "../../store/db.ts";
import type { AnyScope } from "../scope.ts";
import { type AuditHead, type AuditRow, insertAuditRow, insertHead, lockHead, updateHead } from "./audit.store.ts";
import type { AuditEntry } from "./audit-entry.ts";

export type { AuditHead, AuditRow } from "./audit.store.ts";
export { hasAnyChain, listAuditRows, listChains, readChain } from "./audit.store.ts";
export type { AuditEntry } from "./audit-entry.ts";

export const emptyChain = "0".repeat(64);

/** Starts the chain of a new organization. */
export async function startChain(db: Db, organizationId: string): Promise<AuditHead> {
  const head = { organizationId, seq: 0, hash: emptyChain };
  await insertHead(db, head);
  return head;
}

/**
 * The first statement of every change: it locks the head of the organization's audit chain, so writers of one
 * organization run one after another. Each rule then sees what earlier changes did, on both databases, without further
 * locks.
 */
export async function lockChain(db: Db, organizationId: string): Promise<AuditHead> {
  const head = await lockHead(db, organizationId);
  if (!head) throw new Error(`The organization ${organizationId} has no audit chain.`);
  return head;
}

/**
 * Appends one row in the transaction of the change itself: no change without its row, no row without its change.
 * Webhooks are announced here alone, so no change can omit them.
 */
export async function appendAudit(scope: AnyScope, head: AuditHead, entry: AuditEntry): Promise<AuditHead> {
  const actor = scope.actor;
  const row: AuditRow = {
    organization_id: head.organizationId,
    seq: head.seq + 1,
    at: isoTime(scope.now()),
    action: entry.action,
    actor_kind: scope.through ?? actor.kind,
    actor_id: actorIdOf(actor),
    key_id: actor.kind === "person" ? actor.keyId : null,
    project_id: entry.projectId === undefined ? scope.projectId : entry.projectId,
    target: entry.target ?? null,
    details: JSON.stringify(entry.details ?? {}),
    request_id: scope.requestId,
    ip: scope.ip,
    prev_hash: head.hash,
    hash: "",
  };
  row.hash = hashOfRow(row);
  const next = { organizationId: head.organizationId, seq: row.seq, hash: row.hash };
  await insertAuditRow(scope.db, row);
  await updateHead(scope.db, next);
  await scope.announce(scope, head.organizationId, entry);
  return next;
}

export function actorIdOf(actor: AnyScope["actor"]): string | null {
  if (actor.kind === "person") return actor.userId;
  return actor.kind === "directory" ? actor.directoryId : null;
}

/**
 * Each hash covers every column of its row and the hash before it; a changed, missing or moved row breaks the chain.
 */
export function hashOfRow(row: AuditRow): string {
  const covered = [
    row.prev_hash,
    row.organization_id,
    row.seq,
    row.at,
    row.action,
    row.actor_kind,
    row.actor_id,
    row.key_id,
    row.project_id,
    row.target,
    row.details,
    row.request_id,
    row.ip,
  ];
  return hash("sha256", JSON.stringify(covered), "hex");
}
