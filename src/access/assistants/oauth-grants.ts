import { createHash } from "node:crypto";
import { newId } from "../../kernel/ids.ts";
import { randomBase62 } from "../../kernel/random.ts";
import type { Region } from "../../kernel/regions.ts";
import type { Db } from "../../store/db.ts";
import { checksumOf, hashOfKey } from "../callers/api-key-format.ts";
import { findKey, insertKey, replaceKeyText, revokeKeyById } from "../callers/keys.ts";
import type { Role } from "../permissions.ts";
import { type AnyScope, projectOf, type Scope } from "../scope.ts";
import { findUser } from "../users.ts";
import {
  deleteGrant,
  findGrantBy,
  findGrantOfKey,
  type Grant,
  insertGrant,
  updateTokens,
} from "./oauth-grants.store.ts";

export { deleteOpenCodesOf, deleteOverGrants, findGrantOfKey, type Grant } from "./oauth-grants.store.ts";

/** What people allow their assistants, by OAuth 2.1: a code, then an access token and a refresh token. */

const codeSeconds = 300;
export const accessSeconds = 3600;
const refreshDays = 90;

export interface GrantWish {
  clientId: string;
  clientName: string;
  redirectUri: string;
  codeChallenge: string;
  readOnly: boolean;
  /** Null: the person's own role. */
  maxRole: Role | null;
  tools: string[] | null;
}

/** Returns the code, which works once and for five minutes. */
export async function allowAssistant(scope: Scope, wish: GrantWish): Promise<{ code: string; grantId: string }> {
  const now = scope.now();
  const code = randomBase62(43);
  const grant: Grant = {
    id: newId("grant", scope.region),
    organizationId: scope.actor.organizationId,
    userId: scope.actor.userId,
    projectId: projectOf(scope),
    clientIdHash: hashOfKey(wish.clientId),
    clientName: wish.clientName,
    redirectUri: wish.redirectUri,
    readOnly: wish.readOnly,
    maxRole: wish.maxRole,
    tools: wish.tools,
    codeHash: hashOfKey(code),
    codeChallenge: wish.codeChallenge,
    codeExpiresAt: after(now, codeSeconds),
    keyId: null,
    refreshHash: null,
    refreshBefore: null,
    refreshExpiresAt: null,
    createdAt: now.toISOString(),
  };
  await insertGrant(scope.db, grant);
  return { code, grantId: grant.id };
}

const after = (now: Date, seconds: number): string => new Date(now.getTime() + seconds * 1000).toISOString();

/** Which grant a code or a refresh token belongs to; the caller then checks it again under the organization's lock. */
export const findByCode = (db: Db, code: string): Promise<Grant | null> =>
  findGrantBy(db, "code_hash", hashOfKey(code));
export const findByRefresh = async (db: Db, token: string): Promise<Grant | null> =>
  (await findGrantBy(db, "refresh_hash", hashOfKey(token))) ?? findGrantBy(db, "refresh_before", hashOfKey(token));
export const findByAccess = (db: Db, token: string): Promise<Grant | null> => findGrantOfKey(db, hashOfKey(token));

export const isClientOf = ({ clientIdHash }: Grant, clientId: string): boolean => clientIdHash === hashOfKey(clientId);

export interface Tokens {
  accessToken: string;
  refreshToken: string;
  grant: Grant;
}

/** A code whose time has come and whose proof fits becomes two tokens. Null: it is refused. */
export async function exchangeCode(
  scope: AnyScope,
  given: { code: string; verifier: string; clientId: string; redirectUri: string },
): Promise<Tokens | null> {
  const grant = await findByCode(scope.db, given.code);
  const now = scope.now();
  if (!grant || grant.keyId !== null || grant.codeExpiresAt <= now.toISOString()) return null;
  if (!isClientOf(grant, given.clientId) || grant.redirectUri !== given.redirectUri) return null;
  if (challengeOf(given.verifier) !== grant.codeChallenge) return null;
  // A deactivation withdraws codes. This also refuses one that a node of an older version has left.
  if (!(await findUser(scope.db, grant.userId))?.active) return null;
  const accessToken = newToken("sbm", scope.region);
  const key = {
    id: newId("key", scope.region),
    userId: grant.userId,
    label: `Assistant: ${grant.clientName}`,
    hint: accessToken.slice(-4),
    projectIds: [grant.projectId],
    maxRole: grant.maxRole,
    createdAt: now.toISOString(),
    expiresAt: after(now, accessSeconds),
    givenExpiry: null,
    revokedAt: null,
    disabledAt: null,
    lastUsedAt: null,
  };
  await insertKey(scope.db, key, hashOfKey(accessToken));
  return withRefresh(scope, { ...grant, codeHash: null, keyId: key.id }, accessToken);
}

/** "S256": the hash of the text that only the client knows (RFC 7636). */
const challengeOf = (verifier: string): string => createHash("sha256").update(verifier).digest("base64url");

/**
 * A refresh token works once. Its repeat shows that it was stolen, so the grant ends. Null: it is refused, because it has expired,
 * or because the person or an owner has revoked the key.
 */
export async function refreshTokens(
  scope: AnyScope,
  given: { refreshToken: string; clientId: string },
): Promise<Tokens | "stolen" | null> {
  const hash = hashOfKey(given.refreshToken);
  const grant = await findByRefresh(scope.db, given.refreshToken);
  if (!grant?.keyId || !isClientOf(grant, given.clientId)) return null;
  if (grant.refreshHash !== hash) {
    await endGrant(scope, grant);
    return "stolen";
  }
  const now = scope.now();
  const owner = await findKey(scope.db, grant.keyId);
  if (!owner?.ownerActive || (grant.refreshExpiresAt ?? "") <= now.toISOString()) return null;
  const accessToken = newToken("sbm", scope.region);
  const text = { hash: hashOfKey(accessToken), hint: accessToken.slice(-4), expiresAt: after(now, accessSeconds) };
  if (!(await replaceKeyText(scope.db, grant.keyId, text))) return null;
  return withRefresh(scope, { ...grant, refreshBefore: hash }, accessToken);
}

async function withRefresh(scope: AnyScope, grant: Grant, accessToken: string): Promise<Tokens> {
  const refreshToken = newToken("sbr", scope.region);
  const saved = {
    ...grant,
    refreshHash: hashOfKey(refreshToken),
    refreshExpiresAt: after(scope.now(), refreshDays * 86_400),
  };
  await updateTokens(scope.db, saved);
  return { accessToken, refreshToken, grant: saved };
}

/** The key is invalid from the commit on. */
export async function endGrant(scope: AnyScope, grant: Grant): Promise<void> {
  const key = grant.keyId === null ? null : await findKey(scope.db, grant.keyId);
  if (key?.revokedAt === null) await revokeKeyById(scope, key.id);
  await deleteGrant(scope.db, grant.id);
}

function newToken(kind: "sbm" | "sbr", region: Region): string {
  const body = `${kind}_${region}_${randomBase62(43)}`;
  return body + checksumOf(body);
}

const accessShape = /^bearer +(sbm_(au|eu|us)_[0-9A-Za-z]{49})$/i;

/** The access token of an Authorization header, or null. The API itself knows no such token: it is for assistants alone. */
export function readAccessToken(header: string): { keyHash: string; keyPrefix: string; region: Region } | null {
  const [, token, region] = accessShape.exec(header) ?? [];
  if (token === undefined || checksumOf(token.slice(0, -6)) !== token.slice(-6)) return null;
  return { keyHash: hashOfKey(token), keyPrefix: token.slice(0, 15), region: region as Region };
}
