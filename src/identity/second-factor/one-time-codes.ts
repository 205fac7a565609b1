import { hash } from "node:crypto";
import type { User } from "../../access/users.ts";
import { newId } from "../../kernel/ids.ts";
import { Problem } from "../../kernel/problem.ts";
import { randomGroups } from "../../kernel/random.ts";
import type { Region } from "../../kernel/regions.ts";
import type { Db } from "../../store/db.ts";
import type { DataKeys } from "../../vault/sealing/data-keys.ts";
import { refuseLastFactor } from "./factors.ts";
import {
  copyRecoveryCodes,
  countRecoveryCodes,
  deleteGenerators,
  deleteRecoveryCodes,
  findGenerator,
  type GeneratorRow,
  insertGenerator,
  insertRecoveryCode,
  markConfirmed,
  useRecoveryCode,
  useStep,
} from "./one-time-codes.store.ts";
import { newTotpSecret, stepOf, totpUri } from "./totp.ts";

const recoveryCodesEach = 10;

export interface CodeOwner {
  userId: string;
  organizationId: string;
  email: string;
}

/** Creates a secret for an authenticator app. It replaces the current one after `confirmCodes`. */
export async function beginCodes(
  scope: { db: Db; region: Region; now: () => Date },
  owner: CodeOwner,
  keys: DataKeys,
): Promise<{ secret: string; uri: string }> {
  const { db } = scope;
  const secret = newTotpSecret();
  const id = newId("codeGenerator", scope.region);
  const sealed = await keys.seal(db, secret, sealContext({ id, organization_id: owner.organizationId }));
  await deleteGenerators(db, owner.userId, "pending");
  await insertGenerator(db, {
    id,
    user_id: owner.userId,
    organization_id: owner.organizationId,
    sealed: sealed.text,
    data_key_id: sealed.dataKeyId,
    confirmed_at: null,
    last_step: 0,
    created_at: scope.now().toISOString(),
  });
  return { secret, uri: totpUri(secret, owner.email) };
}

/** The app works, so its secret replaces the earlier one. Returns new recovery codes, once. */
export async function confirmCodes(db: Db, userId: string, code: string, now: Date, keys: DataKeys): Promise<string[]> {
  const row = await findGenerator(db, userId, false);
  if (!row) throw new Problem("codes_not_found", "No setup is in progress: `auth/codes/begin` returns a new secret.");
  const step = stepOf(await secretOf(db, row, keys), code, now);
  if (step === null) throw new Problem("code_refused");
  await deleteGenerators(db, userId, "confirmed");
  await markConfirmed(db, row.id, step, now.toISOString());
  return renewRecoveryCodes(db, userId);
}

/** Copies the secret to a second account, so that one app serves both. Each account counts used codes by itself. */
export async function copyCodes(
  { db, region }: { db: Db; region: Region },
  from: Pick<User, "id">,
  to: Pick<User, "id" | "organizationId">,
  keys: DataKeys,
): Promise<void> {
  const row = await findGenerator(db, from.id, true);
  if (!row) return;
  const copy = { ...row, id: newId("codeGenerator", region), user_id: to.id, organization_id: to.organizationId };
  const sealed = await keys.seal(db, await secretOf(db, row, keys), sealContext(copy));
  await insertGenerator(db, { ...copy, sealed: sealed.text, data_key_id: sealed.dataKeyId });
  await copyRecoveryCodes(db, from.id, to.id);
}

export async function removeCodes(db: Db, user: { id: string; organizationId: string }): Promise<void> {
  if ((await findGenerator(db, user.id, true)) === null) throw new Problem("codes_not_found");
  await refuseLastFactor(db, user);
  await deleteGenerators(db, user.id, "all");
  await deleteRecoveryCodes(db, user.id);
}

export async function codesOf(db: Db, userId: string): Promise<{ since: string; recoveryCodesLeft: number } | null> {
  const row = await findGenerator(db, userId, true);
  if (row?.confirmed_at == null) return null;
  return { since: row.confirmed_at, recoveryCodesLeft: await countRecoveryCodes(db, userId) };
}

/**
 * Uses a code of the app or a recovery code, in a transaction: each is valid once. Returns which it was, or null if it
 * is not valid.
 */
export async function useCode(
  db: Db,
  userId: string,
  code: string,
  now: Date,
  keys: DataKeys,
): Promise<"code" | "recovery_code" | null> {
  const plain = code.replace(/[\s-]/g, "").toLowerCase();
  if (/^\d{6}$/.test(plain)) {
    const row = await findGenerator(db, userId, true);
    const step = row && stepOf(await secretOf(db, row, keys), plain, now);
    return row && step !== null && (await useStep(db, row.id, step)) ? "code" : null;
  }
  return (await useRecoveryCode(db, userId, hashOfRecoveryCode(plain), now.toISOString())) ? "recovery_code" : null;
}

async function renewRecoveryCodes(db: Db, userId: string): Promise<string[]> {
  await deleteRecoveryCodes(db, userId);
  const codes = Array.from({ length: recoveryCodesEach }, newRecoveryCode);
  for (const code of codes) await insertRecoveryCode(db, userId, hashOfRecoveryCode(code.replaceAll("-", "")));
  return codes;
}

/** 120 random bits: long enough for a plain hash (ASVS 6.5.2 asks for 112). */
const newRecoveryCode = (): string => randomGroups(6, 4);

const hashOfRecoveryCode = (plain: string): string => hash("sha256", `recovery code|${plain}`, "hex");

const sealContext = (row: Pick<GeneratorRow, "id" | "organization_id">) =>
  ({ table: "code_generators", row: row.id, organizationId: row.organization_id }) as const;

const secretOf = (db: Db, row: GeneratorRow, keys: DataKeys): Promise<string> =>
  keys.open(db, row.sealed, sealContext(row));
