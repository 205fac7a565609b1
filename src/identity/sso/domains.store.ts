import type { Db } from "../../store/db.ts";

export interface Domain {
  id: string;
  organizationId: string;
  domain: string;
  /** The token in the TXT record. It is not secret: the right to write the record is the proof. */
  token: string;
  /** The provider responsible for the domain; null for the organization's first enabled one. */
  providerId: string | null;
  verifiedAt: string | null;
  verifiedBy: "dns" | "operator" | null;
  createdAt: string;
}

interface DomainRow {
  id: string;
  organization_id: string;
  domain: string;
  token: string;
  provider_id: string | null;
  verified_at: string | null;
  verified_by: string | null;
  created_at: string;
}

const toDomain = (row: DomainRow): Domain => ({
  id: row.id,
  organizationId: row.organization_id,
  domain: row.domain,
  token: row.token,
  providerId: row.provider_id,
  verifiedAt: row.verified_at,
  verifiedBy: row.verified_by as Domain["verifiedBy"],
  createdAt: row.created_at,
});

export async function insertDomain(db: Db, domain: Domain): Promise<void> {
  await db.query(
    `insert into domains (id, organization_id, domain, token, provider_id, verified_at, verified_by, created_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [
      domain.id,
      domain.organizationId,
      domain.domain,
      domain.token,
      domain.providerId,
      domain.verifiedAt,
      domain.verifiedBy,
      domain.createdAt,
    ],
  );
}

export async function findDomainRow(db: Db, id: string): Promise<Domain | null> {
  const [row] = await db.query<DomainRow>("select * from domains where id = $1", [id]);
  return row ? toDomain(row) : null;
}

export async function findDomainByName(db: Db, organizationId: string, domain: string): Promise<Domain | null> {
  const [row] = await db.query<DomainRow>("select * from domains where organization_id = $1 and domain = $2", [
    organizationId,
    domain,
  ]);
  return row ? toDomain(row) : null;
}

export async function findVerifiedDomain(db: Db, domain: string): Promise<Domain | null> {
  const [row] = await db.query<DomainRow>("select * from domains where domain = $1 and verified_at is not null", [
    domain,
  ]);
  return row ? toDomain(row) : null;
}

export async function listDomainRows(
  db: Db,
  organizationId: string,
  page: { after: string; limit: number },
): Promise<Domain[]> {
  const rows = await db.query<DomainRow>(
    "select * from domains where organization_id = $1 and id > $2 order by id limit $3",
    [organizationId, page.after, page.limit],
  );
  return rows.map(toDomain);
}

export async function countDomains(db: Db, organizationId: string): Promise<number> {
  const [row] = await db.query<{ count: number }>("select count(*) as count from domains where organization_id = $1", [
    organizationId,
  ]);
  return row?.count ?? 0;
}

/** If two organizations verify a domain concurrently, the first gets it. Returns whether this one did. */
export async function setVerified(db: Db, id: string, by: "dns" | "operator", at: string): Promise<boolean> {
  // Both organizations have a row for the domain, so locking all of them serializes the two.
  await db.query(
    `select id from domains where domain = (select domain from domains where id = $1) order by id ${db.lockRow}`,
    [id],
  );
  const rows = await db.query(
    `update domains set verified_at = $2, verified_by = $3
      where id = $1 and not exists (select 1 from domains d
                                     where d.domain = domains.domain and d.id <> $1 and d.verified_at is not null)
     returning id`,
    [id, at, by],
  );
  return rows.length > 0;
}

export async function setDomainProvider(db: Db, id: string, providerId: string | null): Promise<void> {
  await db.query("update domains set provider_id = $2 where id = $1", [id, providerId]);
}

export async function deleteDomainRow(db: Db, id: string): Promise<void> {
  await db.query("delete from domains where id = $1", [id]);
}
