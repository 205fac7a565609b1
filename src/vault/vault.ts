import { findProject } from "../access/projects.ts";
import { type Announce, type AnyScope, announceNothing, type Scope } from "../access/scope.ts";
import type { Log } from "../kernel/log.ts";
import type { RegionMeter } from "../kernel/meter.ts";
import { Problem } from "../kernel/problem.ts";
import type { Db, Store } from "../store/db.ts";
import { sharedNow } from "../store/shared-time.ts";
import { type SystemId, systemOf } from "../systems/index.ts";
import { isFromConsent } from "../systems/sign-in.ts";
import { type Outbound, onBehalfOf } from "../transport/outbound.ts";
import { type CheckResult, checkAccount, checkDue, saveCheckResult } from "./check-health.ts";
import { saveAccount, type VerifiedAccount, withSignInProblems } from "./connect.ts";
import type { ConnectionSecrets } from "./connection-secrets.ts";
import { type Connection, type ConnectionReader, createConnectionReader } from "./connections.ts";
import {
  type BegunConsent,
  type ConsentEnd,
  type ConsentShown,
  type ConsentStatus,
  type ConsentWish,
  createConsents,
  type ReturningBrowser,
} from "./consent/consents.ts";
import { markLostOnce, removeGrant, reopenAtSandbox } from "./grants.ts";
import { type InstanceOffer, offeredInstances } from "./instances.ts";
import { type ConnectWish, prepare } from "./prepare-connection.ts";
import { runSignIn } from "./run-sign-in.ts";
import { createDataKeys, type DataKeys, SealBroken } from "./sealing/data-keys.ts";
import type { KeyRing } from "./sealing/key-ring.ts";
import { beginRemoval, checkShared, findSiblings } from "./shared-grants.ts";
import { endpointOf, type VaultConfig } from "./system-addresses.ts";
import { createTokens, type Token } from "./tokens.ts";

export type { Connection } from "./connections.ts";
export { ReconnectedMeanwhile } from "./grants.ts";
export type { ConnectWish } from "./prepare-connection.ts";
export { needsReconnect } from "./token-failures.ts";
export type { Token } from "./tokens.ts";

/** Connected accounts: who they are, and a working token for each. */
export interface Vault extends Omit<ConnectionReader, "find"> {
  /** Costs one indexed read each time. Null for a connection of another project. */
  find(projectId: string, connectionId: string): Promise<Connection | null>;
  /**
   * Returns a token that works now. `refused` asks for a newer one: concurrent callers, across processes, cause one
   * refresh. Throws StepFailed: needs_reconnect, authentication_failed or system_unavailable.
   */
  token(connection: Connection, refused?: Token): Promise<Token>;
  /** The system says that the grant no longer exists: the connection needs a reconnect. */
  lost(connection: Connection, reason: string): Promise<void>;
  /** A sandbox was reset to its first state: its lost connections are tried again. */
  reopenSandboxConnections(system: SystemId): Promise<void>;

  instancesOf(system: SystemId): InstanceOffer[];
  /** Verifies an account with the given credentials, or says which consent page to show. Saves nothing. */
  prepare(projectId: string, wish: ConnectWish): Promise<{ verified: VerifiedAccount } | { consent: ConsentWish }>;
  /** Like `prepare`, for a wish that needs no consent page. */
  verify(projectId: string, wish: ConnectWish): Promise<VerifiedAccount>;
  /** Saves the account in the transaction of the change. Returns the connection's id. */
  save(scope: AnyScope, project: { id: string; organizationId: string }, verified: VerifiedAccount): Promise<string>;
  /** Creates the address of the consent page in the transaction of the change. */
  beginConsent(scope: Scope, projectId: string, wish: ConsentWish): Promise<BegunConsent>;
  consentStatus(projectId: string, connectId: string): Promise<ConsentStatus>;
  /** What our own page shows before the system's page. */
  showConsent(connectId: string): Promise<ConsentShown>;
  /** The user continues from our page in this browser. Returns the system's page, or null after the deadline. */
  openConsent(connectId: string, browserHash: string): Promise<string | null>;
  /** The consent page redirected here with these parameters. `from` is the browser; null for a program. */
  finishConsent(parameters: URLSearchParams, from: ReturningBrowser | null): Promise<ConsentEnd>;

  /** Asks the system who the account is. */
  checkAccount(connection: Connection): Promise<CheckResult>;
  saveCheckResult(db: Db, connection: Connection, result: CheckResult): Promise<void>;
  /** How many other connections of the organization end if this one's grant is revoked. */
  sharedWith(connection: Connection): Promise<number>;
  /**
   * The first part of a removal: revokes the grant at the system, if the grant is ours, and if no other connection shares it
   * that is not being removed as well. Returns the outcome, and
   * the connections that ended with it.
   */
  revoke(connection: Connection, wish: RevokeWish): Promise<{ revoked: Revoked; ended: Connection[] }>;
  /**
   * Destroys the secrets, in the transaction of the change; those that ended with them need a reconnect. Throws
   * ReconnectedMeanwhile if the account was reconnected since.
   */
  remove(db: Db, connection: Connection, outcome: { revoked: Revoked; ended: readonly Connection[] }): Promise<void>;
  /** Somebody says that a shared grant has ended: every connection of the organization that has it is checked now. */
  checkShared(organizationId: string, system: SystemId, key: string): Promise<void>;

  /** Background work: health checks, and deleting expired consents. */
  maintain(): Promise<void>;
  keys: DataKeys;
}

export interface Revoked {
  at_system: boolean;
  detail: string;
  /** How many other connections of the organization use the same grant, if any do. */
  shared_with?: number;
}

export interface RevokeWish {
  /** Also credentials that a user pasted. */
  pasted?: boolean;
  /** Also a grant that other connections share. */
  shared?: boolean;
}

export interface VaultParts {
  store: Store;
  ring: KeyRing;
  outbound: Outbound;
  config: VaultConfig;
  now: () => Date;
  /** The clock for leases: the database's if nodes share one. Tests pass their own. */
  leaseNow?: (db: Db) => Promise<Date>;
  log: Log;
  events?: ConnectionEvents;
  /** The client for health checks, if they count as calls; `outbound` by default. */
  outboundFor?: (connection: Connection) => Outbound;
  meter?: RegionMeter;
}

/** Called for changes of connections outside of API calls, in the transaction of each change. */
export interface ConnectionEvents {
  /** Publishes the audit row of an account that a user has connected. */
  announce: Announce;
  /** A grant is lost, and the connection waits for a user. */
  lost(db: Db, connection: Connection, reason: string): Promise<void>;
}

const noEvents: ConnectionEvents = { announce: announceNothing, lost: async () => {} };

export function createVault(parts: VaultParts): Vault {
  const { store, ring, outbound, config, now, log, events = noEvents } = parts;
  const keys = createDataKeys({ ring, region: config.region, now });
  const reader = createConnectionReader(store, config);
  const leaseNow = parts.leaseNow ?? ((db: Db) => sharedNow(db, store.kind, now()));
  const onLost = async (db: Db, connection: Connection, reason: string): Promise<void> => {
    log.warn({ connection_id: connection.id, reason }, "a connection was lost");
    parts.meter?.connectionLost(connection.system);
    await events.lost(db, connection, reason);
  };
  const tokens = createTokens({ db: store, keys, outbound, config, now, leaseNow, onLost, meter: parts.meter });
  const consents = createConsents({ store, keys, outbound, config, now, announce: events.announce });
  const checks = {
    db: store,
    tokens,
    outboundFor: parts.outboundFor ?? (() => outbound),
    config,
    now,
    leaseNow,
    onLost,
  };

  async function sharedWith(connection: Connection): Promise<number> {
    const secrets = connection.state === "removed" ? null : await secretsOf(connection);
    return secrets === null || secrets === "broken"
      ? 0
      : (await findSiblings(connection, secrets.grant, checks)).length;
  }

  async function revoke(connection: Connection, wish: RevokeWish): Promise<{ revoked: Revoked; ended: Connection[] }> {
    const secrets = await secretsOf(connection);
    const siblings = secrets && secrets !== "broken" ? await beginRemoval(connection, secrets.grant, checks) : [];
    const told = await revokeAlone(connection, secrets, wish, siblings.length);
    const revoked = { ...told, ...(siblings.length > 0 && { shared_with: siblings.length }) };
    return { revoked, ended: told.at_system ? siblings : [] };
  }

  const secretsOf = (connection: Connection): Promise<ConnectionSecrets | "broken" | null> =>
    tokens.secretsOf(connection).catch((error) => {
      if (error instanceof SealBroken) return "broken";
      throw error;
    });

  /** Pasted credentials belong to the user and may be in use elsewhere. A shared grant ends with its last connection. */
  async function revokeAlone(
    connection: Connection,
    secrets: ConnectionSecrets | "broken" | null,
    wish: RevokeWish,
    siblings: number,
  ): Promise<Revoked> {
    if (!secrets) return { at_system: false, detail: "There were no credentials left." };
    if (secrets === "broken") {
      return { at_system: false, detail: "The credentials can no longer be decrypted: revoke them at the system." };
    }
    if (!isFromConsent(secrets.grant) && !wish.pasted) {
      return {
        at_system: false,
        detail: "The credentials were pasted: they stay valid at the system until you revoke them there.",
      };
    }
    if (siblings > 0 && !wish.shared) {
      const others = siblings === 1 ? "One other connection uses" : `${siblings} other connections use`;
      const detail = `${others} the same grant at the system, so it was kept there. Only the secret of this connection was destroyed. The grant is revoked with its last connection.`;
      return { at_system: false, detail };
    }
    const endpoint = endpointOf(connection, config);
    const work = systemOf(connection.system).signIn.revoke(secrets.grant, secrets.token, endpoint, connection.identity);
    if (!work) return { at_system: false, detail: "The system has no call for this: revoke the credentials there." };
    try {
      await runSignIn(work, endpoint, onBehalfOf(connection, outbound));
      return { at_system: true, detail: "The grant was revoked at the system." };
    } catch (error) {
      log.warn({ connection_id: connection.id, err: error }, "a grant could not be revoked");
      return { at_system: false, detail: "The system could not be reached; revoke the grant there." };
    }
  }

  const prepareWish: Vault["prepare"] = (projectId, wish) =>
    withSignInProblems(async () => {
      const existing = wish.connectionId === undefined ? null : await reader.find(projectId, wish.connectionId);
      if (wish.connectionId !== undefined && !existing) throw new Problem("connection_not_found");
      const project = await findProject(store, projectId);
      if (!project) throw new Problem("project_not_found");
      return prepare(wish, existing, { organizationId: project.organizationId, outbound, config, now });
    });

  return {
    ...reader,
    token: tokens.token,
    async lost(connection, reason) {
      await store.transaction((db) => markLostOnce(db, connection, reason, checks));
    },
    async reopenSandboxConnections(system) {
      await store.transaction((db) => reopenAtSandbox(db, system, now().toISOString()));
    },
    instancesOf: (system) => offeredInstances(system, config),
    prepare: prepareWish,
    async verify(projectId, wish) {
      const prepared = await prepareWish(projectId, wish);
      if ("verified" in prepared) return prepared.verified;
      throw new Problem("sign_in_not_configured", "Only a person can sign this account in; give its `credentials`.");
    },
    save: (scope, project, verified) => saveAccount(scope, project.id, project.organizationId, verified, keys),
    beginConsent: consents.begin,
    consentStatus: consents.status,
    showConsent: consents.show,
    openConsent: consents.open,
    finishConsent: consents.finish,
    checkAccount: (connection) => checkAccount(connection, checks),
    saveCheckResult: (db, connection, result) => saveCheckResult(db, connection, result, checks),
    sharedWith,
    revoke,
    async remove(db, connection, { revoked, ended }) {
      await removeGrant(db, connection, `Removed by a person. ${revoked.detail}`, now());
      const reason = `Its grant was revoked together with that of the connection ${connection.id}.`;
      for (const sibling of ended) await markLostOnce(db, sibling, reason, checks);
    },
    checkShared: (organizationId, system, key) => checkShared(organizationId, system, key, checks),
    async maintain() {
      await checkDue(checks, log);
      await consents.deleteExpired();
    },
    keys,
  };
}

const maintainEveryMilliseconds = 60_000;

/** Runs the background work of the vault while the process lives, without keeping it alive. */
export function createHealthChecks(vault: Pick<Vault, "maintain">, log: Log): { stop(): Promise<void> } {
  let underway: Promise<void> = Promise.resolve();
  const timer = setInterval(() => {
    underway = underway.then(() =>
      vault.maintain().catch((error) => log.warn({ err: error }, "the maintenance of connections failed")),
    );
  }, maintainEveryMilliseconds);
  timer.unref();
  return {
    async stop() {
      clearInterval(timer);
      await underway;
    },
  };
}
