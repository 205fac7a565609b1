import { createHash } from "node:crypto";
import type { Attempt, StepCall } from "../../steps/ports.ts";
import type { Db, Store } from "../../store/db.ts";
import { findStep } from "../../systems/index.ts";
import { deleteIntent, deleteSettledBefore, hasOther, putIntents, settleIntent } from "./write-intents.store.ts";

/*
 * "A probe may take a record for its own only if nothing else could have made it." Some systems store no mark of ours,
 * so their probes search by name and time. For such writes, this table records which run asked for which name at which
 * account, across all runs of the region.
 *
 * Decision: intents are compared across organizations. Two of them may have connected the same account, and then a record may be
 * the other's; to take it for one's own would hand one tenant the other's record. What a tenant can notice is only that a person is
 * asked. The table stores a hash of the name and the id of a write. The comparison returns a yes or no from one indexed statement,
 * whichever tenant the other belongs to, so neither the sentence nor the time tells whose the other run is. A tenant without access to an account
 * cannot keep others from their records: the system refuses its write, and a refused write leaves no intent.
 */

/** More than clocks differ by, and more than a probe searches back. */
const recentMilliseconds = 15 * 60_000;
const keptMilliseconds = 24 * 3_600_000;

/** At the account's addresses. */
function subjectsOf({ step, connection }: Pick<StepCall, "step" | "connection">, names: Iterable<string>): string[] {
  const where = [step.system.id, ...Object.values(connection.addresses).toSorted()].join(" ");
  return [...new Set(names)].map((name) => createHash("sha256").update(`${where}\n${name}`).digest("base64url"));
}

export const ambiguousNamesOf = ({
  step,
  input,
  connection,
}: Pick<StepCall, "step" | "input" | "connection">): readonly string[] =>
  step.ambiguousNames?.(input, connection.identity) ?? [];

/** Runs in the transaction that records the intent, before the write is sent; null if there is nothing to record. */
export function intentOf(call: StepCall, now: Date): ((db: Db) => Promise<void>) | null {
  const { step, input, connection } = call;
  // The probes of other writes may find it, also if its own goes by a mark that only this write has.
  const names = [...ambiguousNamesOf(call), ...(step.writtenNames?.(input, connection.identity) ?? [])];
  if (names.length === 0) return null;
  const subjects = subjectsOf(call, names);
  return (db) => putIntents(db, subjects, call.context.intentId, now.toISOString());
}

/**
 * Whether a record that was found by its name may belong to another run. Asked after the record was found, because its
 * creator had recorded the intent before. `found` are further names of the record. Shortly after a restore, the intents of
 * runs since the backup are missing.
 */
export async function mayBelongToAnother(
  call: StepCall,
  found: readonly string[] | undefined,
  askedAt: Date,
  { store, restoredAt }: { store: Db; restoredAt?: string | null },
): Promise<boolean> {
  const names = [...ambiguousNamesOf(call), ...(found ?? [])];
  const since = new Date(askedAt.getTime() - recentMilliseconds).toISOString();
  if (names.length > 0 && restoredAt && restoredAt > since) return true;
  return hasOther(store, subjectsOf(call, names), call.context.intentId, since);
}

/** Runs in the transaction of the outcome. A write that surely did not happen has created nothing. */
export const settleIntents = (db: Db, intentId: string, status: string, at: Date | string): Promise<void> =>
  status === "failed"
    ? deleteIntent(db, intentId)
    : settleIntent(db, intentId, typeof at === "string" ? at : at.toISOString());

export function mayHaveIntents(stepId: string): boolean {
  const step = findStep(stepId);
  return step?.ambiguousNames !== undefined || step?.writtenNames !== undefined;
}

interface FinishedStep {
  runId: string;
  position: number;
  turn: number;
  stepId: string;
  status: string;
  finishedAt: string | null;
  attempts: readonly Attempt[];
}

/** The same for a finished step of a tool. */
export async function settleIntentsOf(db: Db, record: FinishedStep): Promise<void> {
  const { runId, position, turn, stepId, status, finishedAt, attempts } = record;
  if (finishedAt === null || !attempts.some(({ effect }) => effect !== "read") || !mayHaveIntents(stepId)) return;
  await settleIntents(db, `${runId}.${position}.${turn}`, status, finishedAt);
}

/** Of steps that end without having been carried out. */
export async function voidIntentsOf(
  db: Db,
  records: readonly Pick<FinishedStep, "runId" | "position" | "turn" | "stepId">[],
): Promise<void> {
  for (const { runId, position, turn, stepId } of records)
    if (mayHaveIntents(stepId)) await deleteIntent(db, `${runId}.${position}.${turn}`);
}

export const forgetOldIntents = (store: Store, now: Date): Promise<void> =>
  deleteSettledBefore(store, new Date(now.getTime() - keptMilliseconds).toISOString());
