import { randomBytes } from "node:crypto";
import { newId } from "../../kernel/ids.ts";
import type { Region } from "../../kernel/regions.ts";
import type { Db } from "../../store/db.ts";
import {
  changeMasterKeyId,
  type DataKeyRow,
  deleteUnusedKeys,
  findDataKey,
  insertDataKey,
  insertMasterKeyId,
  listDataKeysNotUnder,
  listOldSealed,
  lockCurrentDataKey,
  organizationsWithKeys,
  readMasterKeyId,
  replaceSealed,
  replaceWrapping,
  retireDataKey,
  type SealedTable,
  sealedTables,
} from "./data-keys.store.ts";
import { rewrapCodeKey } from "./invite-code-key.ts";
import type { KeyRing, MasterKey } from "./key-ring.ts";
import { createSeal, decrypt, encrypt, SealBroken } from "./seal.ts";
import { requireWrappingKey } from "./wrapping-key.ts";

export { readMasterKeyId } from "./data-keys.store.ts";
export { SealBroken } from "./seal.ts";

/** Identifies the row of a sealed text. The text opens only there: not in another row, nor for another tenant. */
export interface SealContext {
  table: SealedTable;
  row: string;
  organizationId: string;
}

export interface Sealed {
  text: string;
  dataKeyId: string;
}

/**
 * Each organization has its own data key, stored wrapped by the master key. A sealed text names its version, the master
 * key of that time and its data key. The data key decrypts it.
 */
export interface DataKeys {
  /** Call it inside the transaction that stores the text. Creates the organization's key if there is none. */
  seal(db: Db, text: string, context: SealContext): Promise<Sealed>;
  open(db: Db, sealed: string, context: SealContext): Promise<string>;
  /** Makes this the master key and rewraps every data key with it. Returns how many were rewrapped. */
  rewrap(db: Db, master: MasterKey): Promise<number>;
  /**
   * Creates a new data key for every organization and reseals all rows with it. Returns how many rows were resealed.
   */
  renew(db: Db): Promise<number>;
}

const version = "v2";
const batchRows = 100;
const unwrappedMax = 10_000;

export function createDataKeys(parts: { ring: KeyRing; region: Region; now: () => Date }): DataKeys {
  const { ring, region, now } = parts;
  /** Unwrapped once per key. Data keys are in the clear only here. */
  const unwrapped = new Map<string, Buffer>();

  function unwrap(row: DataKeyRow): Buffer {
    const known = unwrapped.get(row.id);
    if (known) return known;
    const master = ring.find(row.master_key_id);
    if (!master) throw new SealBroken();
    const key = Buffer.from(createSeal(master).open(row.wrapped, wrappingContext(row)), "base64");
    if (unwrapped.size >= unwrappedMax) unwrapped.clear();
    unwrapped.set(row.id, key);
    return key;
  }

  async function currentKey(db: Db, organizationId: string): Promise<DataKeyRow> {
    const found = await lockCurrentDataKey(db, organizationId);
    return found ?? makeKey(db, organizationId);
  }

  async function makeKey(db: Db, organizationId: string): Promise<DataKeyRow> {
    const master = await requireWrappingKey(db, ring, now());
    const row = {
      id: newId("dataKey", region),
      organization_id: organizationId,
      master_key_id: master.id,
      wrapped: "",
    };
    row.wrapped = createSeal(master).seal(randomBytes(32).toString("base64"), wrappingContext(row));
    await insertDataKey(db, row, now().toISOString());
    const kept = await lockCurrentDataKey(db, organizationId);
    if (!kept) throw new Error(`The organization ${organizationId} has no data key.`);
    return kept;
  }

  async function seal(db: Db, text: string, context: SealContext): Promise<Sealed> {
    const row = await currentKey(db, context.organizationId);
    const body = encrypt(unwrap(row), text, contextText(context));
    return { text: `${version}.${row.master_key_id}.${row.id}.${body}`, dataKeyId: row.id };
  }

  async function open(db: Db, sealed: string, context: SealContext): Promise<string> {
    const [named, , keyId = "", body = ""] = sealed.split(".");
    if (named !== version) throw new SealBroken();
    const key = unwrapped.get(keyId) ?? (await unwrapStored(db, keyId));
    try {
      return decrypt(key, body, contextText(context));
    } catch {
      throw new SealBroken();
    }
  }

  async function unwrapStored(db: Db, keyId: string): Promise<Buffer> {
    const row = await findDataKey(db, keyId);
    if (!row) throw new SealBroken();
    try {
      return unwrap(row);
    } catch {
      throw new SealBroken();
    }
  }

  return {
    seal,
    open,
    async rewrap(db, master) {
      await db.transaction((tx) => changeMasterKeyId(tx, master.id, now().toISOString()));
      await rewrapCodeKey(db, ring, master);
      let count = 0;
      for (;;) {
        const rows = await listDataKeysNotUnder(db, master.id, batchRows);
        if (rows.length === 0) return count;
        for (const row of rows) {
          const wrapped = createSeal(master).seal(unwrap(row).toString("base64"), wrappingContext(row));
          await db.transaction((tx) => replaceWrapping(tx, row, master.id, wrapped));
        }
        count += rows.length;
      }
    },
    async renew(db) {
      for (const organizationId of await organizationsWithKeys(db)) {
        await db.transaction(async (tx) => {
          await lockCurrentDataKey(tx, organizationId);
          await retireDataKey(tx, organizationId, now().toISOString());
          await makeKey(tx, organizationId);
        });
      }
      let count = 0;
      for (const table of sealedTables) count += await reseal(db, table);
      await db.transaction((tx) => deleteUnusedKeys(tx));
      return count;
    },
  };

  async function reseal(db: Db, table: SealedTable): Promise<number> {
    let count = 0;
    for (;;) {
      const rows = await listOldSealed(db, table, batchRows);
      if (rows.length === 0) return count;
      for (const row of rows) {
        const context = { table, row: row.id, organizationId: row.organization_id };
        const text = await open(db, row.sealed, context);
        await db.transaction(async (tx) => {
          const sealed = await seal(tx, text, context);
          await replaceSealed(tx, table, row, sealed.text, sealed.dataKeyId);
        });
      }
      count += rows.length;
    }
  }
}

/** The master key that this store's secrets need and this node lacks, or null. */
export async function missingMasterKey(db: Db, ring: KeyRing): Promise<string | null> {
  const id = await readMasterKeyId(db);
  return id === null || ring.find(id) ? null : id;
}

/** Records the first master key of a store, so that a later start with another key is noticed. */
export const recordMasterKey = (db: Db, ring: KeyRing, now: Date): Promise<void> =>
  db.transaction((tx) => insertMasterKeyId(tx, ring.current.id, now.toISOString()));

const contextText = ({ table, row, organizationId }: SealContext): string =>
  `${table}|${row}|sealed|${organizationId}|${version}`;

const wrappingContext = (row: Pick<DataKeyRow, "id" | "organization_id">): string =>
  `data_keys|${row.id}|wrapped|${row.organization_id}|v1`;
