import { type AuditHead, appendAudit, lockChain } from "../access/audit/audit.ts";
import { authenticate } from "../access/callers/authenticate.ts";
import { authorize } from "../access/callers/authorize.ts";
import { inOneTransaction } from "../access/one-transaction.ts";
import { type AuditNotes, isRestricted, type Person, type Scope } from "../access/scope.ts";
import {
  findEarlier,
  fingerprintOf,
  fingerprintOfBody,
  type IdempotencySlot,
  keepAnswer,
  stillRunning,
} from "./idempotency.ts";
import type { Admitted } from "./received-call.ts";

/**
 * One transaction holds the effect, its audit row and the answer kept for a repeat. Under the organization's lock the caller is
 * checked again: an account that was removed or demoted while the call waited changes nothing.
 */
export async function change(admitted: Admitted, action: string): Promise<string> {
  const { operation, call, context, input, body } = admitted;
  const idempotencyKey = call.idempotencyKey();
  const fingerprint = idempotencyKey === null ? "" : await fingerprintOfBody(body);
  return changeUnderLock(admitted, async (scope, head) => {
    const slot = idempotencyKey === null ? null : idempotencySlot(admitted, idempotencyKey);
    if (slot) {
      const earlier = await findEarlier(scope.db, context.seal, slot, fingerprint, context.expiryNow());
      if (earlier.kind === "answered") {
        call.seen.replayed = true;
        return operation.answersCode ? withCode(earlier.body, context.rooms.inviteCodes.shown) : earlier.body;
      }
      // A newer release on another node may run outside of a transaction what this one runs inside.
      if (earlier.kind !== "none") throw stillRunning();
    }
    const notes: AuditNotes = { details: {}, rows: [] };
    scope.auditNotes = notes;
    const output = await operation.run(scope, input, context.rooms);
    let last = head;
    for (const entry of notes.rows) last = await appendAudit(scope, last, entry);
    const entry = operation.auditOf?.(input, output);
    await appendAudit(scope, last, {
      action,
      ...entry,
      ...(notes.target !== undefined && { target: notes.target }),
      details: { ...entry?.details, ...notes.details },
    });
    const answer = JSON.stringify(output);
    if (slot) {
      const holdsSecret = operation.answersSecret === true;
      const body = operation.answersCode ? withCode(answer, (code) => notes.target ?? code) : answer;
      await keepAnswer(scope.db, context.seal, slot, { fingerprint, body, holdsSecret, now: scope.now() });
    }
    return answer;
  });
}

/** The same answer with another text in place of its code. */
const withCode = (answer: string, replace: (code: string) => string): string => {
  const { invite_code: code, ...others } = JSON.parse(answer) as { invite_code: string };
  return JSON.stringify({ invite_code: replace(code), ...others });
};

/**
 * Runs `work` in a transaction that holds the organization's lock, after checking the caller again. What has happened already
 * is stored as the caller was checked before.
 */
export function changeUnderLock<T>(
  { operation, credentials, scope: base, context }: Admitted,
  work: (scope: Scope, head: AuditHead) => Promise<T>,
  check: "check again" | "as checked" = "check again",
): Promise<T> {
  return inOneTransaction(context.store, async ({ db, afterCommit, onRollback }) => {
    const head = await lockChain(db, base.actor.organizationId);
    if (check === "as checked") return work({ ...base, db, afterCommit, onRollback }, head);
    const who = await authenticate(db, credentials, base.projectId, base.now(), {
      enrolling: operation.whileEnrolling,
    });
    authorize(who, operation.needs, base.projectId);
    return work({ ...base, db, actor: who.actor, afterCommit, onRollback }, head);
  });
}

/**
 * All unrestricted keys of a person share a slot. A restricted key has its own: an answer to its owner, who has more rights, may
 * hold a secret and is not repeated to the key.
 */
export const idempotencySlot = (
  { scope: { actor, projectId }, call }: Admitted,
  idempotencyKey: string,
): IdempotencySlot => ({
  userId: actor.userId,
  projectId: projectId ?? "",
  path: call.path,
  idempotencyKey: isRestricted(actor) ? `${idempotencyKey}\n${restrictionsOf(actor)}` : idempotencyKey,
});

/** Keys with the same restrictions share a slot, so that a repeat may use the key that replaced another. */
const restrictionsOf = ({ keyProjectIds, keyMaxRole }: Person): string =>
  `${keyMaxRole ?? ""} ${keyProjectIds === null ? "" : fingerprintOf([...keyProjectIds].sort())}`;
