import { actionsToText, type Permissions, permissionsFromText } from "../../access/permissions.ts";
import type { Db } from "../../store/db.ts";
import { inTurns } from "../../store/delete-in-batches.ts";
import type { ProviderSettings } from "./provider-settings.ts";

export interface Provider {
  id: string;
  organizationId: string;
  label: string;
  enabled: boolean;
  required: boolean;
  settings: ProviderSettings;
  sealed: string | null;
  justInTime: boolean;
  defaultProjectId: string | null;
  defaultPermissions: Permissions | null;
  directoryId: string | null;
  createdBy: string;
  createdAt: string;
  updatedAt: string;
}

interface ProviderRow {
  id: string;
  organization_id: string;
  label: string;
  enabled: number;
  required: number;
  settings: string;
  sealed: string | null;
  just_in_time: number;
  default_project_id: string | null;
  default_actions: string | null;
  directory_id: string | null;
  created_by: string;
  created_at: string;
  updated_at: string;
}

const toProvider = (row: ProviderRow): Provider => ({
  id: row.id,
  organizationId: row.organization_id,
  label: row.label,
  enabled: row.enabled === 1,
  required: row.required === 1,
  // `insertProvider` or `updateProviderRow` wrote this JSON.
  settings: JSON.parse(row.settings) as ProviderSettings,
  sealed: row.sealed,
  justInTime: row.just_in_time === 1,
  defaultProjectId: row.default_project_id,
  defaultPermissions: row.default_actions === null ? null : permissionsFromText(row.default_actions),
  directoryId: row.directory_id,
  createdBy: row.created_by,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});

const flag = (value: boolean): number => (value ? 1 : 0);
const actionsOf = ({ defaultPermissions }: Provider): string | null =>
  defaultPermissions === null ? null : actionsToText(defaultPermissions);

export async function insertProvider(db: Db, provider: Provider, dataKeyId: string | null): Promise<void> {
  await db.query(
    `insert into sso_providers (id, organization_id, kind, label, enabled, required, settings, sealed, data_key_id,
        just_in_time, default_project_id, default_actions, directory_id, created_by, created_at, updated_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)`,
    [
      provider.id,
      provider.organizationId,
      provider.settings.kind,
      provider.label,
      flag(provider.enabled),
      flag(provider.required),
      JSON.stringify(provider.settings),
      provider.sealed,
      dataKeyId,
      flag(provider.justInTime),
      provider.defaultProjectId,
      actionsOf(provider),
      provider.directoryId,
      provider.createdBy,
      provider.createdAt,
      provider.updatedAt,
    ],
  );
}

export async function updateProviderRow(db: Db, provider: Provider): Promise<void> {
  await db.query(
    `update sso_providers set label = $2, enabled = $3, required = $4, settings = $5, just_in_time = $6,
        default_project_id = $7, default_actions = $8, directory_id = $9, updated_at = $10 where id = $1`,
    [
      provider.id,
      provider.label,
      flag(provider.enabled),
      flag(provider.required),
      JSON.stringify(provider.settings),
      flag(provider.justInTime),
      provider.defaultProjectId,
      actionsOf(provider),
      provider.directoryId,
      provider.updatedAt,
    ],
  );
}

export async function replaceProviderSecret(
  db: Db,
  id: string,
  sealed: string | null,
  dataKeyId: string | null,
): Promise<void> {
  await db.query("update sso_providers set sealed = $2, data_key_id = $3 where id = $1", [id, sealed, dataKeyId]);
}

export async function findProvider(db: Db, id: string): Promise<Provider | null> {
  const [row] = await db.query<ProviderRow>("select * from sso_providers where id = $1", [id]);
  return row ? toProvider(row) : null;
}

export async function listProviderRows(
  db: Db,
  organizationId: string,
  page: { after: string; limit: number },
): Promise<Provider[]> {
  const rows = await db.query<ProviderRow>(
    "select * from sso_providers where organization_id = $1 and id > $2 order by id limit $3",
    [organizationId, page.after, page.limit],
  );
  return rows.map(toProvider);
}

/** Deletes the provider and its links. Domains stay, without a provider. */
export async function deleteProviderRows(db: Db, id: string): Promise<number> {
  const unlinked = await deleteOfProvider(db, "identities", "id", id);
  await deleteOfProvider(db, "sso_flows", "id", id);
  await deleteOfProvider(db, "saml_assertions", "provider_id, assertion_id", id);
  await db.query("update domains set provider_id = null where provider_id = $1", [id]);
  await db.query("delete from sso_providers where id = $1", [id]);
  return unlinked;
}

const deleteOfProvider = (db: Db, table: string, key: string, providerId: string): Promise<number> =>
  inTurns(async (limit) => {
    const rows = await db.query(
      `delete from ${table} where (${key}) in (select ${key} from ${table} where provider_id = $1 limit $2)
       returning provider_id`,
      [providerId, limit],
    );
    return rows.length;
  });

/** For a directory that is deleted: no provider uses it any longer. */
export async function clearDirectory(db: Db, directoryId: string): Promise<void> {
  await db.query("update sso_providers set directory_id = null where directory_id = $1", [directoryId]);
}

/** The enabled provider responsible for a verified domain: the one it names, or else the organization's first. */
export async function findProviderOfDomain(db: Db, domain: string): Promise<Provider | null> {
  const [row] = await db.query<ProviderRow>(
    `select p.* from domains d join sso_providers p on p.organization_id = d.organization_id
      where d.domain = $1 and d.verified_at is not null and p.enabled = 1
        and (d.provider_id is null or d.provider_id = p.id)
      order by p.id limit 1`,
    [domain],
  );
  return row ? toProvider(row) : null;
}

/** The organization's only directory, or null if it has none or several. */
export async function findOnlyDirectory(db: Db, organizationId: string): Promise<string | null> {
  const rows = await db.query<{ id: string }>(
    "select id from directories where organization_id = $1 order by id limit 2",
    [organizationId],
  );
  return rows.length === 1 ? (rows[0]?.id ?? null) : null;
}

export async function belongsTo(
  db: Db,
  table: "projects" | "directories",
  id: string,
  organizationId: string,
): Promise<boolean> {
  const rows = await db.query(`select 1 from ${table} where id = $1 and organization_id = $2`, [id, organizationId]);
  return rows.length > 0;
}
