import { createHash } from "node:crypto";
import type { Attempt, StepCall } from "../../steps/ports.ts";
import type { Db, Store } from "../../store/db.ts";
import { findStep } from "../../systems/index.ts";
import { deleteIntent, deleteSettledBefore, hasOther, putIntent, settleIntent } from "./write-intents.store.ts";

/*
 * "A probe may take a record for its own only if nothing else could have made it." Some systems carry no mark of ours, and a look goes by
 * name and time. For such writes it is kept who asked for which name, at the same account, in any run of the region.
 */

/** Beyond what clocks differ by, and longer than a look goes back. */
const recentMilliseconds = 15 * 60_000;
const keptMilliseconds = 24 * 3_600_000;

/** Null where the step's look goes by something that is the write's own. */
function subjectsOf({ step, input, connection }: Pick<StepCall, "step" | "input" | "connection">): string[] | null {
  const names = step.mistakable?.(input) ?? [];
  if (names.length === 0) return null;
  const where = [step.system.id, ...Object.values(connection.addresses).toSorted()].join(" ");
  return names.map((name) => createHash("sha256").update(`${where}\n${name}`).digest("base64url"));
}

/** In the transaction that notes the write, before it leaves; null where there is nothing to keep. */
export function intentOf(call: StepCall, now: Date): ((db: Db) => Promise<void>) | null {
  const subjects = subjectsOf(call);
  if (!subjects) return null;
  return async (db) => {
    for (const subject of subjects) await putIntent(db, subject, call.context.intentId, now.toISOString());
  };
}

/** Whether a record of this name may be another run's. Asked after it was found: whoever made it had noted it before. */
export async function mayBeAnothers(call: StepCall, askedAt: Date, db: Db): Promise<boolean> {
  const since = new Date(askedAt.getTime() - recentMilliseconds).toISOString();
  for (const subject of subjectsOf(call) ?? []) {
    if (await hasOther(db, subject, call.context.intentId, since)) return true;
  }
  return false;
}

/** With the outcome, in its transaction. What surely has not happened has made nothing. */
export const settleIntents = (db: Db, intentId: string, status: string, at: Date | string): Promise<void> =>
  status === "failed"
    ? deleteIntent(db, intentId)
    : settleIntent(db, intentId, typeof at === "string" ? at : at.toISOString());

export const mayHaveIntents = (stepId: string): boolean => findStep(stepId)?.mistakable !== undefined;

interface FinishedStep {
  runId: string;
  position: number;
  turn: number;
  stepId: string;
  status: string;
  finishedAt: string | null;
  attempts: readonly Attempt[];
}

/** The same for a step of a tool, once it is finished. */
export async function settleIntentsOf(db: Db, record: FinishedStep): Promise<void> {
  const { runId, position, turn, stepId, status, finishedAt, attempts } = record;
  if (finishedAt === null || !attempts.some(({ effect }) => effect === "create") || !mayHaveIntents(stepId)) return;
  await settleIntents(db, `${runId}.${position}.${turn}`, status, finishedAt);
}

export const forgetOldIntents = (store: Store, now: Date): Promise<void> =>
  store.transaction((db) => deleteSettledBefore(db, new Date(now.getTime() - keptMilliseconds).toISOString()));
