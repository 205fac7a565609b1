import { appendAudit } from "../access/audit/audit.ts";
import type { Scope } from "../access/scope.ts";
import { mark } from "../kernel/loop-watch.ts";
import { WrittenJson, writeJson } from "../kernel/strict-json.ts";
import { isLarge, writeInSlices } from "../kernel/write-in-slices.ts";
import type { Db } from "../store/db.ts";
import type { ExternalScope } from "./define-operation.ts";
import { type IdempotencySlot, releaseSlot, updateAnswer } from "./idempotency.store.ts";
import {
  claimSlot,
  findEarlier,
  fingerprintOfBody,
  keepAnswer,
  requireSlot,
  saveAnswer,
  saveReference,
  takeOverSlot,
} from "./idempotency.ts";
import type { Admitted } from "./received-call.ts";
import { changeUnderLock, idempotencySlot } from "./run-change.ts";

/** The slot of an Idempotency-Key, and the call that holds it. */
interface HeldSlot {
  slot: IdempotencySlot;
  holder: string;
}

/**
 * Runs an operation that waits for other systems, with no transaction open meanwhile. With an Idempotency-Key the call claims
 * the key's slot first, names there what it begins, or keeps the answer with the change, and keeps its answer there last. A
 * repeat therefore neither begins it again nor waits for it. A lease holds the slot: after a crash the next call with the
 * key takes it over.
 */
export async function runExternal(admitted: Admitted): Promise<string> {
  const { operation, call, context } = admitted;
  const idempotencyKey = operation.audit === null ? null : call.idempotencyKey();
  if (idempotencyKey === null) return await run(admitted, null);
  if (operation.changesOnce) return runOnce(admitted, idempotencySlot(admitted, idempotencyKey));
  const lease = context.keyLeases.open();
  try {
    return await runHeld(admitted, { slot: idempotencySlot(admitted, idempotencyKey), holder: lease.holder });
  } finally {
    lease.release();
  }
}

/** Another call with the same key finished while this one prepared its change. */
class AnsweredMeanwhile extends Error {
  readonly body: string;

  constructor(body: string) {
    super("Another call with this Idempotency-Key has ended.");
    this.body = body;
  }
}

/**
 * An operation that changes the store once needs no lease: its one transaction keeps the answer, too. A call that dies has
 * either kept its answer or left nothing, so no repeat ever waits for it.
 */
async function runOnce(admitted: Admitted, slot: IdempotencySlot): Promise<string> {
  const { operation, call, context, input, body } = admitted;
  const fingerprint = await fingerprintOfBody(body);
  const refuseAnswered = async ({ db }: Scope): Promise<void> => {
    const found = await findEarlier(db, context.seal, slot, fingerprint, context.expiryNow());
    if (found.kind === "answered") throw new AnsweredMeanwhile(found.body);
  };
  try {
    await changeUnderLock(admitted, refuseAnswered);
    const output = await operation.run(
      externalScope(admitted, async (inside, changed) => {
        await refuseAnswered(inside);
        const value = await changed(inside);
        const answer = { fingerprint, body: JSON.stringify(value), holdsSecret: false, now: inside.now() };
        await keepAnswer(inside.db, context.seal, slot, answer);
        return value;
      }),
      input,
      context.rooms,
    );
    return writeJson(output);
  } catch (error) {
    if (!(error instanceof AnsweredMeanwhile)) throw error;
    call.seen.replayed = true;
    return error.body;
  }
}

async function runHeld(admitted: Admitted, held: HeldSlot): Promise<string> {
  const { call, context } = admitted;
  const { slot, holder } = held;
  const earlier = await claimOrFind(admitted, held);
  if (earlier !== null) {
    call.seen.replayed = true;
    return earlier;
  }
  try {
    const answer = await run(admitted, held);
    // A call that has lost the slot leaves it to the new holder.
    await context.store.transaction((db) => updateAnswer(db, slot, holder, { body: answer, kind: "plain" }));
    return answer;
  } catch (error) {
    await context.store.transaction((db) => releaseSlot(db, slot, holder)).catch(logUnreleased(admitted));
    throw error;
  }
}

/** The caller gets the problem of the call itself; the key stays taken until its lease expires. */
const logUnreleased =
  ({ operation, call, context }: Admitted) =>
  (error: unknown): void =>
    context.log.warn(
      { err: error, operation: operation.path, request_id: call.requestId },
      "an idempotency key could not be released, its lease will expire",
    );

/** Returns the earlier answer, or null once this call has claimed the slot. */
async function claimOrFind(admitted: Admitted, { slot, holder }: HeldSlot): Promise<string | null> {
  const { operation, scope, context, body } = admitted;
  const fingerprint = await fingerprintOfBody(body);
  const earlier = await changeUnderLock(admitted, async ({ db, now }) => {
    const found = await findEarlier(db, context.seal, slot, fingerprint, context.expiryNow());
    if (found.kind === "answered" || found.kind === "begun") return found;
    const lease = await context.keyLeases.times(db);
    const wish = { fingerprint, holder, leaseNow: lease.now, leaseUntil: lease.until, now: now() };
    if (found.kind === "running") await takeOverSlot(db, slot, found, wish);
    else await claimSlot(db, context.seal, slot, wish);
    return null;
  });
  if (earlier === null) return null;
  if (earlier.kind === "answered") return earlier.body;
  if (!operation.answerAgain) throw new Error(`${operation.path} names what it has begun and cannot respond from it.`);
  return JSON.stringify(await operation.answerAgain(scope, earlier.reference, context.rooms));
}

async function run(admitted: Admitted, held: HeldSlot | null): Promise<string> {
  const { operation, input, context } = admitted;
  const scope = externalScope(admitted, async (inside, changed) => {
    if (held) await requireSlot(inside.db, held.slot, held.holder);
    const value = await changed(inside, async (reference) => {
      if (held) await saveReference(inside.db, held.slot, held.holder, reference);
    });
    if (held && operation.answersWithChange) {
      await saveAnswer(inside.db, held.slot, held.holder, JSON.stringify(value));
    }
    return value;
  });
  const begin = async (db: Db, reference: string): Promise<void> => {
    if (held) await saveReference(db, held.slot, held.holder, reference);
  };
  const named: ExternalScope = { ...scope, begin, hasIdempotencyKey: held !== null };
  const output = await operation.run(named, input, context.rooms);
  mark("the response to a call", admitted.call.seen);
  return output instanceof WrittenJson || !isLarge(output) ? writeJson(output) : writeInSlices(output);
}

/** Does the work of one change with its audit row, and reports what it began. */
type ChangeWork<T> = (inside: Scope, begun?: (reference: string) => Promise<void>) => Promise<T>;

/** `around` runs in the transaction of each change, and decides whether its work is done. */
function externalScope(
  admitted: Admitted,
  around: <T>(inside: Scope, work: ChangeWork<T>) => Promise<T>,
): ExternalScope {
  const { operation } = admitted;
  const changing =
    (check: "check again" | "as checked"): ExternalScope["change"] =>
    (work) =>
      changeUnderLock(
        admitted,
        (inside, head) => {
          const { audit } = operation;
          if (audit === null) throw new Error("An operation that changes nothing commits nothing.");
          return around(inside, async (scope, begun) => {
            const { value, reference, ...entry } = await work(scope);
            await appendAudit(scope, head, { action: audit, ...entry });
            if (reference !== undefined) await begun?.(reference);
            return value;
          });
        },
        check,
      );
  return {
    ...admitted.scope,
    change: changing("check again"),
    record: changing("as checked"),
    hasIdempotencyKey: true,
    begin: async () => {},
  };
}
