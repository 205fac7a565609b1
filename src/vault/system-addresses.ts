import type { Region } from "../kernel/regions.ts";
import { type SystemId, systemOf } from "../systems/index.ts";
import type { Endpoint, OAuthClient } from "../systems/sign-in.ts";
import type { PrivateHost } from "../transport/private-hosts.ts";

/** Where a region finds the systems: its sandboxes, and its own OAuth clients at the live systems. */
export interface VaultConfig {
  region: Region;
  /** Null without sandboxes. */
  sandboxes: Readonly<Record<SystemId, string>> | null;
  clients: Readonly<Partial<Record<SystemId, OAuthClient>>>;
  /** Where a consent page redirects people to, exactly as registered. */
  redirectUri: string;
  /** Origins in private networks that the operator allows. Such an address may use plain http. */
  privateOrigins: readonly PrivateHost[];
}

/** What identifies the location of an account. */
interface Located {
  system: SystemId;
  instance: Endpoint["instance"];
  addresses: Readonly<Record<string, string>>;
}

/** Every API of a system at one origin. */
export const addressesAt = (system: SystemId, origin: string): Record<string, string> =>
  Object.fromEntries(systemOf(system).signIn.apis.map((api) => [api, origin]));

/**
 * A sandbox changes its address with its port, so its address comes from the configuration. All others stay as given.
 */
export function presentAddresses(connection: Located, config: VaultConfig): Readonly<Record<string, string>> {
  const sandbox = config.sandboxes?.[connection.system];
  return connection.instance === "sandbox" && sandbox !== undefined
    ? addressesAt(connection.system, sandbox)
    : connection.addresses;
}

/** A client's secret goes only to the system where the client is registered, never to an address that a user typed. */
export const endpointOf = (connection: Located, config: VaultConfig): Endpoint => ({
  instance: connection.instance,
  addresses: presentAddresses(connection, config),
  client: connection.instance === "live" ? (config.clients[connection.system] ?? null) : null,
  isTyped: connection.instance === "custom" || (connection.instance === "live" && hasOwnAddress(connection.system)),
});

const hasOwnAddress = (system: SystemId): boolean => systemOf(system).signIn.live === null;
