import type { Db } from "../../store/db.ts";
import { insertMasterKeyId, lockMasterKeyId } from "./data-keys.store.ts";
import type { KeyRing, MasterKey } from "./key-ring.ts";
import { SealBroken } from "./seal.ts";

/** The master key that wraps new keys. The store names it, so that nodes with several keys agree. */
export async function requireWrappingKey(db: Db, ring: KeyRing, now: Date): Promise<MasterKey> {
  let id = await lockMasterKeyId(db);
  if (id === null) {
    await insertMasterKeyId(db, ring.current.id, now.toISOString());
    id = await lockMasterKeyId(db);
  }
  const master = id === null ? null : ring.find(id);
  if (!master) throw new SealBroken();
  return master;
}
