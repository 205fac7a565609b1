import { type AuditHead, appendAudit, lockChain } from "../../access/audit/audit.ts";
import { createDirectory, findFirstDirectory } from "../../access/directory/directories.ts";
import { authenticateToken, createToken, type NewToken, readTokenHeader } from "../../access/directory/scim-tokens.ts";
import { operatorScope } from "../../access/operator.ts";
import type { Operator, Scope } from "../../access/scope.ts";
import { Problem } from "../../kernel/problem.ts";
import type { Region } from "../../kernel/regions.ts";
import type { Store } from "../../store/db.ts";
import type { Config } from "../settings/config.ts";
import { type FirstRunRegion, readFirstRun, writeFirstRun } from "./first-run.ts";

/**
 * The first organization gets a directory with a SCIM token. A region from before there were directories gets one at
 * its next start; if the token is lost, the directory gets another. The file is written before the commit: after a
 * crash in between, the next start finds that its token does not work.
 */
export async function connectFirstDirectory(
  config: Config,
  region: Region,
  store: Store,
  now: () => Date,
): Promise<void> {
  const entry = readFirstRun(config.home).regions[region];
  if (!entry || (entry.scim_token !== undefined && (await isKnown(store, entry.scim_token, now())))) return;
  await store.transaction(async (db) => {
    const scope = operatorScope(db, region, now);
    const head = await lockChain(db, entry.organization_id);
    const present = await findFirstDirectory(db, entry.organization_id);
    const token = present ? await createToken(scope, present.id, null) : await newDirectory(scope, head, entry);
    if (present) {
      const details = { token_id: token.token.id };
      await appendAudit(scope, head, { action: "directory.token_created", target: present.id, details });
    }
    const known = readFirstRun(config.home);
    known.regions[region] = { ...(known.regions[region] ?? entry), scim_token: token.plain };
    writeFirstRun(config.home, known);
  });
}

async function newDirectory(scope: Scope<Operator>, head: AuditHead, entry: FirstRunRegion): Promise<NewToken> {
  const label = "First directory";
  const { directory, token } = await createDirectory(scope, entry.organization_id, label);
  const details = { label, token_id: token.token.id };
  await appendAudit(scope, head, { action: "directory.created", target: directory.id, details });
  return token;
}

/** Revoked and expired tokens count: a start must not undo a user's decision. */
async function isKnown(store: Store, token: string, now: Date): Promise<boolean> {
  const credentials = readTokenHeader(`Bearer ${token}`);
  if (!credentials) return false;
  try {
    await authenticateToken(store, credentials.hash, now);
    return true;
  } catch (error) {
    if (error instanceof Problem) return error.code !== "credentials_invalid";
    throw error;
  }
}
