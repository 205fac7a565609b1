import type { User } from "../access/users.ts";
import type { Region } from "../kernel/regions.ts";
import type { Db } from "../store/db.ts";
import type { DataKeys } from "../vault/sealing/data-keys.ts";
import { copyPassword } from "./passwords/passwords.ts";
import { copyCodes } from "./second-factor/codes.ts";
import { afterPassword } from "./sign-in.ts";

/**
 * A person's second account, in another organization, opens with what they know and have. Never with less: a password that
 * asks for a code does so there, too, and one that needs a passkey, which belongs to one account, opens nothing there.
 */
export async function copyWayIn(
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
