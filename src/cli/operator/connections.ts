import { appendAudit, lockChain } from "../../access/audit/audit.ts";
import { findProject } from "../../access/projects.ts";
import type { Operator, Scope } from "../../access/scope.ts";
import { Problem } from "../../kernel/problem.ts";
import type { SystemId } from "../../systems/index.ts";
import type { Connection, Vault } from "../../vault/vault.ts";
import { CommandRefused, type OperatorOptions, print, printRows } from "../as-operator.ts";
import { readCredentials } from "../connect.ts";
import { exitCodes } from "../exit-codes.ts";
import { terminal } from "../terminal/terminal.ts";
import { withVault } from "./open-vault.ts";

interface ConnectionOptions extends OperatorOptions {
  connection?: string;
  project?: string;
  revoke?: true;
  revokeShared?: true;
  system?: string;
  instance?: string;
  label?: string;
  credentials?: string;
}

const listMax = 1000;

/** Credentials come in a file or on standard input: arguments are visible to every user of the machine. */
export async function connect(options: ConnectionOptions): Promise<void> {
  if (!options.project || !options.credentials)
    throw new CommandRefused("On the store, name the project with --project and the credentials with --credentials.");
  const { project: projectId = "", system = "", instance = "live", label, connection: connectionId } = options;
  const credentials = await readCredentials(options.credentials ?? "-");
  const connection = await withVault(options, async (vault, scope) => {
    const wish = { system: system as SystemId, instance, label, credentials, connectionId };
    const project = await findProject(scope.db, projectId);
    if (!project) throw new Problem("project_not_found", `No project ${projectId} in this store.`);
    const verified = await vault.verify(projectId, wish);
    const id = await scope.db.transaction(async (db) => {
      const inside = { ...scope, db, projectId };
      const head = await lockChain(db, project.organizationId);
      const saved = await vault.save(inside, project, verified);
      const details = { system, instance: verified.instance, identity: verified.who.identity.label, by: "credentials" };
      await appendAudit(inside, head, { action: "connection.connect", target: saved, details });
      return saved;
    });
    return requireConnection(vault, { ...options, connection: id });
  });
  print(toRow(connection), options);
}

export async function list(options: ConnectionOptions): Promise<void> {
  const page = { after: "", limit: listMax };
  const found = await withVault(options, (vault) =>
    options.project === undefined ? vault.listAll(page) : vault.list(options.project, page),
  );
  printRows(found.map(toRow), options);
}

export async function check(options: ConnectionOptions): Promise<void> {
  const connection = await withVault(options, async (vault, scope) => {
    const found = await requireNotRemoved(vault, options);
    const finding = await vault.checkAccount(found);
    const details = finding.kind === "well" ? { found: "well" } : { found: finding.kind, reason: finding.reason };
    await changeAsOperator(scope, found, { action: "connection.checked", details }, (inside) =>
      vault.saveCheckResult(inside.db, found, finding),
    );
    return requireConnection(vault, options);
  });
  print(toRow(connection), options);
  if (connection.state !== "connected" || connection.health.ok === false) terminal().exitCode = exitCodes.endedBadly;
}

export async function remove(options: ConnectionOptions): Promise<void> {
  const { id, revoked } = await withVault(options, async (vault, scope) => {
    const found = await requireNotRemoved(vault, options);
    const wish = { pasted: options.revoke === true, shared: options.revokeShared === true };
    const outcome = await vault.revoke(found, wish);
    const details = { revoked: outcome.revoked };
    await changeAsOperator(scope, found, { action: "connection.removed", details }, (inside) =>
      vault.remove(inside.db, found, outcome),
    );
    return { id: found.id, revoked: outcome.revoked };
  });
  print({ connection_id: id, removed: true, revoked_at_system: revoked.at_system, detail: revoked.detail }, options);
}

/** The operator's change, with its row in the organization's audit log. */
async function changeAsOperator(
  outside: Scope<Operator>,
  connection: Connection,
  entry: { action: string; details: Record<string, unknown> },
  work: (inside: Scope<Operator>) => Promise<void>,
): Promise<void> {
  await outside.db.transaction(async (db) => {
    const inside = { ...outside, db, projectId: connection.projectId };
    const head = await lockChain(db, connection.organizationId);
    await work(inside);
    await appendAudit(inside, head, { ...entry, target: connection.id });
  });
}

async function requireConnection(vault: Vault, options: ConnectionOptions): Promise<Connection> {
  const connection = await vault.findAnywhere(options.connection ?? "");
  if (connection) return connection;
  throw new Problem("connection_not_found", `No connection ${options.connection} in this store.`);
}

async function requireNotRemoved(vault: Vault, options: ConnectionOptions): Promise<Connection> {
  const connection = await requireConnection(vault, options);
  if (connection.state === "removed") throw new Problem("connection_removed");
  return connection;
}

const toRow = (connection: Connection) => ({
  connection_id: connection.id,
  project_id: connection.projectId,
  system: connection.system,
  instance: connection.instance,
  label: connection.label,
  state: connection.state,
  identity: connection.identity.label,
  access_level: connection.accessLevel,
  healthy: connection.health.ok,
  reason: connection.stateReason ?? connection.health.reason,
  checked_at: connection.health.checkedAt,
});
