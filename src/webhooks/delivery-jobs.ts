/*
 * Changes of all deliveries of a webhook, of which there may be very many. The first ones are changed in the transaction of the
 * change itself. The rest is a job in the store, which continues in batches, also after a crash.
 */

import type { Log } from "../kernel/log.ts";
import { turnAlone } from "../kernel/work-in-slices.ts";
import type { Db, Store } from "../store/db.ts";
import { deleteSome, failSome, readFailedPart, requeuePart } from "./deliveries.store.ts";
import {
  advanceJob,
  type DeliveryJob,
  deleteJob,
  findNextJob,
  lockJob,
  lockStatus,
  saveJob,
} from "./delivery-jobs.store.ts";
import type { Owner } from "./dispatcher-capacity.ts";

/** 500 rows take SQLite a few milliseconds of the event loop. */
const batchRows = 500;

const jobOf = ({ organizationId, webhookId }: Owner) => ({
  organizationId,
  webhookId,
  since: "",
  doneTo: "",
  problem: null,
});

/** For a webhook that was deleted: nothing more is sent to it, whether its deliveries are deleted yet or not. */
export async function deleteDeliveriesOf(db: Db, owner: Owner): Promise<void> {
  if (await deleteBatch(db, owner.webhookId)) return;
  await saveJob(db, { ...jobOf(owner), kind: "delete" });
}

/** For a webhook that was disabled: nothing more is sent to it, whether its deliveries have failed yet or not. */
export async function failPending(db: Db, owner: Owner, problem: string): Promise<void> {
  if (await failBatch(db, owner.webhookId, problem)) return;
  await saveJob(db, { ...jobOf(owner), kind: "fail", problem });
}

/** Returns how many it has queued; if that is not all, the rest follows. */
export async function requeueFailed(
  db: Db,
  owner: Owner,
  wanted: { since: string; after: string },
  now: string,
): Promise<{ queued: number; isAll: boolean }> {
  const { queued, doneTo } = await requeueBatch(db, owner.webhookId, wanted, now);
  if (doneTo !== null) await saveJob(db, { ...jobOf(owner), kind: "replay", since: wanted.since, doneTo });
  return { queued, isAll: doneTo === null };
}

const deleteBatch = async (db: Db, webhookId: string): Promise<boolean> =>
  (await deleteSome(db, webhookId, batchRows)) < batchRows;

const failBatch = async (db: Db, webhookId: string, problem: string): Promise<boolean> =>
  (await failSome(db, webhookId, problem, batchRows)) < batchRows;

/** `doneTo` is null at the end. Each delivery is looked at once, so one that fails again meanwhile is not queued again. */
async function requeueBatch(
  db: Db,
  webhookId: string,
  { since, after }: { since: string; after: string },
  now: string,
): Promise<{ queued: number; doneTo: string | null }> {
  const { size, last } = await readFailedPart(db, webhookId, since, after, batchRows);
  const queued = size === 0 ? 0 : await requeuePart(db, webhookId, now, { since, after, last });
  return { queued, doneTo: size < batchRows ? null : last };
}

export interface DeliveryJobs {
  /** There may be jobs. */
  wake(): void;
  /** Resolves when the batch that is under way has ended. */
  stop(): Promise<void>;
}

export interface DeliveryJobParts {
  store: Store;
  log: Pick<Log, "error">;
  now: () => Date;
  /** Deliveries are due again. */
  onQueued(): void;
}

/** Organizations take turns, so that nobody waits for all deliveries of somebody else. */
export function createDeliveryJobs({ store, log, now, onQueued }: DeliveryJobParts): DeliveryJobs {
  let lastOrganization = "";
  let running: Promise<void> | null = null;
  let stopped = false;

  async function workOff(): Promise<void> {
    for (;;) {
      const job = (await findNextJob(store, lastOrganization)) ?? (await findNextJob(store, ""));
      if (job === null || stopped) return;
      lastOrganization = job.organizationId;
      await store.transaction((db) => doBatch(db, job, now().toISOString()));
      if (job.kind === "replay") onQueued();
      await turnAlone();
    }
  }

  return {
    wake() {
      if (stopped) return;
      running ??= workOff()
        // Others come first then.
        .catch((error) => log.error({ err: error }, "deliveries could not be changed, will be tried again"))
        .finally(() => {
          running = null;
        });
    },
    async stop() {
      stopped = true;
      await running;
    },
  };
}

/** The webhook is locked before the job, as in the changes that begin a job. */
async function doBatch(db: Db, found: DeliveryJob, now: string): Promise<void> {
  const status = await lockStatus(db, found.webhookId);
  const job = await lockJob(db, found);
  if (job === null) return;
  const { webhookId, since, doneTo: after } = job;
  if (job.kind === "delete") {
    if (await deleteBatch(db, webhookId)) await deleteJob(db, job);
  } else if (job.kind === "fail") {
    // If a person has enabled the webhook meanwhile, the rest is sent.
    const isDone = status !== "disabled" || (await failBatch(db, webhookId, job.problem ?? ""));
    if (isDone) await deleteJob(db, job);
  } else {
    const { doneTo } =
      status === "enabled" ? await requeueBatch(db, webhookId, { since, after }, now) : { doneTo: null };
    if (doneTo === null) await deleteJob(db, job);
    else await advanceJob(db, job, doneTo);
  }
}
