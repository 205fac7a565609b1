import { findOrganization } from "../../access/organizations.ts";
import { readDomain, verifyAsOperator } from "../../identity/sso/domains.ts";
import { Problem } from "../../kernel/problem.ts";
import { asOperator, CommandRefused, type OperatorOptions, print } from "../as-operator.ts";

interface DomainOptions extends OperatorOptions {
  domain?: string;
  organization?: string;
}

export async function verifyDomain(options: DomainOptions): Promise<void> {
  const { domain: wanted, organization } = options;
  if (wanted === undefined || organization === undefined)
    throw new CommandRefused("Name the domain with --domain, and whose it is with --organization.");
  const name = readDomain(wanted);
  if (name === null) throw new CommandRefused(`"${wanted}" is not a domain that addresses can have.`);
  const domain = await asOperator(options, async (scope) => {
    if (!(await findOrganization(scope.db, organization))) {
      throw new Problem("organization_not_found", `No organization ${organization} in this region.`);
    }
    return verifyAsOperator(scope, organization, name);
  });
  print(
    {
      domain_id: domain.id,
      domain: domain.domain,
      organization_id: domain.organizationId,
      verified_at: domain.verifiedAt,
      verified_by: domain.verifiedBy,
    },
    options,
  );
}
