import { lockChain } from "../access/audit/audit.ts";
import { giveWay, nextTurn, turnAlone } from "../kernel/work-in-slices.ts";
import type { Db } from "../store/db.ts";
import { type SystemId, systemOf } from "../systems/index.ts";
import type { Grant } from "../systems/sign-in.ts";
import { type CheckParts, checkAccount, saveCheckResult } from "./check-health.ts";
import { type Connection, listConnected, listStaying } from "./connections.ts";
import { markRemoving } from "./grants.ts";
import { SealBroken } from "./sealing/data-keys.ts";

/**
 * Some systems know one grant for several of our connections: an installation of a team, a person's consent to our
 * client. Revoking it for one connection would end them all, so each system names what its grants share.
 */

interface SharedGrantParts extends Pick<CheckParts, "db" | "tokens"> {
  leaseNow(db: Db): Promise<Date>;
}

/** Longer than a revocation takes. If its process dies, the connection counts as a sibling again after this time. */
const removalSeconds = 120;

const keyOf = ({ system, identity }: Connection, grant: Grant): string | null =>
  systemOf(system).signIn.sharedGrant?.(grant, identity) ?? null;

/** The key of a stored grant; null if it shares nothing, or can no longer be opened. */
async function storedKey(connection: Connection, { tokens }: Pick<CheckParts, "tokens">): Promise<string | null> {
  const secrets = await tokens.secretsOf(connection).catch((error) => {
    if (error instanceof SealBroken) return null;
    throw error;
  });
  return secrets && keyOf(connection, secrets.grant);
}

/** The other connections of the organization, in any project, that end together with this grant. */
export async function findSiblings(
  connection: Connection,
  grant: Grant,
  parts: SharedGrantParts,
): Promise<Connection[]> {
  const key = keyOf(connection, grant);
  return key === null ? [] : sharing(connection, key, await listOthers(parts.db, connection, parts), parts);
}

/**
 * Returns the siblings that stay, and marks the connection as one that is being removed. Removals of one organization do so
 * one after another: of several at the same moment, exactly one finds no sibling, and revokes.
 */
export async function beginRemoval(
  connection: Connection,
  grant: Grant,
  parts: SharedGrantParts,
): Promise<Connection[]> {
  const key = keyOf(connection, grant);
  if (key === null) return [];
  const others = await parts.db.transaction(async (db) => {
    await lockChain(db, connection.organizationId);
    const until = (await parts.leaseNow(db)).getTime() + removalSeconds * 1000;
    await markRemoving(db, connection, new Date(until).toISOString());
    return listOthers(db, connection, parts);
  });
  return sharing(connection, key, others, parts);
}

/**
 * Of one organization only, although a system ends its grant in all: an organization neither waits for another nor learns
 * from it.
 */
async function listOthers(db: Db, { id, organizationId, system }: Connection, { leaseNow }: SharedGrantParts) {
  const now = (await leaseNow(db)).toISOString();
  const others: Connection[] = [];
  for (let after = ""; ; await nextTurn()) {
    const page = await listStaying(db, organizationId, system, now, { after, limit: pageRows });
    for (const each of page) if (each.id !== id) others.push(each);
    if (page.length < pageRows) return others;
    after = page.at(-1)?.id ?? "";
  }
}

/** An organization can have very many accounts. So many are read in one turn of the event loop. */
const pageRows = 200;

async function sharing(
  at: Pick<Connection, "instance" | "addresses">,
  key: string,
  others: readonly Connection[],
  parts: SharedGrantParts,
): Promise<Connection[]> {
  const found: Connection[] = [];
  const turn = giveWay();
  for (const each of others) {
    await turn();
    const isThere =
      each.instance === at.instance && (each.instance !== "custom" || isSame(each.addresses, at.addresses));
    if (isThere && (await storedKey(each, parts)) === key) found.push(each);
  }
  return found;
}

const isSame = (a: object, b: object): boolean => JSON.stringify(a) === JSON.stringify(b);

/**
 * Somebody says that a grant has ended. Each connection of the organization that shares it is checked, and needs a
 * reconnect if the system confirms it: a forged event must not end a working account.
 */
export async function checkShared(
  organizationId: string,
  system: SystemId,
  key: string,
  parts: CheckParts,
): Promise<void> {
  for (let after = ""; ; await turnAlone()) {
    const page = await listConnected(parts.db, organizationId, system, { after, limit: pageRows });
    for (const each of page) {
      if ((await storedKey(each, parts)) !== key) continue;
      const result = await checkAccount(each, parts);
      await parts.db.transaction((db) => saveCheckResult(db, each, result, parts));
    }
    if (page.length < pageRows) return;
    after = page.at(-1)?.id ?? "";
  }
}
