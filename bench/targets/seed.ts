import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type AuditHead, appendAudit, lockChain } from "../../src/access/audit/audit.ts";
import { readEmail } from "../../src/access/email.ts";
import { createAccountAsOperator, operatorScope } from "../../src/access/operator.ts";
import { newId, newInviteCode } from "../../src/kernel/ids.ts";
import { openStore } from "../../src/start/region/open-database.ts";
import { readConfig } from "../../src/start/settings/config.ts";
import type { Db, Store } from "../../src/store/db.ts";
import { knownMigrations } from "../../src/store/migrate.ts";
import { keptFolder } from "./temp-folder.ts";

/** Someone who can call: the load goes round them, so that it reaches into all parts of the store. */
export interface SeededAccount {
  organization_id: string;
  project_id: string;
  api_key: string;
  user_id: string;
}

export interface Seeded {
  /** A data folder that `serve` can be started on, or copied from. */
  home: string;
  accounts: SeededAccount[];
}

const accountsFile = "accounts.json";
export const callers = 1000;
/** How many projects an organization makes in its turn. */
const each = 20;
const now = () => new Date();

/**
 * A store with `callers` organizations that share `projects` projects evenly, each project with a pending invite to an
 * address of its own, and all of it in the audit log. Made once for a schema and kept between runs.
 */
export async function seed(projects: number): Promise<Seeded> {
  const schema = createHash("sha256").update(JSON.stringify(knownMigrations())).digest("hex").slice(0, 12);
  const home = join(keptFolder, `seeded-${projects}-${schema}`);
  if (!existsSync(home)) await make(home, projects);
  return { home, accounts: JSON.parse(readFileSync(join(home, accountsFile), "utf8")) as SeededAccount[] };
}

async function make(home: string, projects: number): Promise<void> {
  const draft = `${home}.draft`;
  rmSync(draft, { recursive: true, force: true });
  mkdirSync(draft, { recursive: true });
  const store = await openStore(readConfig({}, { home: draft, regions: "us", firstRun: "on" }), "us");
  // For the making only: the scattered pages of the indexes stay in memory until they are full.
  await store.exclusively((_db, runScript) => runScript("pragma cache_size = -2000000"));
  const accounts: SeededAccount[] = [];
  for (let number = 0; number < callers; number++) accounts.push(await makeAccount(store, number));
  const started = performance.now();
  for (let made = 0; made < projects; made += callers * each) {
    // Turn by turn, as time would do it: neighbours in the store belong to different organizations.
    const turns = made / (callers * each) + 1;
    await Promise.all(accounts.map((account, index) => takeTurn(store, account, made + index * each, turns)));
    const share = Math.round((100 * (made + callers * each)) / projects);
    if (turns % 5 === 0) console.log(`seeding ${projects.toLocaleString("en-US")} projects and invites: ${share} %`);
  }
  await store.close();
  writeFileSync(join(draft, accountsFile), JSON.stringify(accounts));
  renameSync(draft, home);
  if (projects > 0)
    console.log(`seeding took ${Math.round((performance.now() - started) / 1000)} s; it is kept in ${home}`);
}

async function takeTurn(store: Store, account: SeededAccount, from: number, turns: number): Promise<void> {
  const projectId = await store.transaction((db) => fill(db, account, from));
  // Each turn with the same chance in the end: the callers' own projects lie scattered among all.
  if (Math.random() < 1 / turns) account.project_id = projectId;
}

async function makeAccount(store: Store, number: number): Promise<SeededAccount> {
  const email = readEmail(`owner${number}@example.com`);
  if (!email) throw new Error("An address of ours does not pass our own grammar.");
  const scope = operatorScope(store, "us", now);
  const wanted = { email, organizationName: `Organization ${number}`, firstProject: "First project" };
  const { user, apiKey, projectId } = await createAccountAsOperator(scope, wanted);
  return { organization_id: user.organizationId, project_id: projectId ?? "", api_key: apiKey, user_id: user.id };
}

/** Plain statements in place of the rules: those would also queue a mail for each of the million invites. */
async function fill(db: Db, account: SeededAccount, from: number): Promise<string> {
  let head = await lockChain(db, account.organization_id);
  let projectId = "";
  for (let number = from; number < from + each; number++) {
    projectId = newId("project", "us");
    head = await addProject(db, account, projectId, number, head);
  }
  return projectId;
}

async function addProject(
  db: Db,
  account: SeededAccount,
  projectId: string,
  number: number,
  head: AuditHead,
): Promise<AuditHead> {
  const at = now().toISOString();
  const expiresAt = new Date(Date.now() + 7 * 86_400_000).toISOString();
  const code = newInviteCode("us");
  const owner = account.user_id;
  // Scattered over the alphabet, as addresses are.
  const email = `${(Math.imul(number + 1, 0x9e3779b1) >>> 0).toString(16).padStart(8, "0")}.person@seed.example.com`;
  await db.query(
    `insert into projects (id, organization_id, name, description, created_by, created_at, updated_at)
     values ($1, $2, $3, $4, $5, $6, $6)`,
    [projectId, account.organization_id, `Project ${number}`, "Made to be there", owner, at],
  );
  await db.query(
    "insert into memberships (project_id, user_id, actions, role, created_at) values ($1, $2, 'admin', 'admin', $3)",
    [projectId, owner, at],
  );
  await db.query(
    `insert into invites (code, project_id, email, email_key, actions, role, status, invited_by, created_at, expires_at,
                          sent_at, sent_count)
     values ($1, $2, $3, $3, 'role:editor', 'editor', 'pending', $4, $5, $6, $5, 1)`,
    [code, projectId, email, owner, at, expiresAt],
  );
  const scope = { ...operatorScope(db, "us", now), projectId };
  const made = await appendAudit(scope, head, { action: "project.created", target: projectId });
  return appendAudit(scope, made, { action: "invite.created", target: code, details: { email } });
}
