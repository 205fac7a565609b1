import type { Permissions } from "../../access/permissions.ts";
import type { Scope } from "../../access/scope.ts";
import { newId } from "../../kernel/ids.ts";
import { Problem } from "../../kernel/problem.ts";
import type { Db } from "../../store/db.ts";
import type { DataKeys, SealContext } from "../../vault/sealing/data-keys.ts";
import { invalid, type ProviderSettings } from "./provider-settings.ts";
import {
  belongsTo,
  deleteProviderRows,
  findOnlyDirectory,
  findProvider,
  insertProvider,
  listProviderRows,
  type Provider,
  replaceProviderSecret,
  updateProviderRow,
} from "./providers.store.ts";

export type { Provider } from "./providers.store.ts";
export { clearDirectory, findProvider, findProviderOfDomain } from "./providers.store.ts";

const providersMax = 20;

export interface ProviderWish {
  label: string;
  enabled: boolean;
  required: boolean;
  settings: ProviderSettings;
  clientSecret: string | null;
  justInTime: boolean;
  defaultProjectId: string | null;
  defaultPermissions: Permissions | null;
  /** Undefined: the organization's only directory, if this is its first provider. */
  directoryId: string | null | undefined;
}

export async function createProvider(scope: Scope, wish: ProviderWish, keys: DataKeys): Promise<Provider> {
  const { db, actor } = scope;
  const others = await listProviderRows(db, actor.organizationId, { after: "", limit: providersMax });
  if (others.length >= providersMax) throw new Problem("too_many_providers");
  const id = newId("provider", scope.region);
  const now = scope.now().toISOString();
  const { clientSecret, directoryId, ...rest } = wish;
  const sealed =
    clientSecret === null ? null : await keys.seal(db, clientSecret, sealContext(id, actor.organizationId));
  const provider: Provider = {
    ...rest,
    id,
    organizationId: actor.organizationId,
    sealed: sealed?.text ?? null,
    directoryId:
      directoryId === undefined && others.length === 0
        ? await findOnlyDirectory(db, actor.organizationId)
        : (directoryId ?? null),
    createdBy: actor.userId,
    createdAt: now,
    updatedAt: now,
  };
  await refuseForeign(scope, provider);
  await insertProvider(db, provider, sealed?.dataKeyId ?? null);
  return provider;
}

export type ProviderChange = { [Name in keyof ProviderWish]?: ProviderWish[Name] | undefined };

export async function updateProvider(
  scope: Scope,
  id: string,
  change: ProviderChange,
  keys: DataKeys,
): Promise<Provider> {
  const before = await requireProvider(scope, id);
  const { clientSecret, ...wanted } = change;
  const given = Object.fromEntries(Object.entries(wanted).filter(([, value]) => value !== undefined));
  const after: Provider = { ...before, ...given, updatedAt: scope.now().toISOString() };
  await refuseForeign(scope, after);
  await updateProviderRow(scope.db, after);
  if (clientSecret === undefined) return after;
  const context = sealContext(id, before.organizationId);
  const sealed = clientSecret === null ? null : await keys.seal(scope.db, clientSecret, context);
  await replaceProviderSecret(scope.db, id, sealed?.text ?? null, sealed?.dataKeyId ?? null);
  return { ...after, sealed: sealed?.text ?? null };
}

/** The default project and the directory must belong to the same organization. */
async function refuseForeign(scope: Scope, provider: Provider): Promise<void> {
  const { defaultProjectId, defaultPermissions, directoryId } = provider;
  if ((defaultProjectId === null) !== (defaultPermissions === null)) {
    throw invalid("default_permissions", "A default project and its permissions are given together, or neither.");
  }
  if (defaultProjectId !== null) {
    const isOwn = await belongsTo(scope.db, "projects", defaultProjectId, provider.organizationId);
    if (!isOwn) throw new Problem("project_not_found");
  }
  if (directoryId !== null && !(await belongsTo(scope.db, "directories", directoryId, provider.organizationId))) {
    throw invalid("directory_id", "The organization has no such directory.");
  }
}

/** Returns a provider of the caller's organization. Any other looks absent. */
export async function requireProvider(scope: Scope, id: string): Promise<Provider> {
  const provider = await findProvider(scope.db, id);
  if (provider?.organizationId !== scope.actor.organizationId) throw new Problem("provider_not_found");
  return provider;
}

export const listProviders = (scope: Scope, page: { after: string; limit: number }): Promise<Provider[]> =>
  listProviderRows(scope.db, scope.actor.organizationId, page);

/** Deletes a provider. Accounts stay; their links to it end. Returns how many links there were. */
export async function deleteProvider(scope: Scope, id: string): Promise<number> {
  await requireProvider(scope, id);
  return deleteProviderRows(scope.db, id);
}

/** Null for a client without a secret. */
export async function openClientSecret(
  { store, keys }: { store: Db; keys: DataKeys },
  provider: Provider,
): Promise<string | null> {
  if (provider.sealed === null) return null;
  return keys.open(store, provider.sealed, sealContext(provider.id, provider.organizationId));
}

const sealContext = (row: string, organizationId: string): SealContext => ({
  table: "sso_providers",
  row,
  organizationId,
});
