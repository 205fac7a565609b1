import { newId, regionOfId } from "../../kernel/ids.ts";
import { Problem } from "../../kernel/problem.ts";
import { lastMoment } from "../../kernel/times.ts";
import type { Db } from "../../store/db.ts";
import type { Role } from "../permissions.ts";
import type { AnyScope, Scope } from "../scope.ts";
import { hashOfKey, newApiKey } from "./api-key-format.ts";
import {
  type ApiKey,
  bringForwardExpiry,
  enableKeyRow,
  findKey,
  insertKey,
  markRevoked,
  type OwnedKey,
  setLastUsed,
} from "./keys.store.ts";
import { refuseOtherRegion } from "./wrong-region.ts";

export type { ApiKey } from "./keys.store.ts";
export {
  disableKeysOf,
  enableKeysOf,
  findKey,
  insertKey,
  listKeysOf,
  replaceKeyText,
  revokeAllKeysOf,
} from "./keys.store.ts";

export interface KeyWish {
  label?: string | undefined;
  expiresAt?: string | null | undefined;
  projectIds?: string[] | null | undefined;
  maxRole?: Role | null | undefined;
}

/** The plain key is returned once; the store keeps its hash. */
export interface NewKey {
  key: ApiKey;
  apiKey: string;
}

export async function createKey(scope: AnyScope, userId: string, wanted: KeyWish): Promise<NewKey> {
  const apiKey = newApiKey(scope.region);
  const key: ApiKey = {
    id: newId("key", scope.region),
    userId,
    label: wanted.label ?? "",
    hint: apiKey.slice(-4),
    projectIds: wanted.projectIds ? [...new Set(wanted.projectIds)] : null,
    maxRole: wanted.maxRole ?? null,
    createdAt: scope.now().toISOString(),
    expiresAt: wanted.expiresAt ?? null,
    givenExpiry: null,
    revokedAt: null,
    disabledAt: null,
    lastUsedAt: null,
  };
  for (const id of key.projectIds ?? []) refuseOtherRegion(scope.region, regionOfId(id));
  await insertKey(scope.db, key, hashOfKey(apiKey));
  return { key, apiKey };
}

export async function revokeKey(scope: Scope, keyId: string): Promise<void> {
  await requireKey(scope, keyId);
  await revokeKeyById(scope, keyId);
}

/** The key is invalid from the commit on. The caller has checked permission. */
export async function revokeKeyById(scope: AnyScope, keyId: string): Promise<void> {
  const key = await findKey(scope.db, keyId);
  if (key?.revokedAt !== null) throw new Problem("key_already_revoked");
  await markRevoked(scope.db, keyId, scope.now().toISOString());
}

/**
 * Creates a key with the restrictions and lifetime of an old one. The old key stays valid for the overlap, so that
 * clients can switch without a gap.
 */
export async function rerollKey(
  scope: Scope,
  keyId: string,
  wanted: { overlapSeconds: number; expiresAt?: string | null | undefined },
): Promise<NewKey & { oldExpiresAt: string }> {
  const old = await requireKey(scope, keyId);
  // Only the key's owner: another person with the new key could act as its owner.
  if (old.userId !== scope.actor.userId) throw new Problem("key_not_found");
  if (old.revokedAt !== null) throw new Problem("key_already_revoked");
  const now = scope.now();
  const overlapEnd = new Date(now.getTime() + wanted.overlapSeconds * 1000).toISOString();
  const oldExpiresAt = old.expiresAt !== null && old.expiresAt < overlapEnd ? old.expiresAt : overlapEnd;
  const made = await createKey(scope, old.userId, {
    label: old.label,
    projectIds: old.projectIds,
    maxRole: old.maxRole,
    expiresAt: wanted.expiresAt === undefined ? expiryWithSameLifetime(now, old) : wanted.expiresAt,
  });
  await bringForwardExpiry(scope.db, keyId, oldExpiresAt);
  return { ...made, oldExpiresAt };
}

function expiryWithSameLifetime(now: Date, key: ApiKey): string | null {
  const given = key.givenExpiry ?? key.expiresAt;
  if (given === null || given === "never") return null;
  const lifeMilliseconds = Date.parse(given) - Date.parse(key.createdAt);
  return new Date(Math.min(now.getTime() + lifeMilliseconds, lastMoment)).toISOString();
}

/** Enables a key that was disabled with its owner's deactivation. The owner must be active again. */
export async function enableKey(scope: Scope, keyId: string): Promise<ApiKey> {
  const key = await requireKey(scope, keyId);
  if (key.revokedAt !== null) throw new Problem("key_already_revoked");
  if (!key.ownerActive) throw new Problem("user_deactivated", "The person who owns this key is still deactivated.");
  await enableKeyRow(scope.db, keyId);
  return { ...key, disabledAt: null };
}

/** Returns the caller's own key, or, for an organization owner, any key of the organization. */
async function requireKey(scope: Scope, keyId: string): Promise<OwnedKey> {
  const key = await findKey(scope.db, keyId);
  const isOwn = key?.userId === scope.actor.userId;
  const isGoverned = scope.actor.organizationRole === "owner" && key?.organizationId === scope.actor.organizationId;
  if (!key || !(isOwn || isGoverned)) throw new Problem("key_not_found");
  return key;
}

export async function saveLastUsed(tx: Db, lastUsed: ReadonlyMap<string, string>): Promise<void> {
  for (const [keyId, at] of lastUsed) await setLastUsed(tx, keyId, at);
}
