import type { Db } from "../../store/db.ts";
import type { Role } from "../permissions.ts";
import type { OrganizationRole } from "../scope.ts";

export interface Rights {
  active: boolean;
  organizationRole: OrganizationRole;
  /** Null for a person who is not in the project. */
  role: Role | null;
}

interface RightsRow {
  active: number;
  organization_role: string;
  role: string | null;
}

export async function findRights(db: Db, userId: string, projectId: string): Promise<Rights | null> {
  const [row] = await db.query<RightsRow>(
    `select u.active, u.organization_role, m.role
       from users u left join memberships m on m.user_id = u.id and m.project_id = $2
      where u.id = $1`,
    [userId, projectId],
  );
  if (!row) return null;
  return {
    active: row.active === 1,
    organizationRole: row.organization_role as OrganizationRole,
    role: row.role as Role | null,
  };
}
