import type { Db } from "../../store/db.ts";
import { type Role, rankOf } from "../permissions.ts";
import { roleHeld } from "./effective-role.ts";
import { findRights } from "./still-allowed.store.ts";

/** Why a person may no longer do what they began. */
export type AccessLoss = "deactivated" | "not allowed";

/**
 * For work that continues after its call: checks whether the person who began it still has the role. Returns null if
 * so. It is one indexed query, because it runs before every step of every run.
 */
export async function findAccessLoss(
  db: Db,
  userId: string,
  projectId: string,
  needed: Role,
): Promise<AccessLoss | null> {
  const standing = await findRights(db, userId, projectId);
  if (!standing?.active) return "deactivated";
  const role = roleHeld(standing.organizationRole, standing.role);
  return rankOf(role) < rankOf(needed) ? "not allowed" : null;
}
