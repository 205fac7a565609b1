import { Command } from "commander";
import { findOrganization } from "../access/organizations.ts";
import { readDomain, verifyAsOperator } from "../identity/sso/domains.ts";
import { Problem } from "../kernel/problem.ts";
import { asOperator, CommandRefused, type OperatorOptions, operatorCommand, print } from "./command.ts";

interface DomainOptions extends OperatorOptions {
  domain: string;
  organization: string;
}

export const domainsCommand = (): Command =>
  new Command("domains")
    .description("Say which domains belong to which organization")
    .addCommand(
      operatorCommand("verify", "take a domain as an organization's own, where the DNS cannot be asked")
        .requiredOption("--domain <name>", "what stands behind the @, such as example.com")
        .requiredOption("--organization <id>", "whose it is, org_…")
        .action(verify),
    );

async function verify(options: DomainOptions): Promise<void> {
  const name = readDomain(options.domain);
  if (name === null) throw new CommandRefused(`"${options.domain}" is not a domain that addresses can have.`);
  const domain = await asOperator(options, async (scope) => {
    if (!(await findOrganization(scope.db, options.organization))) {
      throw new Problem("organization_not_found", `No organization ${options.organization} in this region.`);
    }
    return verifyAsOperator(scope, options.organization, name);
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
