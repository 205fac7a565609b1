import { type AuditHead, appendAudit, lockChain } from "../access/audit/audit.ts";
import { authenticate } from "../access/callers/authenticate.ts";
import { authorize } from "../access/callers/authorize.ts";
import { inOneTransaction } from "../access/one-transaction.ts";
import { isNarrowed, type Person, type Scope } from "../access/scope.ts";
import type { Admitted } from "./call.ts";
import { type AnswerPlace, fingerprintOf, keepAnswer, lookForEarlier, stillRunning } from "./idempotency.ts";

/**
 * One transaction holds the effect, its audit row and the answer kept for a repeat. Behind the lock the caller is looked at
 * once more: whoever was removed or demoted while the call waited has no say any longer.
 */
export async function change(admitted: Admitted, action: string): Promise<string> {
  const { operation, call, context, input, body } = admitted;
  const idempotencyKey = call.idempotencyKey();
  return changing(admitted, async (scope, head) => {
    const place = idempotencyKey === null ? null : placeOf(admitted, idempotencyKey);
    const fingerprint = place ? fingerprintOf(body) : "";
    if (place) {
      const earlier = await lookForEarlier(scope.db, context.seal, place, fingerprint, scope.now());
      if (earlier.kind === "answered") {
        call.seen.replayed = true;
        return earlier.body;
      }
      // A newer program, beside this one, may run outside of a transaction what this one runs inside.
      if (earlier.kind !== "none") throw stillRunning();
    }
    const output = await operation.run(scope, input, context.rooms);
    const entry = { action, ...operation.auditOf?.(input, output) };
    await appendAudit(scope, head, entry);
    const answer = JSON.stringify(output);
    if (place) {
      const holdsSecret = operation.answersSecret === true;
      await keepAnswer(scope.db, context.seal, place, { fingerprint, body: answer, holdsSecret, now: scope.now() });
    }
    return answer;
  });
}

/** The organization's lock, and the caller looked at again behind it. */
export function changing<T>(
  { operation, credentials, scope: outside, context }: Admitted,
  work: (scope: Scope, head: AuditHead) => Promise<T>,
): Promise<T> {
  return inOneTransaction(context.store, async ({ db, afterCommit, ifUndone }) => {
    const head = await lockChain(db, outside.actor.organizationId);
    const who = await authenticate(db, credentials, outside.projectId, outside.now(), {
      enrolling: operation.whileEnrolling,
    });
    authorize(who, operation.needs, outside.projectId);
    return work({ ...outside, db, actor: who.actor, afterCommit, ifUndone }, head);
  });
}

/**
 * A person's repeats are theirs with whichever key. A narrowed key has a place of its own: what its owner was told with all
 * their rights, a secret perhaps, is not repeated to it.
 */
export const placeOf = ({ scope: { actor, projectId }, call }: Admitted, idempotencyKey: string): AnswerPlace => ({
  userId: actor.userId,
  projectId: projectId ?? "",
  path: call.path,
  idempotencyKey: isNarrowed(actor) ? `${idempotencyKey}\n${narrowingOf(actor)}` : idempotencyKey,
});

/** The same for all keys that are narrowed alike, so that a repeat may come with the key that replaces another. */
const narrowingOf = ({ keyProjectIds, keyMaxRole }: Person): string =>
  `${keyMaxRole ?? ""} ${keyProjectIds === null ? "" : fingerprintOf([...keyProjectIds].sort())}`;
