import { newId, regionOfId } from "../../kernel/ids.ts";
import { Problem } from "../../kernel/problem.ts";
import type { Db } from "../../store/db.ts";
import { refuseOtherRegion } from "../callers/wrong-region.ts";
import type { AnyScope, Scope } from "../scope.ts";
import {
  type Directory,
  deleteDirectoryRows,
  findDirectoryRow,
  insertDirectory,
  listDirectoryRows,
} from "./directories.store.ts";
import { createToken, type NewToken } from "./scim-tokens.ts";

export type { Directory } from "./directories.store.ts";
export { countResources } from "./directories.store.ts";

/** Creates a connection to an identity provider, with its first token. */
export async function createDirectory(
  scope: AnyScope,
  organizationId: string,
  label: string,
): Promise<{ directory: Directory; token: NewToken }> {
  const directory: Directory = {
    id: newId("directory", scope.region),
    organizationId,
    label,
    createdAt: scope.now().toISOString(),
  };
  await insertDirectory(scope.db, directory);
  return { directory, token: await createToken(scope, directory.id, null) };
}

/** The organization's oldest directory. */
export async function findFirstDirectory(db: Db, organizationId: string): Promise<Directory | null> {
  return (await listDirectoryRows(db, organizationId, { after: "", limit: 1 }))[0] ?? null;
}

export const listDirectories = (scope: Scope, page: { after: string; limit: number }): Promise<Directory[]> =>
  listDirectoryRows(scope.db, scope.actor.organizationId, page);

/** Returns a directory of the caller's organization. Any other looks absent. */
export async function requireDirectory(scope: Scope, id: string): Promise<Directory> {
  refuseOtherRegion(scope.region, regionOfId(id));
  const directory = await findDirectoryRow(scope.db, id);
  if (directory?.organizationId !== scope.actor.organizationId) throw new Problem("directory_not_found");
  return directory;
}

/**
 * Ends the connection. People keep their accounts and memberships: ending a connection must not lock a whole
 * organization out. Memberships from groups become editable by hand.
 */
export async function deleteDirectory(scope: Scope, id: string): Promise<Directory> {
  const directory = await requireDirectory(scope, id);
  await deleteDirectoryRows(scope.db, id);
  return directory;
}
