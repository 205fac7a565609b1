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
  takePlace,
} from "./idempotency.ts";

/**
 * An operation that waits for other systems, with no transaction open meanwhile. With an Idempotency-Key it takes the key's
 * place first and answers there last; what it began in between has its name there, so that a repeat neither begins it again
 * nor has to wait for it.
 */
export async function runOutside(admitted: Admitted): Promise<string> {
  const { operation, call } = admitted;
  const idempotencyKey = operation.audit === null ? null : call.idempotencyKey();
  if (idempotencyKey === null) return run(admitted, null);
  const place = placeOf(admitted, idempotencyKey);
  const earlier = await takeOrFind(admitted, place);
  if (earlier !== null) {
    call.seen.replayed = true;
    return earlier;
  }
  try {
    const answer = await run(admitted, place);
    await admitted.context.store.transaction((db) => keepAnswerAt(db, place, answer));
    return answer;
  } catch (error) {
    await admitted.context.store.transaction((db) => leavePlace(db, place)).catch(() => {});
    throw error;
  }
}

/** Null where the place was free, and is taken now. */
async function takeOrFind(admitted: Admitted, place: AnswerPlace): Promise<string | null> {
  const { operation, scope, context, body } = admitted;
  const fingerprint = fingerprintOf(body);
  const earlier = await changing(admitted, async ({ db, now }) => {
    const found = await lookForEarlier(db, context.seal, place, fingerprint, now());
    if (found.kind === "none") await takePlace(db, context.seal, place, { fingerprint, now: now() });
    return found;
  });
  if (earlier.kind === "none") return null;
  if (earlier.kind === "answered") return earlier.body;
  if (!operation.answerAgain) throw new Error(`${operation.path} names what it has begun and cannot answer from it.`);
  return JSON.stringify(await operation.answerAgain(scope, earlier.reference, context.rooms));
}

async function run(admitted: Admitted, place: AnswerPlace | null): Promise<string> {
  const { operation, input, context } = admitted;
  const scope: OutsideScope = {
    ...admitted.scope,
    change: (work) =>
      changing(admitted, async (inside, head) => {
        if (operation.audit === null) throw new Error("An operation that changes nothing commits nothing.");
        const { value, reference, ...entry } = await work(inside);
        await appendAudit(inside, head, { action: operation.audit, ...entry });
        if (place && reference !== undefined) await noteBegun(inside.db, place, reference);
        return value;
      }),
    begin: async (db, reference) => {
      if (place) await noteBegun(db, place, reference);
    },
  };
  const output = await operation.run(scope, input, context.rooms);
  mark("an answer to a call", admitted.call.seen);
  return writeJson(output);
}
