import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { hasAnyChain } from "../../access/audit/audit.ts";
import { authenticate } from "../../access/callers/authenticate.ts";
import { readAuthorization } from "../../access/callers/authorization-header.ts";
import { type Email, readEmail } from "../../access/email.ts";
import { createAccountAsOperator, createKeyAsOperator, operatorScope } from "../../access/operator.ts";
import { projectsOfMember } from "../../access/projects.ts";
import { findUser, listAccounts } from "../../access/users.ts";
import { findPasswordChange, newPassword, preparePassword, setPassword } from "../../identity/passwords/passwords.ts";
import { setPasswordAsOperator } from "../../identity/passwords/set-as-operator.ts";
import { Problem } from "../../kernel/problem.ts";
import type { Region } from "../../kernel/regions.ts";
import { syncFolder } from "../../kernel/sync-folder.ts";
import type { Store } from "../../store/db.ts";
import type { SystemId } from "../../systems/index.ts";
import type { Config } from "../settings/config.ts";
import type { SandboxUrls } from "../settings/read-setting-values.ts";
import { SettingRefused } from "../settings/setting-refused.ts";
import { isDiskFull } from "./disk-full.ts";

/** What a newcomer needs for the first call in a region. */
export interface FirstRunRegion {
  base_url: string;
  organization_id: string;
  project_id: string;
  user_id: string;
  email: string;
  /** For the sign-in page. */
  password?: string;
  api_key: string;
  /** Authorizes `/scim/v2` for the organization's first directory. */
  scim_token?: string;
  /** One per sandbox, once the sandboxes have responded. */
  connections?: Partial<Record<SystemId, string>>;
}

export interface FirstRun {
  regions: Partial<Record<Region, FirstRunRegion>>;
  sandboxes?: SandboxUrls;
}

export const firstRunFile = (home: string): string => join(home, "first-run.json");

/** Without its file, or with a truncated one, a folder has no first run: the next start recreates it. */
export function readFirstRun(home: string): FirstRun {
  const file = firstRunFile(home);
  if (!existsSync(file)) return { regions: {} };
  try {
    const { regions, sandboxes } = JSON.parse(readFileSync(file, "utf8")) as Partial<FirstRun>;
    const known = Object.entries(regions ?? {}).filter(([, entry]) => isWhole(entry));
    return { regions: Object.fromEntries(known), ...(sandboxes && { sandboxes }) };
  } catch {
    // A damaged file counts as none: the first run writes it again.
    return { regions: {} };
  }
}

const neededNames = ["base_url", "organization_id", "project_id", "user_id", "email", "api_key"] as const;
const isWhole = (entry: FirstRunRegion | null): boolean =>
  entry !== null && neededNames.every((name) => typeof entry[name] === "string");

export function writeFirstRun(home: string, firstRun: FirstRun): void {
  const draft = `${firstRunFile(home)}.${process.pid}`;
  try {
    mkdirSync(home, { recursive: true, mode: 0o700 });
    writeFileSync(draft, `${JSON.stringify(firstRun, null, 2)}\n`, { mode: 0o600, flush: true });
    renameSync(draft, firstRunFile(home));
    syncFolder(home);
  } catch (error) {
    if (existsSync(draft)) rmSync(draft);
    if (isDiskFull(error)) throw error;
    const why = error instanceof Error ? error.message : error;
    throw new SettingRefused(`${firstRunFile(home)} cannot be written: ${why}.`);
  }
}

/** For output that the next start can repeat: a full disk is no reason to refuse a start. */
function writeIfSpace(home: string, firstRun: FirstRun): void {
  try {
    writeFirstRun(home, firstRun);
  } catch (error) {
    if (!isDiskFull(error)) throw error;
  }
}

/**
 * Creates an organization, its owner, a project and a key in an empty region. The file is written before the commit: a
 * crash between the two leaves the region empty, and the next start creates both again. A region with users is not
 * changed, unless its entry in the file is lost, or names a key that was never committed. Returns a sentence if the operator should know something unexpected.
 */
export async function setUpRegion(
  config: Config,
  region: Region,
  store: Store,
  now: () => Date,
): Promise<string | null> {
  const known = readFirstRun(config.home);
  if (await hasAnyChain(store)) {
    const entry = known.regions[region];
    if (!entry || !(await isKnownKey(store, entry.api_key, now()))) return recreateEntry(config, region, store, now);
    if (entry.base_url !== config.baseUrls[region]) {
      entry.base_url = config.baseUrls[region];
      writeIfSpace(config.home, known);
    }
    await givePassword(config.home, region, store, now);
    return null;
  }
  const email = firstAddress();
  // Created beforehand: hashing takes a while, and a transaction must not wait for it.
  const password = newPassword();
  const prepared = await preparePassword(password, email.typed, { pointer: "", caller: "operator" });
  await store.transaction(async (db) => {
    const { user, apiKey, projectId } = await createAccountAsOperator(operatorScope(db, region, now), {
      email,
      organizationName: "First organization",
      firstProject: "First project",
    });
    await setPassword(db, user.id, prepared, now());
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
  return null;
}

function firstAddress(): Email {
  const email = readEmail("owner@example.com");
  if (!email) throw new Error("The first account's address does not pass our own grammar.");
  return email;
}

/** Revoked and expired keys count: a start must not undo a user's decision. */
async function isKnownKey(store: Store, apiKey: string, now: Date): Promise<boolean> {
  const credentials = readAuthorization(`Bearer :${apiKey}`);
  if (!credentials) return false;
  try {
    await authenticate(store, credentials, null, now);
    return true;
  } catch (error) {
    if (error instanceof Problem) return error.code !== "credentials_invalid";
    throw error;
  }
}

/**
 * The file was deleted or truncated, or the commit after it failed. Only hashes of keys are stored, so the old key cannot be shown again: the first
 * owner gets another, and none is revoked. The password does not change.
 */
async function recreateEntry(config: Config, region: Region, store: Store, now: () => Date): Promise<string> {
  const file = firstRunFile(config.home);
  const hasEntry = readFirstRun(config.home).regions[region] !== undefined;
  const user = (await listAccounts(store, firstAddress())).find(
    ({ organizationRole, active }) => organizationRole === "owner" && active,
  );
  const [projectId] = user ? await projectsOfMember(store, user.id) : [];
  if (!user || projectId === undefined) {
    const state = hasEntry
      ? `has an API key that the region ${region} does not know`
      : `has no entry for the region ${region}`;
    return `${file} ${state}, and the account of the first start no longer exists. Create a key for another account with \`signalbox keys create --region ${region} --email ADDRESS\`.`;
  }
  await store.transaction(async (db) => {
    const { apiKey } = await createKeyAsOperator(operatorScope(db, region, now), user, "first-run.json, created again");
    const known = readFirstRun(config.home);
    known.regions[region] = {
      base_url: config.baseUrls[region],
      organization_id: user.organizationId,
      project_id: projectId,
      user_id: user.id,
      email: user.email,
      api_key: apiKey,
    };
    writeFirstRun(config.home, known);
  });
  const state = hasEntry ? `had an API key that the region ${region} does not know` : "was missing or damaged";
  return `${file} ${state}, and was created again with a new API key and a new SCIM token for the region ${region}. The old ones still work: revoke them if somebody else may have them. The file does not contain the password; set a new one with \`signalbox users set-password --region ${region} --email ${user.email}\`.`;
}

/**
 * In a data folder from before users could sign in, the owner gets a password at the next start. The file is written
 * before the commit here too; after a crash in between, the next start finds that the account has none. A password that
 * a user has set stays.
 */
async function givePassword(home: string, region: Region, store: Store, now: () => Date): Promise<void> {
  const entry = readFirstRun(home).regions[region];
  const user = entry ? await findUser(store, entry.user_id) : null;
  if (!entry || !user || (await findPasswordChange(store, user.id)) !== null) return;
  const password = newPassword();
  const prepared = await preparePassword(password, user.email, { pointer: "", caller: "operator" });
  await store.transaction(async (db) => {
    await setPasswordAsOperator(operatorScope(db, region, now), user, prepared);
    const known = readFirstRun(home);
    known.regions[region] = { ...entry, password };
    writeFirstRun(home, known);
  });
}

/** Records the addresses of the sandboxes in the file. */
export function recordSandboxes(home: string, urls: SandboxUrls | null): void {
  const { sandboxes, ...known } = readFirstRun(home);
  if (JSON.stringify(sandboxes ?? null) === JSON.stringify(urls)) return;
  writeFirstRun(home, urls ? { ...known, sandboxes: urls } : known);
}
