import type { RegionMeter } from "../kernel/meter.ts";
import { randomBase62 } from "../kernel/random.ts";
import { Secret } from "../kernel/secret.ts";
import { type Db, StoreUnavailable } from "../store/db.ts";
import { systemOf } from "../systems/index.ts";
import { type Grant, type Obtained, SignInFailed } from "../systems/sign-in.ts";
import { type Outbound, onBehalfOf } from "../transport/outbound.ts";
import { type ConnectionSecrets, sealSecrets } from "./connection-secrets.ts";
import type { Connection } from "./connections.ts";
import { runSignIn } from "./run-sign-in.ts";
import type { DataKeys } from "./sealing/data-keys.ts";
import { signAssertion } from "./service-account-assertion.ts";
import { endpointOf, type VaultConfig } from "./system-addresses.ts";
import { failureOf } from "./token-failures.ts";
import { type Lease, markGrantLost, releaseLease, saveToken, type TokenRow, takeLease } from "./tokens.store.ts";
import { tokenLifeOf } from "./when-to-refresh.ts";

export interface Token {
  value: Secret;
  /** Identifies the token: the caller passes it back when the system refuses it. */
  generation: number;
}

export interface CachedToken extends Token {
  refreshAt: string | null;
  /** The grant that it belongs to. */
  grantedAt: string;
}

export interface TokenParts {
  db: Db;
  keys: DataKeys;
  outbound: Outbound;
  config: VaultConfig;
  now: () => Date;
  /** The clock for leases, which all nodes share. */
  leaseNow(db: Db): Promise<Date>;
  /** Called when a grant is lost, in the transaction that records it. */
  onLost(db: Db, connection: Connection, reason: string): Promise<void>;
  meter?: RegionMeter | undefined;
}

/** A token in its row, with its secrets decrypted. */
export interface StoredToken {
  row: TokenRow;
  secrets: ConnectionSecrets;
}

// Longer than a sign-in can take with all its time-outs, so that a live holder never loses its lease.
export const leaseSeconds = 45;
const retrySeconds = 30;
// About half a minute in all.
const saveTriesMax = 60;
const saveAgainMilliseconds = 500;

/** Obtains a new token under a lease, so that one process at a time signs in. */
export function createTokenRefresh(parts: TokenParts) {
  const { db, keys, config, now } = parts;
  const owner = `${process.pid}-${randomBase62(10)}`;

  /** Null while another process holds the lease, or if it has saved a newer token. */
  const lease = (id: string, row: TokenRow): Promise<Lease | null> =>
    db.transaction(async (tx) => {
      const at = await parts.leaseNow(tx);
      const until = new Date(at.getTime() + leaseSeconds * 1000).toISOString();
      return takeLease(tx, id, { owner, generation: row.token_generation, now: at.toISOString(), until });
    });

  /**
   * Returns null if the lease passed to another worker meanwhile. The token is then discarded, and the caller waits for the
   * other worker's.
   */
  async function refresh(
    connection: Connection,
    stored: StoredToken,
    lease: Lease,
    refused: number,
  ): Promise<CachedToken | null> {
    const { row, secrets } = stored;
    let obtained: Obtained;
    try {
      obtained = await obtain(connection, secrets.grant);
    } catch (error) {
      if (!(error instanceof SignInFailed)) {
        await release(connection, lease, null);
        throw error;
      }
      parts.meter?.token(connection.system, "failed");
      if (error.isGrantLost) {
        if (await markLost(connection, lease, error)) throw failureOf(error, connection.signInMethod);
        return null;
      }
      const works = row.token_generation > refused && !isPast(row.token_expires_at, now());
      await release(connection, lease, works ? later(retrySeconds) : null);
      if (works) return cachedTokenOf(stored);
      throw failureOf(error, connection.signInMethod);
    }
    return saveWithRetries(connection, secrets, obtained, lease);
  }

  async function obtain(connection: Connection, grant: Grant): Promise<Obtained> {
    if (grant.kind === "access token") {
      throw new SignInFailed("invalid_credentials", "The token has ended or was withdrawn, and cannot be renewed.", {
        isGrantLost: true,
      });
    }
    const endpoint = endpointOf(connection, config);
    const { signIn } = systemOf(connection.system);
    const assertion = await signAssertion(signIn, grant, endpoint, now());
    return runSignIn(signIn.obtain(grant, endpoint, assertion), endpoint, onBehalfOf(connection, parts.outbound));
  }

  /** The new token exists nowhere else, and the one that it replaces may already be invalid. */
  async function saveWithRetries(
    connection: Connection,
    before: ConnectionSecrets,
    obtained: Obtained,
    lease: Lease,
  ): Promise<CachedToken | null> {
    for (let tries = 1; ; tries++) {
      try {
        return await save(connection, before, obtained, lease);
      } catch (error) {
        if (!(error instanceof StoreUnavailable) || tries === saveTriesMax) throw error;
        await new Promise((resolve) => setTimeout(resolve, saveAgainMilliseconds));
      }
    }
  }

  /** A new refresh token must be durable before the token's first use: the old one may already be invalid. */
  async function save(
    connection: Connection,
    before: ConnectionSecrets,
    obtained: Obtained,
    lease: Lease,
  ): Promise<CachedToken | null> {
    const secrets = { grant: withRotated(before.grant, obtained.refreshToken), token: obtained.token };
    const life = tokenLifeOf(obtained, now(), obtained.token === before.token);
    const generation = await db.transaction(async (tx) => {
      const sealed = await sealSecrets(tx, keys, connection, secrets);
      const saved = { sealed: sealed.text, dataKeyId: sealed.dataKeyId, ...life, now: now().toISOString() };
      return saveToken(tx, connection.id, lease, saved);
    });
    if (generation === null) return null;
    parts.meter?.token(connection.system, "refreshed");
    const { grantedAt } = connection;
    return { value: new Secret(secrets.token), generation, refreshAt: life.refreshAt, grantedAt };
  }

  const release = (connection: Connection, lease: Lease, refreshAt: string | null): Promise<void> =>
    db.transaction((tx) => releaseLease(tx, connection.id, lease, refreshAt));

  /** False if the lease passed to another worker meanwhile, whose result counts. */
  const markLost = (connection: Connection, lease: Lease, error: SignInFailed): Promise<boolean> =>
    db.transaction(async (tx) => {
      const isLost = await markGrantLost(tx, connection.id, lease, error.message, now().toISOString());
      if (isLost) await parts.onLost(tx, connection, error.message);
      return isLost;
    });

  const later = (seconds: number): string => new Date(now().getTime() + seconds * 1000).toISOString();

  return { lease, refresh };
}

export const isPast = (moment: string | null, now: Date): boolean => moment !== null && moment <= now.toISOString();

export const cachedTokenOf = ({ row, secrets }: StoredToken): CachedToken => ({
  value: new Secret(secrets.token),
  generation: row.token_generation,
  refreshAt: row.token_refresh_at,
  grantedAt: row.granted_at,
});

const withRotated = (grant: Grant, refreshToken: string | undefined): Grant =>
  grant.kind === "refresh token" && refreshToken !== undefined ? { ...grant, refreshToken } : grant;
