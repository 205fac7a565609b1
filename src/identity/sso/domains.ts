import { Resolver } from "node:dns/promises";
import { appendAudit, lockChain } from "../../access/audit/audit.ts";
import { readEmail } from "../../access/email.ts";
import type { AnyScope, Operator, Scope } from "../../access/scope.ts";
import { isVerifiedByPerson, type User } from "../../access/users.ts";
import { newId } from "../../kernel/ids.ts";
import { Problem } from "../../kernel/problem.ts";
import { randomBase62 } from "../../kernel/random.ts";
import type { Db } from "../../store/db.ts";
import {
  countDomains,
  type Domain,
  deleteDomainRow,
  findDomainByName,
  findDomainRow,
  findVerifiedDomain,
  insertDomain,
  listDomainRows,
  setDomainProvider,
  setVerified,
} from "./domains.store.ts";
import { endSessionsOutsideSso } from "./end-other-sessions.ts";
import { requireProvider } from "./providers.ts";

export type { Domain } from "./domains.store.ts";
export { findVerifiedDomain } from "./domains.store.ts";

/** A domain's TXT records, each as a list of its strings. Empty if there are none. */
export type ResolveTxt = (domain: string) => Promise<string[][]>;

const domainsMax = 100;
const lookUpMilliseconds = 5000;

/** Uses the machine's resolver. An unknown name has no records; an unreachable resolver is an error. */
export const resolveTxtByMachine: ResolveTxt = async (domain) => {
  const resolver = new Resolver({ timeout: lookUpMilliseconds, tries: 2 });
  try {
    return await resolver.resolveTxt(domain);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : "";
    if (code === "ENOTFOUND" || code === "ENODATA") return [];
    throw error;
  }
};

/** The domain in the form in which addresses are compared, or null if it is invalid. */
export function readDomain(text: string): string | null {
  const email = readEmail(`someone@${text.trim()}`);
  return email ? domainOf(email.key) : null;
}

export const domainOf = (emailKey: string): string => emailKey.slice(emailKey.lastIndexOf("@") + 1);

export const recordOf = (domain: Domain): string => `signalbox-verification=${domain.token}`;

/** Claims a domain for the organization. It has no effect before it is verified. */
export async function createDomain(scope: Scope, name: string, providerId: string | null): Promise<Domain> {
  const { db, actor } = scope;
  const known = await findDomainByName(db, actor.organizationId, name);
  if (known) throw new Problem("domain_already_named", undefined, { more: { domain_id: known.id } });
  if ((await countDomains(db, actor.organizationId)) >= domainsMax) throw new Problem("too_many_domains");
  if (providerId !== null) await requireProvider(scope, providerId);
  return addDomain(scope, actor.organizationId, name, providerId);
}

async function addDomain(
  scope: AnyScope,
  organizationId: string,
  name: string,
  providerId: string | null,
): Promise<Domain> {
  const domain: Domain = {
    id: newId("domain", scope.region),
    organizationId,
    domain: name,
    token: randomBase62(43),
    providerId,
    verifiedAt: null,
    verifiedBy: null,
    createdAt: scope.now().toISOString(),
  };
  await insertDomain(scope.db, domain);
  return domain;
}

export async function requireDomain(scope: Scope, id: string): Promise<Domain> {
  const domain = await findDomainRow(scope.db, id);
  if (domain?.organizationId !== scope.actor.organizationId) throw new Problem("domain_not_found");
  return domain;
}

export const listDomains = (scope: Scope, page: { after: string; limit: number }): Promise<Domain[]> =>
  listDomainRows(scope.db, scope.actor.organizationId, page);

/** Queries DNS, without an open transaction. Throws if the record is missing. */
export async function requireRecord(domain: Domain, resolveTxt: ResolveTxt): Promise<void> {
  const record = recordOf(domain);
  const more = { domain: domain.domain, record };
  let records: string[][];
  try {
    records = await resolveTxt(domain.domain);
  } catch (error) {
    const why = "The domain's TXT records could not be read from the DNS.";
    throw new Problem("domain_unproven", why, { more, cause: error });
  }
  if (records.some((pieces) => pieces.join("") === record)) return;
  const others = records.filter((pieces) => pieces.join("").startsWith("signalbox-verification=")).length;
  const why = others > 0 ? "The domain's TXT records hold another text of this kind, and not this one." : undefined;
  throw new Problem("domain_unproven", why, { more });
}

export async function markVerified(db: Db, domain: Domain, by: "dns" | "operator", at: string): Promise<Domain> {
  if (domain.verifiedAt !== null) return domain;
  if (!(await setVerified(db, domain.id, by, at))) throw new Problem("domain_taken");
  return { ...domain, verifiedAt: at, verifiedBy: by };
}

/** For networks whose DNS is not reachable from here: the operator vouches for the domain. */
export async function verifyAsOperator(base: Scope<Operator>, organizationId: string, name: string): Promise<Domain> {
  return base.db.transaction(async (db) => {
    const scope = { ...base, db };
    const head = await lockChain(db, organizationId);
    const now = scope.now().toISOString();
    const named =
      (await findDomainByName(db, organizationId, name)) ?? (await addDomain(scope, organizationId, name, null));
    const domain = await markVerified(db, named, "operator", now);
    const sessionsEnded = await endSessionsOutsideSso(db, organizationId, scope.now());
    const details = { domain: name, verified_by: "operator", sessions_ended: sessionsEnded };
    await appendAudit(scope, head, { action: "domain.verified", target: domain.id, details });
    return domain;
  });
}

/** Sets the provider responsible for the domain; null for the organization's first enabled one. */
export async function changeDomainProvider(scope: Scope, id: string, providerId: string | null): Promise<Domain> {
  const domain = await requireDomain(scope, id);
  if (providerId !== null) await requireProvider(scope, providerId);
  await setDomainProvider(scope.db, id, providerId);
  return { ...domain, providerId };
}

export async function deleteDomain(scope: Scope, id: string): Promise<Domain> {
  const domain = await requireDomain(scope, id);
  await deleteDomainRow(scope.db, id);
  return domain;
}

/**
 * Whether the account's organization may see sign-ins with its address: it owns the domain, or the person verified the
 * address.
 */
export async function isAddressVerifiedFor(
  db: Db,
  user: Pick<User, "emailKey" | "emailVerifiedAt" | "organizationId">,
): Promise<boolean> {
  if (isVerifiedByPerson(user)) return true;
  return (await findVerifiedDomain(db, domainOf(user.emailKey)))?.organizationId === user.organizationId;
}
