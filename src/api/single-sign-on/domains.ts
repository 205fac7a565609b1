import * as z from "zod";
import { externalOperation, operation } from "../../calls/define-operation.ts";
import { onePageOf, pageInput, pageOutput, toPage } from "../../calls/list-pages.ts";
import {
  changeDomainProvider,
  createDomain,
  type Domain,
  deleteDomain,
  listDomains,
  markVerified,
  readDomain,
  recordOf,
  requireDomain,
  requireRecord,
} from "../../identity/sso/domains.ts";
import { endSessionsOutsideSso } from "../../identity/sso/end-other-sessions.ts";
import { idField, timeField } from "../shared-fields.ts";

const domainId = idField.meta({ description: "The domain" });
const domainField = z
  .string()
  .max(253)
  .meta({ description: "The part after the @ of your people's addresses, such as `example.com`" })
  .transform((text, context): string => {
    const domain = readDomain(text);
    if (domain !== null) return domain;
    context.addIssue({ code: "custom", message: "This is not a domain that addresses can have." });
    return z.NEVER;
  });
const providerField = idField.nullable().meta({
  description: "The identity provider for this domain; null: any of the organization's",
});

const domainRecord = z.object({
  domain_id: z.string(),
  domain: z.string(),
  provider_id: z.string().nullable(),
  verified: z.boolean().meta({ description: "Whether it is verified that the domain belongs to the organization" }),
  verified_at: timeField.nullable(),
  verified_by: z.enum(["dns", "operator"]).nullable().meta({ description: "What verified it" }),
  record: z.string().meta({ description: "The TXT record that verifies it" }),
  created_at: timeField,
});
z.globalRegistry.add(domainRecord, { id: "Domain" });

const toRecord = (domain: Domain): z.input<typeof domainRecord> => ({
  domain_id: domain.id,
  domain: domain.domain,
  provider_id: domain.providerId,
  verified: domain.verifiedAt !== null,
  verified_at: domain.verifiedAt,
  verified_by: domain.verifiedBy,
  record: recordOf(domain),
  created_at: domain.createdAt,
});

export const domainOperations = [
  operation({
    path: "/latest/domains/create",
    area: "single_sign_on",
    summary: "Add a domain of the organization",
    description:
      "Add `record` to the domain's TXT records, then call `domains/{domain_id}/verify`. Until then the domain has no effect.",
    needs: "organization owner",
    confirmed: true,
    audit: "domain.created",
    refuses: ["domain_already_named", "too_many_domains", "provider_not_found"],
    input: z.object({ domain: domainField, provider_id: providerField.optional() }),
    output: domainRecord,
    example: { domain: "example.com" },
    async run(scope, input) {
      return toRecord(await createDomain(scope, input.domain, input.provider_id ?? null));
    },
    auditOf: (input, output) => ({ target: output.domain_id, details: { domain: input.domain } }),
  }),
  operation({
    path: "/latest/domains/list",
    area: "single_sign_on",
    summary: "List the organization's domains",
    needs: "organization owner",
    audit: null,
    refuses: [],
    input: z.object(pageInput),
    output: pageOutput(domainRecord),
    example: {},
    async run(scope, input) {
      const rows = await listDomains(scope, onePageOf(input));
      return toPage(rows, input.limit, (row) => row.id, toRecord);
    },
  }),
  externalOperation({
    path: "/latest/domains/{domain_id}/verify",
    area: "single_sign_on",
    summary: "Verify a domain by its TXT record",
    description:
      "From then on, an account with an address in the domain is linked when its owner signs in at the identity provider. A domain belongs to one organization in a region. Where DNS cannot be queried, the operator runs `signalbox domains verify`.",
    needs: "organization owner",
    confirmed: true,
    audit: "domain.verified",
    answersWithChange: true,
    refuses: ["domain_not_found", "domain_unproven", "domain_taken"],
    input: z.object({ domain_id: domainId }),
    output: domainRecord,
    example: { domain_id: "dom_us_…" },
    async run(scope, input, { sso }) {
      const named = await requireDomain(scope, input.domain_id);
      await requireRecord(named, sso.resolveTxt);
      return scope.change(async (inside) => {
        const before = await requireDomain(inside, input.domain_id);
        const verified = await markVerified(inside.db, before, "dns", inside.now().toISOString());
        const sessionsEnded = await endSessionsOutsideSso(inside.db, verified.organizationId, inside.now());
        const details = { domain: verified.domain, verified_by: "dns", sessions_ended: sessionsEnded };
        return { value: toRecord(verified), target: verified.id, details };
      });
    },
  }),
  operation({
    path: "/latest/domains/{domain_id}/update",
    area: "single_sign_on",
    summary: "Choose the identity provider for a domain",
    description:
      "The domain's provider may take over accounts that are linked to another provider. In this way an organization moves to a new provider.",
    needs: "organization owner",
    confirmed: true,
    audit: "domain.updated",
    refuses: ["domain_not_found", "provider_not_found"],
    input: z.object({ domain_id: domainId, provider_id: providerField }),
    output: domainRecord,
    example: { domain_id: "dom_us_…", provider_id: "sso_us_…" },
    async run(scope, input) {
      const domain = await changeDomainProvider(scope, input.domain_id, input.provider_id);
      await endSessionsOutsideSso(scope.db, domain.organizationId, scope.now());
      return toRecord(domain);
    },
    auditOf: (input) => ({ target: input.domain_id, details: { provider_id: input.provider_id } }),
  }),
  operation({
    path: "/latest/domains/{domain_id}/delete",
    area: "single_sign_on",
    summary: "Delete a domain",
    description: "Accounts that are linked stay linked.",
    needs: "organization owner",
    confirmed: true,
    audit: "domain.deleted",
    refuses: ["domain_not_found"],
    input: z.object({ domain_id: domainId }),
    output: z.object({ domain_id: z.string(), deleted: z.literal(true) }),
    example: { domain_id: "dom_us_…" },
    async run(scope, input) {
      await deleteDomain(scope, input.domain_id);
      return { domain_id: input.domain_id, deleted: true as const };
    },
    auditOf: (input) => ({ target: input.domain_id }),
  }),
];
