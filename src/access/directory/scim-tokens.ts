import { newId } from "../../kernel/ids.ts";
import { Problem } from "../../kernel/problem.ts";
import { randomBase62 } from "../../kernel/random.ts";
import { isRegion, type Region } from "../../kernel/regions.ts";
import type { Db } from "../../store/db.ts";
import { checksumOf, hashOfKey } from "../callers/api-key-format.ts";
import type { AnyScope } from "../scope.ts";
import {
  type DirectoryToken,
  endTokensAt,
  findByHash,
  insertToken,
  listTokensOf,
  markTokenRevoked,
  setTokenLastUsed,
  type TokenHolder,
} from "./scim-tokens.store.ts";

export type { DirectoryToken, TokenHolder } from "./scim-tokens.store.ts";
export { listTokensOf } from "./scim-tokens.store.ts";

/** The plain token is returned once; the store keeps its hash. */
export interface NewToken {
  token: DirectoryToken;
  plain: string;
}

export async function createToken(scope: AnyScope, directoryId: string, expiresAt: string | null): Promise<NewToken> {
  const body = `sbs_${scope.region}_${randomBase62(43)}`;
  const plain = body + checksumOf(body);
  const token: DirectoryToken = {
    id: newId("directoryToken", scope.region),
    directoryId,
    hint: plain.slice(-4),
    createdAt: scope.now().toISOString(),
    expiresAt,
    revokedAt: null,
    lastUsedAt: null,
  };
  await insertToken(scope.db, token, hashOfKey(plain));
  return { token, plain };
}

/**
 * Creates a token beside the existing ones. These end after the overlap, so that the provider can switch without a gap.
 */
export async function rotateToken(
  scope: AnyScope,
  directoryId: string,
  overlapSeconds: number,
  expiresAt: string | null,
): Promise<NewToken & { oldExpiresAt: string }> {
  const oldExpiresAt = new Date(scope.now().getTime() + overlapSeconds * 1000).toISOString();
  await endTokensAt(scope.db, directoryId, oldExpiresAt);
  return { ...(await createToken(scope, directoryId, expiresAt)), oldExpiresAt };
}

export async function revokeToken(scope: AnyScope, directoryId: string, tokenId: string): Promise<void> {
  const token = (await listTokensOf(scope.db, directoryId)).find(({ id }) => id === tokenId);
  if (!token) throw new Problem("directory_token_not_found");
  if (token.revokedAt !== null) throw new Problem("key_already_revoked");
  await markTokenRevoked(scope.db, tokenId, scope.now().toISOString());
}

const shape = /^bearer +(sbs_(au|eu|us)_[0-9A-Za-z]{49})$/i;

export interface TokenCredentials {
  hash: string;
  /** Identifies the token in counters of failures; not secret. */
  prefix: string;
  region: Region;
}

/** Returns null for a text that does not match the grammar or has a wrong checksum, without a database query. */
export function readTokenHeader(header: string): TokenCredentials | null {
  const [, plain, region] = header.length > 512 ? [] : (shape.exec(header) ?? []);
  if (plain === undefined || region === undefined || !isRegion(region) || !plain.startsWith("sbs_")) return null;
  if (checksumOf(plain.slice(0, -6)) !== plain.slice(-6)) return null;
  return { hash: hashOfKey(plain), prefix: plain.slice(0, 15), region };
}

/** Returns the holder of a valid token. */
export async function authenticateToken(db: Pick<Db, "query">, hash: string, now: Date): Promise<TokenHolder> {
  const holder = await findByHash(db, hash);
  if (!holder) throw new Problem("credentials_invalid", "The token is not known here.");
  if (holder.revokedAt !== null) throw new Problem("key_revoked", "The token was revoked.");
  if (holder.expiresAt !== null && holder.expiresAt <= now.toISOString()) {
    throw new Problem("key_expired", "The token has expired.");
  }
  return holder;
}

export async function saveTokensLastUsed(tx: Db, lastUsed: ReadonlyMap<string, string>): Promise<void> {
  for (const [id, at] of lastUsed) await setTokenLastUsed(tx, id, at);
}
