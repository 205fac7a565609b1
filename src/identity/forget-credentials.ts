import type { Db } from "../store/db.ts";
import { deleteProofsOf } from "./forget-credentials.store.ts";

/**
 * The account is deleted: nothing that opened it before opens it again, should its directory ever bring it back. Whom the
 * identity provider knows it as stays, because the provider is who decides about that.
 */
export const forgetProofs = (db: Db, userId: string): Promise<void> => deleteProofsOf(db, userId);
