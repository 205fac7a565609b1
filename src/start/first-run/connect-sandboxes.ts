import { appendAudit, lockChain } from "../../access/audit/audit.ts";
import { operatorScope } from "../../access/operator.ts";
import type { Region } from "../../kernel/regions.ts";
import type { Store } from "../../store/db.ts";
import { type SystemId, systemIds, systemOf } from "../../systems/index.ts";
import type { Outbound } from "../../transport/outbound.ts";
import type { VerifiedAccount } from "../../vault/connect.ts";
import { readSandboxCredentials } from "../../vault/sandbox-credentials.ts";
import type { ConnectWish, Vault } from "../../vault/vault.ts";
import type { Config } from "../settings/config.ts";
import { type FirstRunRegion, readFirstRun, writeFirstRun } from "./first-run.ts";

interface Parts {
  region: Region;
  vault: Vault;
  store: Store;
  outbound: Outbound;
  now: () => Date;
}

/**
 * Connects the first project to each sandbox: a user, a team and an API user to try every step with. A region from
 * before there were connections gets them at its next start.
 */
export async function connectFirstProject(
  config: Config,
  sandboxes: Record<SystemId, string>,
  parts: Parts,
): Promise<void> {
  const found = readFirstRun(config.home).regions[parts.region];
  if (!found) return;
  const entry = await withConnections(config, found, parts);
  const missing = await missingConnections(entry, parts.vault);
  if (missing.length === 0) return;
  const verified = await Promise.all(
    missing.map(async (system) =>
      parts.vault.verify(entry.project_id, await wishFor(system, sandboxes[system], parts)),
    ),
  );
  await keep(config, entry, verified, parts);
}

/** If the file was recreated, the connections still exist: they are found by their labels. */
async function withConnections(config: Config, entry: FirstRunRegion, parts: Parts): Promise<FirstRunRegion> {
  if (entry.connections) return entry;
  const listed = await parts.vault.list(entry.project_id, { after: "", limit: 100 });
  const connections: Partial<Record<SystemId, string>> = {};
  for (const { id, system, instance, label } of listed) {
    if (instance === "sandbox" && label === labelOf(system)) connections[system] ??= id;
  }
  if (Object.keys(connections).length === 0) return entry;
  const known = readFirstRun(config.home);
  known.regions[parts.region] = { ...entry, connections };
  writeFirstRun(config.home, known);
  return { ...entry, connections };
}

const labelOf = (system: SystemId): string => `Sandbox: ${system}`;

async function missingConnections(entry: FirstRunRegion, vault: Vault): Promise<SystemId[]> {
  const missing: SystemId[] = [];
  for (const system of systemIds) {
    const id = entry.connections?.[system];
    if (id === undefined || !(await vault.find(entry.project_id, id))) missing.push(system);
  }
  return missing;
}

/** "The analytics sandbox's administrator, the deployment sandbox's team with its token, and the marketing sandbox's API user." */
async function wishFor(system: SystemId, origin: string, { outbound }: Parts): Promise<ConnectWish> {
  const listed = await readSandboxCredentials(system, origin, outbound);
  return {
    system,
    instance: "sandbox",
    label: labelOf(system),
    credentials: systemOf(system).signIn.credentials.ofSandbox(listed),
  };
}

/**
 * The file is written before the commit; after a crash in between, the next start finds that the connections are
 * missing.
 */
async function keep(config: Config, entry: FirstRunRegion, verified: VerifiedAccount[], parts: Parts): Promise<void> {
  const { region, vault, store, now } = parts;
  await store.transaction(async (db) => {
    const scope = { ...operatorScope(db, region, now), projectId: entry.project_id };
    let head = await lockChain(db, entry.organization_id);
    const made: Partial<Record<SystemId, string>> = {};
    for (const each of verified) {
      const id = await vault.save(scope, { id: entry.project_id, organizationId: entry.organization_id }, each);
      const details = { system: each.system, instance: each.instance, identity: each.who.identity.label };
      head = await appendAudit(scope, head, { action: "connection.connected", target: id, details });
      made[each.system] = id;
    }
    // Read again: other regions write to the same file.
    const known = readFirstRun(config.home);
    const mine = known.regions[region] ?? entry;
    known.regions[region] = { ...mine, connections: { ...mine.connections, ...made } };
    writeFirstRun(config.home, known);
  });
}
