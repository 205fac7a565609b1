import type { Log } from "../kernel/log.ts";
import type { Region } from "../kernel/regions.ts";
import type { Store } from "../store/db.ts";
import type { Replica } from "../store/postgres/replica.ts";
import type { Seal } from "../vault/sealing/seal.ts";
import type { Rooms } from "./define-operation.ts";
import type { KeyLeases } from "./idempotency-leases.ts";

/** What the calls of one region share. */
export interface RegionContext {
  region: Region;
  store: Store;
  /** For operations whose lists may be read there. */
  replica?: Replica;
  now: () => Date;
  /** Decides what has expired: a jump of the clock makes nothing expire. */
  expiryNow: () => Date;
  seal: Seal;
  log: Log;
  rooms: Rooms;
  /** Leases of the calls with an Idempotency-Key that run in this process. */
  keyLeases: KeyLeases;
  /** Records that a key was used. Every call runs it, so it does not wait. */
  onKeyUsed(keyId: string): void;
}
