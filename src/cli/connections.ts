import { readFile } from "node:fs/promises";
import { text } from "node:stream/consumers";
import { Command, Option } from "commander";
import { appendAudit, lockChain } from "../access/audit/audit.ts";
import { findProject } from "../access/projects.ts";
import type { Operator, Scope } from "../access/scope.ts";
import { parseJson } from "../kernel/json.ts";
import { Problem } from "../kernel/problem.ts";
import { type SystemId, systemIds } from "../systems/index.ts";
import type { Connection, Vault } from "../vault/vault.ts";
import { type OperatorOptions, operatorCommand, print, printRows } from "./command.ts";

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

export const connectionsCommand = (): Command =>
  new Command("connections")
    .description("Connect accounts, look at them, check them, and remove them")
    .addCommand(
      operatorCommand("connect", "connect an account with credentials, or reconnect one")
        .requiredOption("--project <id>", "the project that gets it, prj_…")
        .addOption(new Option("--system <system>", "which system").choices(systemIds).makeOptionMandatory())
        .option("--instance <instance>", "live, sandbox, or an https address of its own", "live")
        .option("--label <text>", "a name for it")
        .option("--connection <id>", "reconnect this one, con_…: it keeps its id")
        .requiredOption("--credentials <file>", "a JSON file with the credentials; - reads standard input")
        .action(connect),
    )
    .addCommand(
      operatorCommand("list", "list connected accounts, of all projects or of one")
        .option("--project <id>", "only this project, prj_…")
        .action(list),
    )
    .addCommand(
      ofConnection("check", "ask the system whether the account still works; exit code 1 if it does not").action(check),
    )
    .addCommand(
      ofConnection("remove", "take its grant back and destroy its credentials")
        .option("--revoke", "also end credentials that were pasted, at the system")
        .option("--revoke-shared", "also end a grant that other connections share; they then need a reconnect")
        .action(remove),
    );

const ofConnection = (name: string, description: string): Command =>
  operatorCommand(name, description).requiredOption("--connection <id>", "the connection, con_…");

const listMax = 1000;

// Loaded on demand: the other commands start faster without it.
const withVault: typeof import("./open-vault.ts").withVault = async (options, work) =>
  (await import("./open-vault.ts")).withVault(options, work);

/** Credentials come in a file or on standard input: arguments are visible to every user of the machine. */
async function connect(options: ConnectionOptions): Promise<void> {
  const { project: projectId = "", system = "", instance = "live", label, connection: connectionId } = options;
  const credentials = await readCredentials(options.credentials ?? "-");
  const connection = await withVault(options, async (vault, scope) => {
    const wish = { system: system as SystemId, instance, label, credentials, connectionId };
    const project = await findProject(scope.db, projectId);
    if (!project) throw new Problem("project_not_found", `No project ${projectId} in the region ${options.region}.`);
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

async function readCredentials(file: string): Promise<Record<string, unknown>> {
  const given = parseJson(file === "-" ? await text(process.stdin) : await readFile(file, "utf8"), 100);
  if (typeof given === "object" && given !== null && !Array.isArray(given)) return given as Record<string, unknown>;
  throw new Problem("validation_failed", 'The credentials are a JSON object, such as {"token": "…"}.');
}

async function list(options: ConnectionOptions): Promise<void> {
  const page = { after: "", limit: listMax };
  const found = await withVault(options, (vault) =>
    options.project === undefined ? vault.listAll(page) : vault.list(options.project, page),
  );
  printRows(found.map(toRow), options);
}

async function check(options: ConnectionOptions): Promise<void> {
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
  if (connection.state !== "connected" || connection.health.ok === false) process.exitCode = 1;
}

async function remove(options: ConnectionOptions): Promise<void> {
  const { id, revoked } = await withVault(options, async (vault, scope) => {
    const found = await requireNotRemoved(vault, options);
    const wish = { pasted: options.revoke === true, shared: options.revokeShared === true };
    const told = await vault.revoke(found, wish);
    const details = { revoked: told.revoked };
    await changeAsOperator(scope, found, { action: "connection.removed", details }, (inside) =>
      vault.remove(inside.db, found, told),
    );
    return { id: found.id, revoked: told.revoked };
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
  throw new Problem("connection_not_found", `No connection ${options.connection} in the region ${options.region}.`);
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
