import { moveTimesBack, type TimeBounds } from "../store/clock/move-times-back.ts";
import type { Db } from "../store/db.ts";

const renewedAtOnce = 500;

/** A slot that was taken over has another holder, so its former call renews nothing. */
export async function renewKeyLeases(db: Db, holders: readonly string[], until: string): Promise<void> {
  for (let from = 0; from < holders.length; from += renewedAtOnce) {
    const some = holders.slice(from, from + renewedAtOnce);
    const marks = Array.from({ length: renewedAtOnce }, (_, index) => `$${index + 2}`).join(", ");
    // The number of parameters is constant, so that the statement is prepared once.
    await db.query(
      `update idempotent_answers set lease_until = $1 where lease_until is not null and holder in (${marks})`,
      [until, ...some, ...Array<string>(renewedAtOnce - some.length).fill("")],
    );
  }
}

/** For a process that starts alone on the store: every call that holds a key has died. */
export async function endKeyLeases(db: Db): Promise<void> {
  await db.query("update idempotent_answers set lease_until = '' where lease_until is not null");
}

const slots = { table: "idempotent_answers", key: "user_id, project_id, path, idempotency_key" };

export const moveLeasesBack = (db: Db, bounds: TimeBounds): Promise<number> =>
  moveTimesBack(db, { ...slots, time: "lease_until" }, bounds);

export const moveCreationsBack = (db: Db, bounds: TimeBounds): Promise<number> =>
  moveTimesBack(db, { ...slots, time: "created_at" }, bounds);
