import { StoreUnavailable } from "../store/db.ts";
import { updateProblemWhileDue } from "./due-schedules.store.ts";
import type { PrepareParts } from "./prepare-starts.ts";

const problem = {
  code: "internal",
  detail:
    "An unexpected error prevented the start. It is tried again every few seconds. The operator finds the cause in the log, under the id of the schedule.",
};

/** Tells the operator the cause, and the owner that there is one. The schedule stays due. */
export async function reportFailure(
  id: string,
  error: unknown,
  { store, now, log }: Pick<PrepareParts, "store" | "now" | "log">,
): Promise<void> {
  log.warn({ schedule_id: id, err: error }, "a schedule could not be started, will be tried again");
  // No fault of the schedule.
  if (error instanceof StoreUnavailable) return;
  const failed = { id, now: now().toISOString(), problem };
  await store
    .transaction((db) => updateProblemWhileDue(db, failed))
    .catch((cause: unknown) =>
      log.warn({ schedule_id: id, err: cause }, "a schedule could not be marked as not started"),
    );
}
