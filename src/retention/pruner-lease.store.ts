import { moveTimesBack, type TimeBounds } from "../store/clock/move-times-back.ts";
import type { Db } from "../store/db.ts";

/** Returns false while another node has it. */
export async function takeLease(db: Db, name: string, holder: string, now: string, until: string): Promise<boolean> {
  const rows = await db.query(
    `insert into background_leases (name, holder, lease_until) values ($1, $2, $4)
     on conflict (name) do update set holder = excluded.holder, lease_until = excluded.lease_until
      where background_leases.holder = $2 or background_leases.lease_until < $3
     returning name`,
    [name, holder, now, until],
  );
  return rows.length > 0;
}

/** Renews it, and locks its row until the transaction ends. Returns false if another node has taken it. */
export async function renewLease(db: Db, name: string, holder: string, until: string): Promise<boolean> {
  const rows = await db.query(
    "update background_leases set lease_until = $3 where name = $1 and holder = $2 returning name",
    [name, holder, until],
  );
  return rows.length > 0;
}

export async function deleteLease(db: Db, name: string, holder: string): Promise<void> {
  await db.query("delete from background_leases where name = $1 and holder = $2", [name, holder]);
}

export const moveLeaseTimesBack = (db: Db, bounds: TimeBounds): Promise<number> =>
  moveTimesBack(db, { table: "background_leases", key: "name", time: "lease_until" }, bounds);
