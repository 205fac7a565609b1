import type { Region } from "../../kernel/regions.ts";
import { createLimits } from "../../limits/limits.ts";
import { countChecks } from "../../steps/count-account-checks.ts";
import type { VaultConfig } from "../../vault/system-addresses.ts";
import { createHealthChecks, createVault } from "../../vault/vault.ts";
import { type Config, type OAuthClients, sandboxUrlsOf } from "../settings/config.ts";
import { announceConnections, announceLimits } from "./announce-to-webhooks.ts";
import type { RegionBase } from "./open-base.ts";

export type RegionAccounts = ReturnType<typeof openAccounts>;

/** The connected accounts of a region, and the limits of their systems. */
export function openAccounts({ config, region, store, ring, outbounds, processes, log, now, meter }: RegionBase) {
  const limits = createLimits({ store, log, isHistoryKept: true, processes, onExhausted: announceLimits(now) });
  const vault = createVault({
    store,
    ring,
    outbound: outbounds.steps,
    config: vaultConfigOf(config, region),
    now,
    log,
    events: announceConnections(now),
    outboundFor: countChecks(outbounds.steps, limits, now),
    meter,
  });
  return { limits, vault, healthChecks: createHealthChecks(vault, log) };
}

export const vaultConfigOf = (config: Config, region: Region): VaultConfig => ({
  region,
  sandboxes: sandboxUrlsOf(config),
  clients: clientsOf(config.oauthClients[region]),
  redirectUri: `${config.baseUrls[region]}/oauth/callback`,
  privateOrigins: config.privateHosts.steps,
});

const clientsOf = (clients: OAuthClients): VaultConfig["clients"] =>
  Object.fromEntries(
    Object.entries(clients).map(([system, client]) => [system, { ...client, secret: client.secret.reveal() }]),
  );
