import { appendAudit } from "../access/audit.ts";
import { writeJson } from "../kernel/json.ts";
import { mark } from "../kernel/loop-watch.ts";
import type { Admitted } from "./call.ts";
import { changing, placeOf } from "./change.ts";
import type { OutsideScope } from "./define.ts";
import {
  type AnswerPlace,
  fingerprintOf,
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
  const lease = context.keyLeases.open();
  try {
    return await runHeld(admitted, { place: placeOf(admitted, idempotencyKey), holder: lease.holder });
  } finally {
    lease.release();
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
    await context.store.transaction((db) => leavePlace(db, place, holder)).catch(() => {});
    throw error;
  }
}

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
  const scope: OutsideScope = {
    ...admitted.scope,
    change: (work) =>
      changing(admitted, async (inside, head) => {
        if (operation.audit === null) throw new Error("An operation that changes nothing commits nothing.");
        if (held) await requirePlace(inside.db, held.place, held.holder);
        const { value, reference, ...entry } = await work(inside);
        await appendAudit(inside, head, { action: operation.audit, ...entry });
        if (held && reference !== undefined) await noteBegun(inside.db, held.place, held.holder, reference);
        return value;
      }),
    begin: async (db, reference) => {
      if (held) await noteBegun(db, held.place, held.holder, reference);
    },
  };
  const output = await operation.run(scope, input, context.rooms);
  mark("an answer to a call", admitted.call.seen);
  return writeJson(output);
}
