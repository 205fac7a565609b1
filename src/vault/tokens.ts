import { type ConnectionSecrets, openSecrets } from "./connection-secrets.ts";
import type { Connection } from "./connections.ts";
import {
  type CachedToken,
  cachedTokenOf,
  createTokenRefresh,
  isPast,
  type StoredToken,
  type Token,
  type TokenParts,
} from "./refresh-token.ts";
import { SealBroken } from "./sealing/data-keys.ts";
import { notConnected, unavailable } from "./token-failures.ts";
import { readTokenRow, type TokenRow } from "./tokens.store.ts";

export type { Token } from "./refresh-token.ts";
export { endTokenLeases } from "./tokens.store.ts";

// How often to look for the token that another process is obtaining. The wait exceeds the life of a lease.
const pollMilliseconds = 50;
const waitSecondsMax = 60;
const cachedMax = 10_000;

/** Returns a token that works now. However many callers ask, in however many processes, one of them obtains it. */
export function createTokens(parts: TokenParts) {
  const { db, keys, now } = parts;
  const { lease, refresh } = createTokenRefresh(parts);
  /** Decrypted once per generation, so that the hot path decrypts nothing. */
  const cached = new Map<string, CachedToken>();
  const refreshes = new Map<string, Promise<CachedToken>>();

  function cache(id: string, token: CachedToken): CachedToken {
    if (cached.size >= cachedMax) cached.clear();
    cached.set(id, token);
    return token;
  }

  async function token(connection: Connection, refused?: Token): Promise<Token> {
    if (connection.state !== "connected") throw notConnected(connection.state, connection.stateReason);
    const known = cached.get(connection.id);
    const newerThan = Math.max(refused?.generation ?? 0, connection.tokenGeneration - 1);
    const isOfGrant = known?.grantedAt === connection.grantedAt;
    if (known && isOfGrant && known.generation > newerThan && !isPast(known.refreshAt, now())) return known;
    for (;;) {
      const found = await coalesce(connection, refused?.generation ?? 0);
      if (found.generation > (refused?.generation ?? 0)) return found;
    }
  }

  /** Concurrent callers of one process share one lookup. */
  function coalesce(connection: Connection, refused: number): Promise<CachedToken> {
    const underway = refreshes.get(connection.id);
    if (underway) return underway;
    const refreshing = findOrRefresh(connection, refused).finally(() => refreshes.delete(connection.id));
    refreshes.set(connection.id, refreshing);
    return refreshing;
  }

  async function findOrRefresh(connection: Connection, refused: number): Promise<CachedToken> {
    const giveUpAt = Date.now() + waitSecondsMax * 1000;
    for (;;) {
      const stored = await readStored(connection);
      const { row } = stored;
      const isFresh = row.token_generation > refused && !isPast(row.token_refresh_at, now());
      if (isFresh) return cache(connection.id, cachedTokenOf(stored));
      const taken = await lease(connection.id, row);
      if (taken) {
        const refreshed = await refresh(connection, stored, taken, refused);
        if (refreshed) return cache(connection.id, refreshed);
      } else if (row.token_generation > refused && !isPast(row.token_expires_at, now())) {
        // Another process is already refreshing, and this token still works.
        return cachedTokenOf(stored);
      } else {
        if (Date.now() > giveUpAt) throw unavailable("Another process has not finished signing in.");
        await new Promise((resolve) => setTimeout(resolve, pollMilliseconds * (0.5 + Math.random())));
      }
    }
  }

  async function readStored(connection: Connection, isRetry = false): Promise<StoredToken> {
    const row = await readTokenRow(db, connection.id);
    if (row?.state !== "connected" || row.sealed === null) {
      throw notConnected(row?.state ?? "removed", row?.state_reason ?? null);
    }
    refuseMoved(connection, row);
    try {
      return { row, secrets: await openSecrets(db, keys, connection, row.sealed) };
    } catch (error) {
      // Between the two reads a key rotation may have resealed the row and deleted the old key.
      if (isRetry || !(error instanceof SealBroken)) throw error;
      return readStored(connection, true);
    }
  }

  return {
    token,
    /** The decrypted grant and token of a connection, for uses other than calls. */
    async secretsOf(connection: Connection): Promise<ConnectionSecrets | null> {
      const row = await readTokenRow(db, connection.id);
      return row === null || row.sealed === null ? null : openSecrets(db, keys, connection, row.sealed);
    },
  };
}

export type Tokens = ReturnType<typeof createTokens>;

/** A call that began before the account moved still has the old address, and the new grant is not for that address. */
function refuseMoved({ grantedAt, instance, addresses }: Connection, row: TokenRow): void {
  if (row.granted_at === grantedAt) return;
  const isSame = row.instance === instance && (instance === "sandbox" || row.addresses === JSON.stringify(addresses));
  if (!isSame) throw unavailable("The account was connected to another address while this call was under way.");
}
