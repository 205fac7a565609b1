import { changeSessionsOf, changeSessionsOfAll } from "../../access/callers/sessions.ts";
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

/** Returns how many sessions ended. An organization can have very many people, most of them without a required provider. */
export async function endNonSsoSessions(
  db: Db,
  organizationId: string,
  at: string,
  onlyUserId: string | null,
): Promise<number> {
  const [required] = await db.query(
    "select 1 as found from sso_providers where organization_id = $1 and enabled = 1 and required = 1 limit 1",
    [organizationId],
  );
  if (!required) return 0;
  const end = async (ids: readonly string[], marks: string): Promise<number> => {
    const given = `$${ids.length + 1}`;
    const rows = await db.query(
      `update sessions set revoked_at = ${given}
        where id in (${marks}) and method not in ('oidc', 'saml') and revoked_at is null and expires_at > ${given}
          and exists (select 1 from users u
                       where u.id = sessions.user_id and u.organization_role <> 'owner' and ${requiresSso})
       returning id`,
      [...ids, at],
    );
    return rows.length;
  };
  return onlyUserId === null ? changeSessionsOfAll(db, organizationId, end) : changeSessionsOf(db, onlyUserId, end);
}
