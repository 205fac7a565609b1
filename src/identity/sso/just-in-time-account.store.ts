import type { Db } from "../../store/db.ts";

export async function isRemovedAddress(db: Db, organizationId: string, emailKey: string): Promise<boolean> {
  const rows = await db.query(
    "select 1 from users where organization_id = $1 and removed_at is not null and lower(email) = $2 limit 1",
    [organizationId, emailKey],
  );
  return rows.length > 0;
}
