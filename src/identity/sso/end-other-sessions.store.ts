import type { Db } from "../../store/db.ts";

/**
 * A domain belongs to the provider it names, or to the organization's first enabled one, as in `findProviderOfDomain`.
 */
const requiresSso = `exists (select 1 from domains d join sso_providers p on p.organization_id = d.organization_id
    where d.organization_id = u.organization_id and d.verified_at is not null
      and substr(u.email_key, length(u.email_key) - length(d.domain)) = '@' || d.domain
      and p.enabled = 1 and p.required = 1
      and (d.provider_id = p.id or (d.provider_id is null and p.id =
        (select min(first.id) from sso_providers first where first.organization_id = d.organization_id and first.enabled = 1))))`;

/** Returns how many sessions ended. */
export async function endNonSsoSessions(
  db: Db,
  organizationId: string,
  at: string,
  onlyUserId: string | null,
): Promise<number> {
  const [onlyOne, values] = onlyUserId === null ? ["", []] : ["and u.id = $3", [onlyUserId]];
  const rows = await db.query(
    `update sessions set revoked_at = $2
      where method not in ('oidc', 'saml') and revoked_at is null and expires_at > $2
        and user_id in (select u.id from users u
                         where u.organization_id = $1 ${onlyOne} and u.organization_role <> 'owner' and ${requiresSso})
     returning id`,
    [organizationId, at, ...values],
  );
  return rows.length;
}
