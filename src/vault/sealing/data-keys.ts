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
  lockMasterKeyId,
  organizationsWithKeys,
  readMasterKeyId,
  replaceSealed,
  replaceWrapping,
  retireDataKey,
  type SealedTable,
  sealedTables,
} from "./data-keys.store.ts";
import type { KeyRing, MasterKey } from "./key-ring.ts";
import { createSeal, decrypt, encrypt } from "./seal.ts";

export { readMasterKeyId } from "./data-keys.store.ts";

/** Where a sealed text stands. It opens nowhere else: not in another row, nor for another tenant. */
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
 * Each organization's secrets have a key of their own, which lies in the store wrapped by the master key. A sealed text
 * names its version, the master key of that time and its data key; the last is what it is opened with.
 */
export interface DataKeys {
  /** Inside the transaction that keeps the text. Makes the organization's key where there is none. */
  seal(db: Db, text: string, context: SealContext): Promise<Sealed>;
  open(db: Db, sealed: string, context: SealContext): Promise<string>;
  /** Wraps every data key with this master key from now on. Answers how many were wrapped anew. */
  rewrap(db: Db, master: MasterKey): Promise<number>;
  /** Gives every organization a new data key, and seals what the old ones sealed with it. Answers how many rows that were. */
  renew(db: Db): Promise<number>;
}

/** What cannot be opened is told apart no further: not by key, nor by context, nor by damage. */
export class SealBroken extends Error {
  constructor() {
    super("A sealed record cannot be opened.");
  }
}

const version = "v2";
const batchRows = 100;
const unwrappedMax = 10_000;

export function createDataKeys(parts: { ring: KeyRing; region: Region; now: () => Date }): DataKeys {
  const { ring, region, now } = parts;
  /** Unwrapped once; the only place where they are in the clear. */
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
    const master = await requireWrappingKey(db);
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

  /** The store says which master key wraps, so that nodes that know several do not each choose another. */
  async function requireWrappingKey(db: Db): Promise<MasterKey> {
    let id = await lockMasterKeyId(db);
    if (id === null) {
      await insertMasterKeyId(db, ring.current.id, now().toISOString());
      id = await lockMasterKeyId(db);
    }
    const master = id === null ? null : ring.find(id);
    if (!master) throw new SealBroken();
    return master;
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
      for (const table of sealedTables) count += await sealAnew(db, table);
      await db.transaction((tx) => deleteUnusedKeys(tx));
      return count;
    },
  };

  async function sealAnew(db: Db, table: SealedTable): Promise<number> {
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

/** Why this node must not go on with the keys it has, or null: the store's secrets hang on another one. */
export async function missingMasterKey(db: Db, ring: KeyRing): Promise<string | null> {
  const id = await readMasterKeyId(db);
  return id === null || ring.find(id) ? null : id;
}

/** Where no key is noted yet, this one is, sealed things or not: a start with another one is told apart from then on. */
export const noteMasterKey = (db: Db, ring: KeyRing, now: Date): Promise<void> =>
  db.transaction((tx) => insertMasterKeyId(tx, ring.current.id, now.toISOString()));

const contextText = ({ table, row, organizationId }: SealContext): string =>
  `${table}|${row}|sealed|${organizationId}|${version}`;

const wrappingContext = (row: Pick<DataKeyRow, "id" | "organization_id">): string =>
  `data_keys|${row.id}|wrapped|${row.organization_id}|v1`;
