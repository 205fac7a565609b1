import { type SystemId, systemOf } from "../systems/index.ts";
import type { Grant } from "../systems/sign-in.ts";
import { type Connection, listConnected } from "./connections.ts";
import { type CheckParts, checkAccount, saveCheckResult } from "./health.ts";
import { SealBroken } from "./sealing/data-keys.ts";

/**
 * Some systems know one grant for several of our connections: an installation of a team, a person's consent to our
 * client. Revoking it for one connection would end them all, so each system names what its grants share.
 */

type SharedGrantParts = Pick<CheckParts, "db" | "tokens">;

const keyOf = ({ system, identity }: Connection, grant: Grant): string | null =>
  systemOf(system).signIn.sharedGrant?.(grant, identity) ?? null;

/** The key of a stored grant; null if it shares nothing, or can no longer be opened. */
async function storedKey(connection: Connection, { tokens }: SharedGrantParts): Promise<string | null> {
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
  return key === null ? [] : (await findSharing(connection, key, parts)).filter(({ id }) => id !== connection.id);
}

async function findSharing(
  at: Pick<Connection, "organizationId" | "system" | "instance" | "addresses">,
  key: string,
  parts: SharedGrantParts,
): Promise<Connection[]> {
  const sharing: Connection[] = [];
  for (const each of await listConnected(parts.db, at.organizationId, at.system)) {
    const isThere =
      each.instance === at.instance && (each.instance !== "custom" || isSame(each.addresses, at.addresses));
    if (isThere && (await storedKey(each, parts)) === key) sharing.push(each);
  }
  return sharing;
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
  for (const each of await listConnected(parts.db, organizationId, system)) {
    if ((await storedKey(each, parts)) !== key) continue;
    const result = await checkAccount(each, parts);
    await parts.db.transaction((db) => saveCheckResult(db, each, result, parts));
  }
}
