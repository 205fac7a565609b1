import type { User } from "../access/users.ts";
import type { Region } from "../kernel/regions.ts";
import type { Db } from "../store/db.ts";
import type { DataKeys } from "../vault/sealing/data-keys.ts";
import { afterPassword } from "./compare-password.ts";
import { copyPassword } from "./passwords/passwords.ts";
import { copyCodes } from "./second-factor/one-time-codes.ts";

export { deleteCredentials } from "./credentials.store.ts";

/**
 * Copies password and codes to a person's second account in another organization, which never requires less. A password
 * that needs a code needs it there too. A passkey belongs to one account, so a password that needs a passkey is not
 * copied.
 */
export async function copyCredentials(
  scope: { db: Db; region: Region },
  from: User,
  to: User,
  keys: DataKeys,
): Promise<void> {
  const missing = await afterPassword(scope.db, from);
  if (missing === "passkey") return;
  if (missing === "code") await copyCodes(scope, from, to, keys);
  await copyPassword(scope.db, from.id, to.id);
}
