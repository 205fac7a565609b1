import { randomBase62 } from "../kernel/random.ts";
import { Secret } from "../kernel/secret.ts";
import { type Db, StoreUnavailable } from "../store/db.ts";
import { systemOf } from "../systems/index.ts";
import { type Grant, type Obtained, SignInFailed } from "../systems/sign-in.ts";
import { type Outbound, onBehalfOf } from "../transport/outbound.ts";
import { ask } from "./ask.ts";
import type { Connection } from "./connections.ts";
import { endpointOf, type VaultConfig } from "./endpoint.ts";
import { type DataKeys, SealBroken } from "./sealing/data-keys.ts";
import { assertionOf } from "./service-account.ts";
import { failureOf, stopped, unavailable } from "./token-failures.ts";
import { lifeOf } from "./token-life.ts";
import {
  keepToken,
  type Lease,
  leaveLease,
  loseGrant,
  readTokenRow,
  type TokenRow,
  takeLease,
} from "./tokens.store.ts";

export { endTokenLeases } from "./tokens.store.ts";

export interface Token {
  value: Secret;
  /** Which one it is: given back when the system refuses it. */
  generation: number;
}

/** What lies sealed in a connection's row. */
export interface Secrets {
  grant: Grant;
  token: string;
}

export interface TokenParts {
  db: Db;
  keys: DataKeys;
  outbound: Outbound;
  config: VaultConfig;
  now: () => Date;
  /** The time that leases are told in, which all processes share. */
  leaseNow(db: Db): Promise<Date>;
  /** Told when a grant turns out to be gone, in the transaction that says so. */
  onLost(db: Db, connection: Connection, reason: string): Promise<void>;
}

// Longer than a sign-in can take with all its time-outs, so that a holder that lives never loses it.
const leaseSeconds = 45;
// While another process fetches the token, it is looked for this often, and no longer than a lease lasts.
const lookAgainMilliseconds = 50;
const waitSecondsMax = 60;
const tryAgainSeconds = 30;
// Some half a minute in all.
const keepTriesMax = 60;
const keepAgainMilliseconds = 500;
const heldMax = 10_000;

interface Held extends Token {
  refreshAt: string | null;
  /** Of which grant it is. */
  grantedAt: string;
}

/** A token that works now. However many ask, in however many processes, one of them fetches it. */
export function createTokens(parts: TokenParts) {
  const { db, keys, config, now } = parts;
  const owner = `${process.pid}-${randomBase62(10)}`;
  /** Opened once for each generation, so that the hot path decrypts nothing. */
  const held = new Map<string, Held>();
  const refreshes = new Map<string, Promise<Held>>();

  function hold(id: string, token: Held): Held {
    if (held.size >= heldMax) held.clear();
    held.set(id, token);
    return token;
  }

  async function token(connection: Connection, refused?: Token): Promise<Token> {
    if (connection.state !== "connected") throw stopped(connection.state, connection.stateReason);
    const known = held.get(connection.id);
    const newerThan = Math.max(refused?.generation ?? 0, connection.tokenGeneration - 1);
    const isOfGrant = known?.grantedAt === connection.grantedAt;
    if (known && isOfGrant && known.generation > newerThan && !isPast(known.refreshAt)) return known;
    for (;;) {
      const found = await coalesce(connection, refused?.generation ?? 0);
      if (found.generation > (refused?.generation ?? 0)) return found;
    }
  }

  /** Within a process all share one look. */
  function coalesce(connection: Connection, refused: number): Promise<Held> {
    const underway = refreshes.get(connection.id);
    if (underway) return underway;
    const refreshing = fetchToken(connection, refused).finally(() => refreshes.delete(connection.id));
    refreshes.set(connection.id, refreshing);
    return refreshing;
  }

  async function fetchToken(connection: Connection, refused: number): Promise<Held> {
    const giveUpAt = Date.now() + waitSecondsMax * 1000;
    for (;;) {
      const { row, secrets } = await readOpen(connection);
      const isFresh = row.token_generation > refused && !isPast(row.token_refresh_at);
      if (isFresh) return hold(connection.id, tokenOf(secrets, row));
      const lease = await takeLeaseOf(connection.id, row);
      if (lease) {
        const fetched = await refresh(connection, row, secrets, lease, refused);
        if (fetched) return hold(connection.id, fetched);
      } else if (row.token_generation > refused && !isPast(row.token_expires_at)) {
        // Somebody is fetching the next one already, and this one still works.
        return tokenOf(secrets, row);
      } else {
        if (Date.now() > giveUpAt) throw unavailable("Another process has not finished signing in.");
        await new Promise((resolve) => setTimeout(resolve, lookAgainMilliseconds * (0.5 + Math.random())));
      }
    }
  }

  async function readOpen(connection: Connection, isSecondLook = false): Promise<{ row: TokenRow; secrets: Secrets }> {
    const row = await readTokenRow(db, connection.id);
    if (row?.state !== "connected" || row.sealed === null) {
      throw stopped(row?.state ?? "removed", row?.state_reason ?? null);
    }
    refuseMoved(connection, row);
    try {
      return { row, secrets: await readSecrets(connection, row) };
    } catch (error) {
      // Between the two reads a rotation may have sealed the row anew and thrown the old key away.
      if (isSecondLook || !(error instanceof SealBroken)) throw error;
      return readOpen(connection, true);
    }
  }

  const takeLeaseOf = (id: string, row: TokenRow): Promise<Lease | null> =>
    db.transaction(async (tx) => {
      const at = await parts.leaseNow(tx);
      const until = new Date(at.getTime() + leaseSeconds * 1000).toISOString();
      return takeLease(tx, id, { owner, generation: row.token_generation, now: at.toISOString(), until });
    });

  /** Null where the lease went to another meanwhile: what was fetched here is not written, and theirs is waited for. */
  async function refresh(
    connection: Connection,
    row: TokenRow,
    secrets: Secrets,
    lease: Lease,
    refused: number,
  ): Promise<Held | null> {
    let obtained: Obtained;
    try {
      obtained = await obtain(connection, secrets.grant);
    } catch (error) {
      if (!(error instanceof SignInFailed)) {
        await leave(connection, lease, null);
        throw error;
      }
      if (error.isGone) {
        if (await lose(connection, lease, error)) throw failureOf(error, connection.wayIn);
        return null;
      }
      const works = row.token_generation > refused && !isPast(row.token_expires_at);
      await leave(connection, lease, works ? later(tryAgainSeconds) : null);
      if (works) return tokenOf(secrets, row);
      throw failureOf(error, connection.wayIn);
    }
    return keepSurely(connection, secrets, obtained, lease);
  }

  /** Again and again where the store is away: what was obtained exists nowhere else, and what it replaces may be dead. */
  async function keepSurely(
    connection: Connection,
    before: Secrets,
    obtained: Obtained,
    lease: Lease,
  ): Promise<Held | null> {
    for (let tries = 1; ; tries++) {
      try {
        return await keep(connection, before, obtained, lease);
      } catch (error) {
        if (!(error instanceof StoreUnavailable) || tries === keepTriesMax) throw error;
        await new Promise((resolve) => setTimeout(resolve, keepAgainMilliseconds));
      }
    }
  }

  async function obtain(connection: Connection, grant: Grant): Promise<Obtained> {
    if (grant.kind === "access token") {
      throw new SignInFailed("invalid_credentials", "The token has ended or was withdrawn, and cannot be renewed.", {
        isGone: true,
      });
    }
    const endpoint = endpointOf(connection, config);
    const { signIn } = systemOf(connection.system);
    const assertion = await assertionOf(signIn, grant, endpoint, now());
    return ask(signIn.obtain(grant, endpoint, assertion), endpoint, onBehalfOf(connection, parts.outbound));
  }

  /** A new refresh token is durable before anything is done with it: nobody else has it, and the old one may be dead. */
  async function keep(connection: Connection, before: Secrets, obtained: Obtained, lease: Lease): Promise<Held | null> {
    const secrets: Secrets = { grant: withRotated(before.grant, obtained.refreshToken), token: obtained.token };
    const life = lifeOf(obtained, now(), obtained.token === before.token);
    const generation = await db.transaction(async (tx) => {
      const sealed = await keys.seal(tx, JSON.stringify(secrets), sealContextOf(connection));
      const toKeep = { sealed: sealed.text, dataKeyId: sealed.dataKeyId, ...life, now: now().toISOString() };
      return keepToken(tx, connection.id, lease, toKeep);
    });
    if (generation === null) return null;
    const { grantedAt } = connection;
    return { value: new Secret(secrets.token), generation, refreshAt: life.refreshAt, grantedAt };
  }

  const leave = (connection: Connection, lease: Lease, refreshAt: string | null): Promise<void> =>
    db.transaction((tx) => leaveLease(tx, connection.id, lease, refreshAt));

  /** False where the lease went to another meanwhile, who knows better. */
  const lose = (connection: Connection, lease: Lease, error: SignInFailed): Promise<boolean> =>
    db.transaction(async (tx) => {
      const isLost = await loseGrant(tx, connection.id, lease, error.message, now().toISOString());
      if (isLost) await parts.onLost(tx, connection, error.message);
      return isLost;
    });

  const readSecrets = async (connection: Connection, row: TokenRow): Promise<Secrets> =>
    JSON.parse(await keys.open(db, row.sealed ?? "", sealContextOf(connection))) as Secrets;

  const isPast = (moment: string | null): boolean => moment !== null && moment <= now().toISOString();
  const later = (seconds: number): string => new Date(now().getTime() + seconds * 1000).toISOString();

  return {
    token,
    /** The grant of a connection, for what is done with it beside getting tokens. */
    async secretsOf(connection: Connection): Promise<Secrets | null> {
      const row = await readTokenRow(db, connection.id);
      return row === null || row.sealed === null ? null : readSecrets(connection, row);
    },
  };
}

export type Tokens = ReturnType<typeof createTokens>;

export const sealContextOf = (connection: Pick<Connection, "id" | "organizationId">) =>
  ({ table: "connections", row: connection.id, organizationId: connection.organizationId }) as const;

const tokenOf = (secrets: Secrets, row: TokenRow): Held => ({
  value: new Secret(secrets.token),
  generation: row.token_generation,
  refreshAt: row.token_refresh_at,
  grantedAt: row.granted_at,
});

/** Whoever began a call before the account was moved still has its old address, which the new grant is not for. */
function refuseMoved({ grantedAt, instance, addresses }: Connection, row: TokenRow): void {
  if (row.granted_at === grantedAt) return;
  const isSame = row.instance === instance && (instance === "sandbox" || row.addresses === JSON.stringify(addresses));
  if (!isSame) throw unavailable("The account was connected to another address while this call was under way.");
}

const withRotated = (grant: Grant, refreshToken: string | undefined): Grant =>
  grant.kind === "refresh token" && refreshToken !== undefined ? { ...grant, refreshToken } : grant;
