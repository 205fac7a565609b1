import { appendAudit } from "../access/audit/audit.ts";
import type { Scope } from "../access/scope.ts";
import { WrittenJson, writeJson } from "../kernel/json.ts";
import { mark } from "../kernel/loop-watch.ts";
import { isLarge, writeInSlices } from "../kernel/write-in-slices.ts";
import type { Db } from "../store/db.ts";
import type { Admitted } from "./call.ts";
import { changing, placeOf } from "./change.ts";
import type { OutsideScope } from "./define.ts";
import {
  type AnswerPlace,
  fingerprintOf,
  keepAnswer,
  keepAnswerAt,
  leavePlace,
  lookForEarlier,
  noteBegun,
  requirePlace,
  takeOver,
  takePlace,
} from "./idempotency.ts";

/** The place of an Idempotency-Key, in the hands of one call. */
interface Held {
  place: AnswerPlace;
  holder: string;
}

/**
 * An operation that waits for other systems, with no transaction open meanwhile. With an Idempotency-Key it takes the key's
 * place first and answers there last; what it began in between has its name there, so that a repeat neither begins it again
 * nor has to wait for it. A call that dies leaves its place to the next that asks: until then it is held by a lease.
 */
export async function runOutside(admitted: Admitted): Promise<string> {
  const { operation, call, context } = admitted;
  const idempotencyKey = operation.audit === null ? null : call.idempotencyKey();
  if (idempotencyKey === null) return run(admitted, null);
  if (operation.changesOnce) return runOnce(admitted, placeOf(admitted, idempotencyKey));
  const lease = context.keyLeases.open();
  try {
    return await runHeld(admitted, { place: placeOf(admitted, idempotencyKey), holder: lease.holder });
  } finally {
    lease.release();
  }
}

/** Another call with the same key has answered while this one prepared its change. */
class AnsweredMeanwhile extends Error {
  readonly body: string;

  constructor(body: string) {
    super("Another call with this Idempotency-Key has answered.");
    this.body = body;
  }
}

/**
 * What changes the store once, and only prepares that beforehand, needs no place: its one transaction keeps the answer, too. A
 * call that dies has either answered or left nothing, so nobody ever waits for it.
 */
async function runOnce(admitted: Admitted, place: AnswerPlace): Promise<string> {
  const { operation, call, context, input, body } = admitted;
  const fingerprint = fingerprintOf(body);
  const refuseAnswered = async ({ db, now }: Scope): Promise<void> => {
    const found = await lookForEarlier(db, context.seal, place, fingerprint, now());
    if (found.kind === "answered") throw new AnsweredMeanwhile(found.body);
  };
  try {
    await changing(admitted, refuseAnswered);
    const output = await operation.run(
      outsideScope(admitted, async (inside, changed) => {
        await refuseAnswered(inside);
        const value = await changed(inside);
        const answer = { fingerprint, body: JSON.stringify(value), holdsSecret: false, now: inside.now() };
        await keepAnswer(inside.db, context.seal, place, answer);
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

async function runHeld(admitted: Admitted, held: Held): Promise<string> {
  const { call, context } = admitted;
  const { place, holder } = held;
  const earlier = await takeOrFind(admitted, held);
  if (earlier !== null) {
    call.seen.replayed = true;
    return earlier;
  }
  try {
    const answer = await run(admitted, held);
    await context.store.transaction((db) => keepAnswerAt(db, place, holder, answer));
    return answer;
  } catch (error) {
    await context.store.transaction((db) => leavePlace(db, place, holder)).catch(logUnreleased(admitted));
    throw error;
  }
}

/** The call failed already, and that is what its caller is told: the key stays taken until its lease expires. */
const logUnreleased =
  ({ operation, call, context }: Admitted) =>
  (error: unknown): void =>
    context.log.warn(
      { err: error, operation: operation.path, request_id: call.requestId },
      "an idempotency key could not be released, its lease will expire",
    );

/** Null where the place was free, and is taken now. */
async function takeOrFind(admitted: Admitted, { place, holder }: Held): Promise<string | null> {
  const { operation, scope, context, body } = admitted;
  const fingerprint = fingerprintOf(body);
  const earlier = await changing(admitted, async ({ db, now }) => {
    const found = await lookForEarlier(db, context.seal, place, fingerprint, now());
    if (found.kind === "answered" || found.kind === "begun") return found;
    const lease = await context.keyLeases.times(db);
    const wish = { fingerprint, holder, leaseNow: lease.now, leaseUntil: lease.until, now: now() };
    if (found.kind === "running") await takeOver(db, place, found, wish);
    else await takePlace(db, context.seal, place, wish);
    return null;
  });
  if (earlier === null) return null;
  if (earlier.kind === "answered") return earlier.body;
  if (!operation.answerAgain) throw new Error(`${operation.path} names what it has begun and cannot answer from it.`);
  return JSON.stringify(await operation.answerAgain(scope, earlier.reference, context.rooms));
}

async function run(admitted: Admitted, held: Held | null): Promise<string> {
  const { operation, input, context } = admitted;
  const scope = outsideScope(admitted, async (inside, changed) => {
    if (held) await requirePlace(inside.db, held.place, held.holder);
    return changed(inside, async (reference) => {
      if (held) await noteBegun(inside.db, held.place, held.holder, reference);
    });
  });
  const begin = async (db: Db, reference: string): Promise<void> => {
    if (held) await noteBegun(db, held.place, held.holder, reference);
  };
  const named: OutsideScope = { ...scope, begin };
  const output = await operation.run(named, input, context.rooms);
  mark("an answer to a call", admitted.call.seen);
  return output instanceof WrittenJson || !isLarge(output) ? writeJson(output) : writeInSlices(output);
}

/** Does the work of one change with its audit row, and says what it has begun. */
type ChangeWork<T> = (inside: Scope, begun?: (reference: string) => Promise<void>) => Promise<T>;

/** `around` runs in the transaction of each change, and does its work where that is allowed. */
function outsideScope(admitted: Admitted, around: <T>(inside: Scope, work: ChangeWork<T>) => Promise<T>): OutsideScope {
  const { operation } = admitted;
  return {
    ...admitted.scope,
    change: (work) =>
      changing(admitted, (inside, head) => {
        const { audit } = operation;
        if (audit === null) throw new Error("An operation that changes nothing commits nothing.");
        return around(inside, async (scope, begun) => {
          const { value, reference, ...entry } = await work(scope);
          await appendAudit(scope, head, { action: audit, ...entry });
          if (reference !== undefined) await begun?.(reference);
          return value;
        });
      }),
    begin: async () => {},
  };
}
