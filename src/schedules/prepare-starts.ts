import type { Log } from "../kernel/log.ts";
import { mark } from "../kernel/loop-watch.ts";
import { Problem, shortErrors } from "../kernel/problem.ts";
import { type RunStart, storeLargeParams } from "../runs/queue/start-run.ts";
import { type Store, StoreUnavailable } from "../store/db.ts";
import { readParams } from "../tools/params.ts";
import { definitionFor, requireTool } from "../tools/tools.ts";
import type { Compute } from "../untrusted/compute.ts";
import { timesToStart } from "./cron-times.ts";
import { type DueSchedule, readSchedule, type Schedule } from "./schedules.store.ts";

export interface PrepareParts {
  store: Store;
  compute: Compute;
  now: () => Date;
  log: Log;
}

/** What a schedule would start, prepared before the transaction: checking params may wait for another process. */
export type PreparedStart =
  | { work: RunStart["work"]; params: unknown }
  | { problem: NonNullable<Schedule["lastProblem"]> };

/** An error that is no answer to the schedule's owner, such as a time zone that this process does not know. */
interface Failure {
  error: unknown;
}

/** Checks that began in an earlier poll, by schedule. They never reject. */
export type Pending = Map<string, { updatedAt: string; ready: Promise<PreparedStart | Failure> }>;

/** By schedule. Those that take long are in neither. */
export interface PreparedStarts {
  ready: Map<string, PreparedStart>;
  failures: Map<string, unknown>;
}

const prepareMilliseconds = 1_000;

/**
 * Prepares the schedules that can be started now. One whose params take long to check is left for a later poll, and one
 * that fails is reported: neither delays another.
 */
export async function prepareStarts(
  ids: readonly string[],
  parts: PrepareParts,
  pending: Pending,
): Promise<PreparedStarts> {
  const prepared: PreparedStarts = { ready: new Map(), failures: new Map() };
  const due = await readDue(ids, parts.store, prepared.failures);
  let isOver = false;
  const preparing = due.map(async (schedule) => {
    const { id, updatedAt } = schedule;
    const earlier = pending.get(id);
    const found = earlier?.updatedAt === updatedAt ? earlier.ready : prepare(schedule, parts);
    pending.set(id, { updatedAt, ready: found });
    const each = await found;
    // It stays pending. The next poll finds it at once, even if it has failed: it is not taken for a slow one again.
    if (isOver) return;
    pending.delete(id);
    if ("error" in each) prepared.failures.set(id, each.error);
    else prepared.ready.set(id, each);
  });
  let timer: NodeJS.Timeout | undefined;
  const patience = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, prepareMilliseconds);
  });
  await Promise.race([Promise.all(preparing), patience]).finally(() => {
    isOver = true;
    clearTimeout(timer);
  });
  return prepared;
}

/** One at a time, and large params in slices: those of twenty schedules may have 80 MB. */
async function readDue(
  ids: readonly string[],
  store: Store,
  failures: PreparedStarts["failures"],
): Promise<Schedule[]> {
  const schedules: Schedule[] = [];
  for (const id of ids) {
    try {
      const schedule = await readSchedule(store, id);
      if (schedule) schedules.push(schedule);
    } catch (error) {
      if (error instanceof StoreUnavailable) throw error;
      // The caller logs it.
      failures.set(id, error);
    }
  }
  return schedules;
}

/** For the watch of the event loop. */
export const markSchedule = ({ organizationId, projectId }: DueSchedule): void =>
  mark("a schedule", { operation: "schedule", organizationId, projectId });

/** Uses the tool as it is now. If the tool no longer accepts the params, the schedule says so. */
async function prepare(schedule: Schedule, { store, compute, now }: PrepareParts): Promise<PreparedStart | Failure> {
  const { projectId, organizationId } = schedule;
  try {
    markSchedule(schedule);
    const tool = await requireTool(store, projectId, schedule.toolId);
    markSchedule(schedule);
    const { definition, version } = await definitionFor(store, tool);
    markSchedule(schedule);
    const read = await readParams(definition, schedule.params, { compute, organizationId });
    markSchedule(schedule);
    if ("params" in read) {
      await storeLargeParams(store, read.params, now(), dueTimes(schedule, now()).length);
      return { work: { kind: "tool", id: tool.id, version, definition }, params: read.params };
    }
    const said = shortErrors(read.errors).map((wrong) => `#/params${wrong.pointer}: ${wrong.detail}`);
    return { problem: { code: "invalid_params", detail: said.join(" ") } };
  } catch (error) {
    // The caller logs a failure, if the process still runs then.
    return error instanceof Problem ? { problem: { code: error.code, detail: error.message } } : { error };
  }
}

export const dueTimes = (schedule: DueSchedule, now: Date): Date[] =>
  timesToStart(schedule, schedule.misfire, new Date(schedule.nextAt ?? now), now);
