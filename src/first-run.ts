import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { hasOrganizations } from "./access/audit.ts";
import { readEmail } from "./access/email.ts";
import { createAccountAsOperator, operatorScope } from "./access/operator.ts";
import { findAccount } from "./access/users.ts";
import type { Config } from "./config.ts";
import { setPasswordAsOperator } from "./identity/operator-password.ts";
import { keepPassword, newPassword, passwordChangedAt, preparePassword } from "./identity/passwords.ts";
import type { Region } from "./kernel/regions.ts";
import type { SandboxUrls } from "./setting-values.ts";
import type { Store } from "./store/db.ts";
import type { SystemId } from "./systems/define.ts";

/** What a newcomer needs to make the first call in a region. */
export interface FirstRunRegion {
  base_url: string;
  organization_id: string;
  project_id: string;
  user_id: string;
  email: string;
  /** For the sign-in page. */
  password?: string;
  api_key: string;
  /** Opens `/scim/v2` for the organization's first directory. */
  scim_token?: string;
  /** One to each sandbox, once these have answered. */
  connections?: Partial<Record<SystemId, string>>;
}

export interface FirstRun {
  regions: Partial<Record<Region, FirstRunRegion>>;
  sandboxes?: SandboxUrls;
}

export const firstRunFile = (home: string): string => join(home, "first-run.json");

export function readFirstRun(home: string): FirstRun {
  const file = firstRunFile(home);
  return existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as FirstRun) : { regions: {} };
}

export function writeFirstRun(home: string, firstRun: FirstRun): void {
  mkdirSync(home, { recursive: true, mode: 0o700 });
  const draft = `${firstRunFile(home)}.${process.pid}`;
  writeFileSync(draft, `${JSON.stringify(firstRun, null, 2)}\n`, { mode: 0o600 });
  renameSync(draft, firstRunFile(home));
}

/**
 * An empty region gets an organization, its owner, a project and a key. The file is written before the commit: a crash
 * between the two leaves the region empty, and the next start makes both anew. A region with people in it is left alone.
 */
export async function setUpRegion(config: Config, region: Region, store: Store, now: () => Date): Promise<void> {
  const known = readFirstRun(config.home);
  if (await hasOrganizations(store)) {
    const entry = known.regions[region];
    if (entry && entry.base_url !== config.baseUrls[region]) {
      entry.base_url = config.baseUrls[region];
      writeFirstRun(config.home, known);
    }
    await givePassword(config.home, region, store, now);
    return;
  }
  const email = readEmail("owner@example.com");
  if (!email) throw new Error("The first account's address does not pass our own grammar.");
  // Made beforehand: hashing takes a while, and a transaction must not wait for it.
  const password = newPassword();
  const prepared = await preparePassword(password, email.typed, "");
  await store.transaction(async (db) => {
    const { user, apiKey, projectId } = await createAccountAsOperator(operatorScope(db, region, now), {
      email,
      organizationName: "First organization",
      firstProject: "First project",
    });
    await keepPassword(db, user.id, prepared, now());
    known.regions[region] = {
      base_url: config.baseUrls[region],
      organization_id: user.organizationId,
      project_id: projectId ?? "",
      user_id: user.id,
      email: user.email,
      password,
      api_key: apiKey,
    };
    writeFirstRun(config.home, known);
  });
}

/**
 * A data folder from before people could sign in: its owner gets a password at the next start. The file is written before
 * the commit here too; where a crash comes between, the next start sees that the account has none. A password that somebody
 * has set stays.
 */
async function givePassword(home: string, region: Region, store: Store, now: () => Date): Promise<void> {
  const entry = readFirstRun(home).regions[region];
  const user = entry ? await findAccount(store, entry.user_id) : null;
  if (!entry || !user || (await passwordChangedAt(store, user.id)) !== null) return;
  const password = newPassword();
  const prepared = await preparePassword(password, user.email, "");
  await store.transaction(async (db) => {
    await setPasswordAsOperator(operatorScope(db, region, now), user, prepared);
    const known = readFirstRun(home);
    known.regions[region] = { ...entry, password };
    writeFirstRun(home, known);
  });
}

/** Where the sandboxes are, for whoever reads the file. */
export function noteSandboxes(home: string, urls: SandboxUrls | null): void {
  const { sandboxes: _, ...known } = readFirstRun(home);
  writeFirstRun(home, urls ? { ...known, sandboxes: urls } : known);
}
