import { newId, regionOfId } from "../../kernel/ids.ts";
import { Problem } from "../../kernel/problem.ts";
import type { Db } from "../../store/db.ts";
import { refuseOtherRegion } from "../callers/wrong-region.ts";
import type { AnyScope, Scope } from "../scope.ts";
import {
  countIn,
  type Directory,
  deleteDirectoryRows,
  findDirectoryRow,
  insertDirectory,
  listDirectoryRows,
} from "./directories.store.ts";
import { createToken, type NewToken } from "./tokens.ts";

export type { Directory } from "./directories.store.ts";

/** A new connection to an identity provider, with its first token. */
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

/** The oldest one of an organization. */
export async function findFirstDirectory(db: Db, organizationId: string): Promise<Directory | null> {
  return (await listDirectoryRows(db, organizationId, { after: "", limit: 1 }))[0] ?? null;
}

export const listDirectories = (scope: Scope, page: { after: string; limit: number }): Promise<Directory[]> =>
  listDirectoryRows(scope.db, scope.actor.organizationId, page);

export const countOf = (scope: Scope, directoryId: string): Promise<{ people: number; groups: number }> =>
  countIn(scope.db, directoryId);

/** Of the caller's own organization; any other looks absent. */
export async function requireDirectory(scope: Scope, id: string): Promise<Directory> {
  refuseOtherRegion(scope.region, regionOfId(id));
  const directory = await findDirectoryRow(scope.db, id);
  if (directory?.organizationId !== scope.actor.organizationId) throw new Problem("directory_not_found");
  return directory;
}

/**
 * The provider is no longer asked for anything. People keep their accounts and their places in projects: ending a connection
 * must not lock a whole organization out. What groups gave can be changed by hand from now on.
 */
export async function deleteDirectory(scope: Scope, id: string): Promise<Directory> {
  const directory = await requireDirectory(scope, id);
  await deleteDirectoryRows(scope.db, id);
  return directory;
}
