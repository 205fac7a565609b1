import { randomBytes } from "node:crypto";
import type { Db } from "../../store/db.ts";
import { type CodeKeyRow, findCodeKey, insertCodeKey, replaceCodeKey } from "./invite-code-key.store.ts";
import type { KeyRing, MasterKey } from "./key-ring.ts";
import { createSeal } from "./seal.ts";
import { requireWrappingKey } from "./wrapping-key.ts";

const context = "code_keys|invites|wrapped|v1";

/** The key of the secret half of invite codes: one for the region, because a code is looked up before its organization is known. */
export async function findOpenCodeKey(db: Db, ring: KeyRing): Promise<Buffer | null> {
  const row = await findCodeKey(db);
  if (!row) return null;
  const master = ring.find(row.master_key_id);
  if (!master)
    throw new Error(
      `The key of invite codes needs the master key ${row.master_key_id}, which is missing: set it as SIGNALBOX_MASTER_KEY_OLD, and run \`signalbox rotate-key\`.`,
    );
  return opened(row, master);
}

/**
 * Creates the key if there is none. A key that was lost is replaced, unless it may be in use: a program of the previous version
 * does not know it, and rotates the master key without it.
 */
export async function ensureCodeKey(
  db: Db,
  ring: KeyRing,
  now: Date,
  use: "may be in use" | "not used yet",
): Promise<void> {
  const found = await findCodeKey(db);
  if (found && (use === "may be in use" || ring.find(found.master_key_id))) return;
  await db.transaction(async (tx) => {
    const made = wrapped(randomBytes(32), await requireWrappingKey(tx, ring, now));
    if (found) await replaceCodeKey(tx, found, made);
    else await insertCodeKey(tx, made, now.toISOString());
  });
}

/** Part of a rotation of the master key. */
export async function rewrapCodeKey(db: Db, ring: KeyRing, master: MasterKey): Promise<void> {
  const row = await findCodeKey(db);
  const before = row && row.master_key_id !== master.id ? ring.find(row.master_key_id) : null;
  if (!row || !before) return;
  await db.transaction((tx) => replaceCodeKey(tx, row, wrapped(opened(row, before), master)));
}

const wrapped = (key: Buffer, master: MasterKey): CodeKeyRow => ({
  master_key_id: master.id,
  wrapped: createSeal(master).seal(key.toString("base64"), context),
});

const opened = (row: CodeKeyRow, master: MasterKey): Buffer =>
  Buffer.from(createSeal(master).open(row.wrapped, context), "base64");
