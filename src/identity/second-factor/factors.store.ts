import type { Db } from "../../store/db.ts";

/** Beside the password: passkeys, and an app for codes. */
export async function countFactors(db: Db, userId: string): Promise<{ passkeys: number; codes: number }> {
  const passkeys = await db.query("select id from passkeys where user_id = $1", [userId]);
  const codes = await db.query("select id from code_generators where user_id = $1 and confirmed_at is not null", [
    userId,
  ]);
  return { passkeys: passkeys.length, codes: codes.length };
}

// A session that came from an identity provider is that one's business: it asks for what it wants.
const byPassword = "method in ('password', 'sign_up')";

const hasFactor = `(exists (select 1 from passkeys p where p.user_id = u.id) or
  exists (select 1 from code_generators g where g.user_id = u.id and g.confirmed_at is not null))`;

/** Sessions that a password alone has opened, of people who have nothing else. */
export async function startEnrolling(db: Db, organizationId: string): Promise<void> {
  await db.query(
    `update sessions set enrolling = 1
      where ${byPassword} and revoked_at is null
        and user_id in (select u.id from users u where u.organization_id = $1 and not ${hasFactor})`,
    [organizationId],
  );
}

/** And those of people who could have come with more. */
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
