import { changeSessionsOfAll } from "../../access/callers/sessions.ts";
import type { Db } from "../../store/db.ts";

/** Factors besides the password: passkeys and authenticator apps. */
export async function countFactors(db: Db, userId: string): Promise<{ passkeys: number; codes: number }> {
  const passkeys = await db.query("select id from passkeys where user_id = $1", [userId]);
  const codes = await db.query("select id from code_generators where user_id = $1 and confirmed_at is not null", [
    userId,
  ]);
  return { passkeys: passkeys.length, codes: codes.length };
}

// Sessions from an identity provider are excluded: the provider decides which factors it requires.
const byPassword = "method in ('password', 'sign_up')";

const hasFactor = `(exists (select 1 from passkeys p where p.user_id = sessions.user_id) or
  exists (select 1 from code_generators g where g.user_id = sessions.user_id and g.confirmed_at is not null))`;

/** Restricts password sessions of people without a second factor to setting one up. */
export const startEnrolling = (db: Db, organizationId: string): Promise<void> =>
  changeSessions(
    db,
    organizationId,
    () => "enrolling = 1",
    `${byPassword} and revoked_at is null and not ${hasFactor}`,
  );

/** Ends password sessions of people who have a second factor. */
export const endPasswordSessions = (db: Db, organizationId: string, at: string): Promise<void> =>
  changeSessions(
    db,
    organizationId,
    (given) => `revoked_at = ${given}`,
    `${byPassword} and revoked_at is null and ${hasFactor}`,
    at,
  );

export const stopEnrolling = (db: Db, organizationId: string): Promise<void> =>
  changeSessions(db, organizationId, () => "enrolling = 0", "enrolling = 1");

async function changeSessions(
  db: Db,
  organizationId: string,
  set: (given: string) => string,
  where: string,
  ...values: string[]
): Promise<void> {
  await changeSessionsOfAll(db, organizationId, async (ids, marks) => {
    const given = `$${ids.length + 1}`;
    const rows = await db.query(`update sessions set ${set(given)} where id in (${marks}) and ${where} returning id`, [
      ...ids,
      ...values,
    ]);
    return rows.length;
  });
}
