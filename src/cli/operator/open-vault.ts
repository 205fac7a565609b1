import { operatorScope } from "../../access/operator.ts";
import type { Operator, Scope } from "../../access/scope.ts";
import { createLog } from "../../kernel/log.ts";
import { readFirstRun } from "../../start/first-run/first-run.ts";
import { existingKeyRing } from "../../start/master-keys.ts";
import { announceConnections } from "../../start/region/announce-to-webhooks.ts";
import { vaultConfigOf } from "../../start/region/open-accounts.ts";
import { openStore } from "../../start/region/open-database.ts";
import { type Config, readConfig, sandboxUrlsOf } from "../../start/settings/config.ts";
import { createOutbound } from "../../transport/outbound.ts";
import { createVault, type Vault } from "../../vault/vault.ts";
import { announceChanges } from "../../webhooks/announce-changes.ts";
import { noteStore, type OperatorOptions, regionOf, requireStore } from "../as-operator.ts";
import { terminal } from "../terminal/terminal.ts";

const quiet = createLog("silent", { write: () => {} });

/** Opens the region's connections while `work` runs, with or without a running server. */
export async function withVault<T>(
  options: OperatorOptions,
  work: (vault: Vault, scope: Scope<Operator>) => Promise<T>,
): Promise<T> {
  const config = withServerSandboxes(readConfig(terminal().environment, { home: options.home }));
  const region = regionOf(options, config);
  await requireStore(config, region);
  const ring = existingKeyRing(config);
  const now = () => new Date();
  const store = await openStore(config, region);
  const vaultConfig = vaultConfigOf(config, region);
  const outbound = createOutbound({
    privateOrigins: config.privateHosts.steps,
    sandboxOrigins: Object.values(vaultConfig.sandboxes ?? {}),
  });
  try {
    const vault = createVault({
      store,
      ring,
      outbound,
      config: vaultConfig,
      now,
      log: quiet,
      events: announceConnections(now),
    });
    const done = await work(vault, operatorScope(store, region, now, announceChanges(null)));
    noteStore(config, region);
    return done;
  } finally {
    await outbound.close();
    await store.close();
  }
}

/** A server that was started with its own sandboxes has recorded their addresses. */
function withServerSandboxes(config: Config): Config {
  const noted = sandboxUrlsOf(config) ? null : readFirstRun(config.home).sandboxes;
  return noted ? { ...config, sandboxes: noted } : config;
}
