import { findProjectById } from "../access/projects.ts";
import { type Announce, type AnyScope, announceNothing, type Scope } from "../access/scope.ts";
import type { Log } from "../kernel/log.ts";
import { Problem } from "../kernel/problem.ts";
import type { Db, Store } from "../store/db.ts";
import { sharedNow } from "../store/shared-time.ts";
import { type SystemId, systemOf } from "../systems/index.ts";
import { isFromConsent } from "../systems/sign-in.ts";
import { type Outbound, onBehalfOf } from "../transport/outbound.ts";
import { ask } from "./ask.ts";
import { asProblems, saveVerified, type Verified } from "./connect.ts";
import { type Connection, type ConnectionReader, createReader } from "./connections.ts";
import {
  type BegunConsent,
  type ComingBrowser,
  type ConsentEnd,
  type ConsentShown,
  type ConsentStatus,
  type ConsentWish,
  createConsents,
} from "./consent/consents.ts";
import { endpointOf, type VaultConfig } from "./endpoint.ts";
import { loseIfStill, removeGrant, reopenAtSandbox } from "./grants.ts";
import { checkDue, examine, type Finding, keepFinding } from "./health.ts";
import { type InstanceOffer, offersOf } from "./instances.ts";
import { type ConnectWish, prepare } from "./prepare.ts";
import { createDataKeys, type DataKeys, SealBroken } from "./sealing/data-keys.ts";
import type { KeyRing } from "./sealing/key-ring.ts";
import { createTokens, type Token } from "./tokens.ts";

export type { Connection } from "./connections.ts";
export { GrantedAnew } from "./grants.ts";
export type { ConnectWish } from "./prepare.ts";
export { needsReconnect } from "./token-failures.ts";
export type { Token } from "./tokens.ts";

/** Connected accounts: who they are, and a token of theirs that works now. */
export interface Vault extends Omit<ConnectionReader, "find"> {
  /** One indexed read on the store, every time. Null for what is in another project. */
  find(projectId: string, connectionId: string): Promise<Connection | null>;
  /**
   * A token that works now. `refused` asks for another one than that: one refresh for all who ask, across processes.
   * Throws StepFailed: needs_reconnect, authentication_failed or system_unavailable.
   */
  token(connection: Connection, refused?: Token): Promise<Token>;
  /** The system says that the grant itself is gone: the connection needs to be reconnected. */
  lost(connection: Connection, reason: string): Promise<void>;
  /** A sandbox is as it was at first: connections to it that were lost are tried again. */
  sandboxReset(system: SystemId): Promise<void>;

  /** What can be connected of a system, and how. */
  instancesOf(system: SystemId): InstanceOffer[];
  /** Signs an account in with given credentials, or says which page is to be shown. Saves nothing. */
  prepare(projectId: string, wish: ConnectWish): Promise<{ verified: Verified } | { consent: ConsentWish }>;
  /** The same for a wish with credentials, or one that needs none. */
  verify(projectId: string, wish: ConnectWish): Promise<Verified>;
  /** Keeps what was verified, in the transaction of the change; answers the connection's id. */
  save(scope: AnyScope, project: { id: string; organizationId: string }, verified: Verified): Promise<string>;
  /** Makes the address of the page, in the transaction of the change. */
  beginConsent(scope: Scope, projectId: string, wish: ConsentWish): Promise<BegunConsent>;
  consentStatus(projectId: string, connectId: string): Promise<ConsentStatus>;
  /** What is asked for, for our own page. */
  showConsent(connectId: string): Promise<ConsentShown>;
  /** Somebody goes on from our page, in this browser: the system's own page, or null where it is too late. */
  openConsent(connectId: string, browserHash: string): Promise<string | null>;
  /** The person is back from the page, with these parameters. `from` is the browser; null where a program came. */
  finishConsent(parameters: URLSearchParams, from: ComingBrowser | null): Promise<ConsentEnd>;

  /** Asks the system who the account is. */
  examine(connection: Connection): Promise<Finding>;
  keepFinding(db: Db, connection: Connection, finding: Finding): Promise<void>;
  /** Takes the grant back at the system, as far as it is ours; answers what came of that. */
  revoke(connection: Connection, alsoPasted: boolean): Promise<Revoked>;
  /** Destroys the secrets, in the transaction of the change. Throws GrantedAnew where they are not those that were revoked. */
  remove(db: Db, connection: Connection, revoked: Revoked): Promise<void>;

  /** What is due behind the requests: checks of health, and sign-ins that nobody came back from. */
  tend(): Promise<void>;
  keys: DataKeys;
}

export interface Revoked {
  at_system: boolean;
  detail: string;
}

export interface VaultParts {
  store: Store;
  ring: KeyRing;
  outbound: Outbound;
  config: VaultConfig;
  now: () => Date;
  /** The time that leases are told in: that of the database where nodes share one, unless a test moves its own. */
  leaseNow?: (db: Db) => Promise<Date>;
  log: Log;
  events?: ConnectionEvents;
  /** The way out for looks at an account, where they count as calls; `outbound` itself where nobody says. */
  outboundFor?: (connection: Connection) => Outbound;
}

/** Who is to hear of what happens to connections behind the calls; each is asked in the transaction of the change. */
export interface ConnectionEvents {
  /** With the audit row of an account that a person has signed in. */
  announce: Announce;
  /** A grant is gone, and the connection waits for a person. */
  lost(db: Db, connection: Connection, reason: string): Promise<void>;
}

const noEvents: ConnectionEvents = { announce: announceNothing, lost: async () => {} };

export function createVault(parts: VaultParts): Vault {
  const { store, ring, outbound, config, now, log, events = noEvents } = parts;
  const keys = createDataKeys({ ring, region: config.region, now });
  const reader = createReader(store, config);
  const leaseNow = parts.leaseNow ?? ((db: Db) => sharedNow(db, store.kind, now()));
  const onLost = async (db: Db, connection: Connection, reason: string): Promise<void> => {
    log.warn({ connection_id: connection.id, reason }, "a connection was lost");
    await events.lost(db, connection, reason);
  };
  const tokens = createTokens({ db: store, keys, outbound, config, now, leaseNow, onLost });
  const consents = createConsents({ store, keys, outbound, config, now, announce: events.announce });
  const checks = { db: store, tokens, outboundFor: parts.outboundFor ?? (() => outbound), config, now, onLost };

  /** Pasted credentials belong to whoever pasted them, and may be in use elsewhere. */
  async function revoke(connection: Connection, alsoPasted: boolean): Promise<Revoked> {
    const secrets = await tokens.secretsOf(connection).catch((error): "broken" => {
      if (error instanceof SealBroken) return "broken";
      throw error;
    });
    if (!secrets) return { at_system: false, detail: "There were no credentials any longer." };
    if (secrets === "broken") {
      return { at_system: false, detail: "The credentials cannot be opened any longer: end them at the system." };
    }
    if (!isFromConsent(secrets.grant) && !alsoPasted) {
      return {
        at_system: false,
        detail: "The credentials were pasted: they stay valid at the system until they are ended there.",
      };
    }
    const endpoint = endpointOf(connection, config);
    const asking = systemOf(connection.system).signIn.revoke(
      secrets.grant,
      secrets.token,
      endpoint,
      connection.identity,
    );
    if (!asking) return { at_system: false, detail: "The system knows no call for it: end the credentials there." };
    try {
      await ask(asking, endpoint, onBehalfOf(connection, outbound));
      return { at_system: true, detail: "The grant was taken back at the system." };
    } catch (error) {
      log.warn({ connection_id: connection.id, err: error }, "a grant could not be taken back");
      return { at_system: false, detail: "The system could not be told; take the grant back there." };
    }
  }

  const prepareWish: Vault["prepare"] = (projectId, wish) =>
    asProblems(async () => {
      const existing = wish.connectionId === undefined ? null : await reader.find(projectId, wish.connectionId);
      if (wish.connectionId !== undefined && !existing) throw new Problem("connection_not_found");
      const project = await findProjectById(store, projectId);
      if (!project) throw new Problem("project_not_found");
      return prepare(wish, existing, { organizationId: project.organizationId, outbound, config, now });
    });

  return {
    ...reader,
    token: tokens.token,
    async lost(connection, reason) {
      await store.transaction((db) => loseIfStill(db, connection, reason, checks));
    },
    async sandboxReset(system) {
      await store.transaction((db) => reopenAtSandbox(db, system, now().toISOString()));
    },
    instancesOf: (system) => offersOf(system, config),
    prepare: prepareWish,
    async verify(projectId, wish) {
      const prepared = await prepareWish(projectId, wish);
      if ("verified" in prepared) return prepared.verified;
      throw new Problem("sign_in_not_configured", "Only a person can sign this account in; give its `credentials`.");
    },
    save: (scope, project, verified) => saveVerified(scope, project.id, project.organizationId, verified, keys),
    beginConsent: consents.begin,
    consentStatus: consents.status,
    showConsent: consents.show,
    openConsent: consents.open,
    finishConsent: consents.finish,
    examine: (connection) => examine(connection, checks),
    keepFinding: (db, connection, finding) => keepFinding(db, connection, finding, checks),
    revoke,
    remove: (db, connection, revoked) => removeGrant(db, connection, `Removed by a person. ${revoked.detail}`, now()),
    async tend() {
      await checkDue(checks, log);
      await consents.forgetOld();
    },
    keys,
  };
}

const tendEveryMilliseconds = 60_000;

/** Looks after the connections for as long as the process runs, without keeping it alive. */
export function createHealthChecks(vault: Pick<Vault, "tend">, log: Log): { stop(): Promise<void> } {
  let underway: Promise<void> = Promise.resolve();
  const timer = setInterval(() => {
    underway = underway.then(() =>
      vault.tend().catch((error) => log.warn({ err: error }, "the connections could not be looked after")),
    );
  }, tendEveryMilliseconds);
  timer.unref();
  return {
    async stop() {
      clearInterval(timer);
      await underway;
    },
  };
}
