import type { AnyScope } from "../access/scope.ts";
import type { Log } from "../kernel/log.ts";
import { Problem } from "../kernel/problem.ts";
import type { Store } from "../store/db.ts";
import type { SystemId } from "../systems/define.ts";
import type { Outbound } from "../transport/outbound.ts";
import { asProblems, refuseOtherSystem, saveVerified, type Verified, verify } from "./connect.ts";
import { type Connection, createReader, markLost } from "./connections.ts";
import { createDataKeys } from "./data-keys.ts";
import { chooseInstance, type InstanceOffer, offersOf } from "./instances.ts";
import type { KeyRing } from "./key-ring.ts";
import { placeOf, type Surroundings } from "./places.ts";
import { readCredentials } from "./read-credentials.ts";
import { readSandboxCredentials } from "./sandbox-door.ts";
import { createTokens, type Token } from "./tokens.ts";

export type { Connection } from "./connections.ts";
export type { Token } from "./tokens.ts";

/** Connected accounts: who they are, and a token of theirs that works now. */
export interface Vault {
  /** One indexed read on the store, every time. Null for what is in another project. */
  find(projectId: string, connectionId: string): Promise<Connection | null>;
  /**
   * A token that works now. `refused` asks for another one than that: one refresh for all who ask, across processes.
   * Throws StepFailed: needs_reconnect, authentication_failed or system_unavailable.
   */
  token(connection: Connection, refused?: Token): Promise<Token>;
  /** The system says that the grant itself is gone: the connection needs to be reconnected. */
  lost(connection: Connection, reason: string): Promise<void>;

  /** What can be connected of a system, and how. */
  instancesOf(system: SystemId): InstanceOffer[];
  list(projectId: string, page: { system?: SystemId | undefined; after: string; limit: number }): Promise<Connection[]>;
  /** Signs an account in with given credentials, and saves nothing yet. */
  verify(projectId: string, wish: ConnectWish): Promise<Verified>;
  /** Keeps what was verified, in the transaction of the change; answers the connection's id. */
  save(scope: AnyScope, project: { id: string; organizationId: string }, verified: Verified): Promise<string>;
}

export interface ConnectWish {
  system: SystemId;
  /** `live`, `sandbox`, or an address. */
  instance: string;
  label?: string | undefined;
  credentials?: Record<string, unknown> | undefined;
  connectionId?: string | undefined;
}

export interface VaultParts {
  store: Store;
  ring: KeyRing;
  outbound: Outbound;
  surroundings: Surroundings;
  now: () => Date;
  log: Log;
}

export function createVault(parts: VaultParts): Vault {
  const { store, ring, outbound, surroundings, now, log } = parts;
  const keys = createDataKeys({ ring, region: surroundings.region, now });
  const reader = createReader(store, surroundings);
  const tokens = createTokens({
    db: store,
    keys,
    outbound,
    surroundings,
    now,
    onLost: (connection, reason) => log.warn({ connection_id: connection.id, reason }, "a connection was lost"),
  });

  async function findExisting(projectId: string, { connectionId, system }: ConnectWish): Promise<Connection | null> {
    if (connectionId === undefined) return null;
    const existing = await reader.find(projectId, connectionId);
    if (!existing) throw new Problem("connection_not_found");
    refuseOtherSystem(existing, system);
    return existing;
  }

  /** The demonstration account of a sandbox needs no typing. */
  async function credentialsOf({ system, instance, credentials }: ConnectWish): Promise<Record<string, unknown>> {
    const sandbox = surroundings.sandboxes?.[system];
    if (credentials !== undefined || instance !== "sandbox" || sandbox === undefined) return credentials ?? {};
    const { client_id, client_secret } = await readSandboxCredentials(system, sandbox, outbound);
    return { client_id, client_secret };
  }

  return {
    find: reader.find,
    list: reader.list,
    instancesOf: (system) => offersOf(system, surroundings),
    token: tokens.token,
    async lost(connection, reason) {
      const isLost = await store.transaction((db) =>
        markLost(db, connection.id, connection.grantedAt, reason, now().toISOString()),
      );
      if (isLost) log.warn({ connection_id: connection.id, reason }, "a connection was lost");
    },
    verify: (projectId, wish) =>
      asProblems(async () => {
        await findExisting(projectId, wish);
        const { grant, teamId, restEndpoint } = readCredentials(wish.system, await credentialsOf(wish));
        const chosen = chooseInstance(wish.system, wish.instance, restEndpoint, surroundings);
        const place = placeOf({ system: wish.system, ...chosen }, surroundings);
        const label = wish.label ?? null;
        const connectionId = wish.connectionId ?? null;
        return verify({ system: wish.system, ...chosen, grant, label, connectionId, place, teamId }, outbound, now());
      }),
    save: (scope, project, verified) => saveVerified(scope, project.id, project.organizationId, verified, keys),
  };
}
