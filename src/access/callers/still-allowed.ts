import type { Db } from "../../store/db.ts";
import { type Role, rankOf } from "../permissions.ts";
import { roleHeld } from "./role-held.ts";
import { findRights } from "./still-allowed.store.ts";

/** Why somebody may not go on with what they began. */
export type NoLonger = "deactivated" | "not allowed";

/**
 * For what goes on after its call: may whoever began it still do it? Null where they may. One indexed statement, because it is
 * asked before every step of every run.
 */
export async function whyNoLonger(db: Db, userId: string, projectId: string, needed: Role): Promise<NoLonger | null> {
  const standing = await findRights(db, userId, projectId);
  if (!standing?.active) return "deactivated";
  const role = roleHeld(standing.organizationRole, standing.role);
  return rankOf(role) < rankOf(needed) ? "not allowed" : null;
}
