import type { Db } from "../store/db.ts";

/** Who may create projects, and whether a reactivated person's keys are enabled again. */
export type ProjectCreation = "members" | "owners";
export type KeysOnReactivation = "stay_off" | "restore";
/** Whether a password alone is enough to sign in. */
export type SecondFactor = "optional" | "required";

export interface Organization {
  id: string;
  name: string;
  projectCreation: ProjectCreation;
  keysOnReactivation: KeysOnReactivation;
  secondFactor: SecondFactor;
  createdAt: string;
}

interface OrganizationRow {
  id: string;
  name: string;
  project_creation: string;
  keys_on_reactivation: string;
  second_factor: string;
  created_at: string;
}

const toOrganization = (row: OrganizationRow): Organization => ({
  id: row.id,
  name: row.name,
  projectCreation: row.project_creation as ProjectCreation,
  keysOnReactivation: row.keys_on_reactivation as KeysOnReactivation,
  secondFactor: row.second_factor as SecondFactor,
  createdAt: row.created_at,
});

/** In the order of their ids, behind `after`. */
export async function listOrganizationIds(db: Db, after: string, limit: number): Promise<string[]> {
  const rows = await db.query<{ id: string }>("select id from organizations where id > $1 order by id limit $2", [
    after,
    limit,
  ]);
  return rows.map((row) => row.id);
}

export async function insertOrganization(db: Db, organization: Organization): Promise<void> {
  await db.query(
    `insert into organizations (id, name, project_creation, keys_on_reactivation, second_factor, created_at)
     values ($1, $2, $3, $4, $5, $6)`,
    [
      organization.id,
      organization.name,
      organization.projectCreation,
      organization.keysOnReactivation,
      organization.secondFactor,
      organization.createdAt,
    ],
  );
}

export async function findOrganization(db: Db, id: string): Promise<Organization | null> {
  const [row] = await db.query<OrganizationRow>("select * from organizations where id = $1", [id]);
  return row ? toOrganization(row) : null;
}

export async function updateOrganizationRow(db: Db, organization: Organization): Promise<void> {
  await db.query(
    `update organizations set name = $2, project_creation = $3, keys_on_reactivation = $4, second_factor = $5
      where id = $1`,
    [
      organization.id,
      organization.name,
      organization.projectCreation,
      organization.keysOnReactivation,
      organization.secondFactor,
    ],
  );
}
