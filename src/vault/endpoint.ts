import type { Region } from "../kernel/regions.ts";
import { type SystemId, systemOf } from "../systems/index.ts";
import type { Endpoint, OAuthClient } from "../systems/sign-in.ts";
import type { PrivateHost } from "../transport/private-hosts.ts";

/** Where a region finds the systems: its sandboxes, and its own clients at the live systems. */
export interface VaultConfig {
  region: Region;
  /** Null where there are none. */
  sandboxes: Readonly<Record<SystemId, string>> | null;
  clients: Readonly<Partial<Record<SystemId, OAuthClient>>>;
  /** Where a consent page sends people back to, exactly as it is registered. */
  redirectUri: string;
  /** Origins in private networks that the operator allows; such an address may be plain http. */
  privateOrigins: readonly PrivateHost[];
}

/** What tells where an account lives. */
interface Located {
  system: SystemId;
  instance: Endpoint["instance"];
  addresses: Readonly<Record<string, string>>;
}

/** Every api of a system at one origin. */
export const addressesAt = (system: SystemId, origin: string): Record<string, string> =>
  Object.fromEntries(systemOf(system).signIn.apis.map((api) => [api, origin]));

/** The sandboxes move with their ports, so their addresses are those of now; all others are as they were given. */
export function presentAddresses(connection: Located, config: VaultConfig): Readonly<Record<string, string>> {
  const sandbox = config.sandboxes?.[connection.system];
  return connection.instance === "sandbox" && sandbox !== undefined
    ? addressesAt(connection.system, sandbox)
    : connection.addresses;
}

/** A client's secret goes to the system it is registered at, and nowhere else: not to an address that somebody typed. */
export const endpointOf = (connection: Located, config: VaultConfig): Endpoint => ({
  instance: connection.instance,
  addresses: presentAddresses(connection, config),
  client: connection.instance === "live" ? (config.clients[connection.system] ?? null) : null,
  isTyped: connection.instance === "custom" || (connection.instance === "live" && hasOwnAddress(connection.system)),
});

const hasOwnAddress = (system: SystemId): boolean => systemOf(system).signIn.live === null;
