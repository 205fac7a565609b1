import type { Db } from "../store/db.ts";

/**
 * Deletes all credentials, so that none is valid if the directory restores the account. Links to identity providers
 * stay: the provider decides about those.
 */
export async function deleteCredentials(db: Db, userId: string): Promise<void> {
  await db.query("delete from challenges where user_id = $1", [userId]);
  await db.query("delete from recovery_codes where user_id = $1", [userId]);
  await db.query("delete from code_generators where user_id = $1", [userId]);
  await db.query("delete from passkeys where user_id = $1", [userId]);
  await db.query("delete from passwords where user_id = $1", [userId]);
}
