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

const hasFactor = `(exists (select 1 from passkeys p where p.user_id = u.id) or
  exists (select 1 from code_generators g where g.user_id = u.id and g.confirmed_at is not null))`;

/** Restricts password sessions of people without a second factor to setting one up. */
export async function startEnrolling(db: Db, organizationId: string): Promise<void> {
  await db.query(
    `update sessions set enrolling = 1
      where ${byPassword} and revoked_at is null
        and user_id in (select u.id from users u where u.organization_id = $1 and not ${hasFactor})`,
    [organizationId],
  );
}

/** Ends password sessions of people who have a second factor. */
export async function endPasswordSessions(db: Db, organizationId: string, at: string): Promise<void> {
  await db.query(
    `update sessions set revoked_at = $2
      where ${byPassword} and revoked_at is null
        and user_id in (select u.id from users u where u.organization_id = $1 and ${hasFactor})`,
    [organizationId, at],
  );
}

export async function stopEnrolling(db: Db, organizationId: string): Promise<void> {
  await db.query(
    `update sessions set enrolling = 0
      where enrolling = 1 and user_id in (select id from users where organization_id = $1)`,
    [organizationId],
  );
}
