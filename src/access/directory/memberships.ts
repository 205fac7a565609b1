import type { Db } from "../../store/db.ts";
import { deleteMembershipsOf, settle } from "./memberships.store.ts";

/**
 * What people may do in projects, made anew from the groups they are in: the union of what these grant. What somebody had by
 * hand before is kept aside, and is theirs again when the last group is left; otherwise the membership ends.
 */
export const recomputeMemberships = (db: Db, userIds: string[], at: string): Promise<void> => settle(db, userIds, at);

/** Out of every group and every project. */
export const leaveEverything = (db: Db, userId: string): Promise<void> => deleteMembershipsOf(db, userId);
