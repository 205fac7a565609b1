import type { Db } from "../store/db.ts";

const renewedAtOnce = 500;

/** A call whose place was taken over has another name than the place. */
export async function renewKeyLeases(db: Db, holders: readonly string[], until: string): Promise<void> {
  for (let from = 0; from < holders.length; from += renewedAtOnce) {
    const some = holders.slice(from, from + renewedAtOnce);
    const marks = Array.from({ length: renewedAtOnce }, (_, index) => `$${index + 2}`).join(", ");
    // Always as many marks, so that the text is the same each time.
    await db.query(
      `update idempotent_answers set lease_until = $1 where lease_until is not null and holder in (${marks})`,
      [until, ...some, ...Array<string>(renewedAtOnce - some.length).fill("")],
    );
  }
}

export async function endKeyLeases(db: Db): Promise<void> {
  await db.query("update idempotent_answers set lease_until = '' where lease_until is not null");
}
