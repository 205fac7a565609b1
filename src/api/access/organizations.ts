import * as z from "zod";
import { type Organization, requireOrganization } from "../../access/organizations.ts";
import type { Scope } from "../../access/scope.ts";
import { operation } from "../../calls/define-operation.ts";
import { pageInput, pageOutput } from "../../calls/list-pages.ts";
import { changeOrganization } from "../../identity/second-factor/change-sign-in-policy.ts";
import { idField, nameField, timeField } from "../shared-fields.ts";

const organizationRecord = z.object({
  organization_id: z.string(),
  name: z.string(),
  region: z.string(),
  role: z.enum(["owner", "member"]).meta({ description: "Your own role in it" }),
  project_creation: z.enum(["members", "owners"]),
  keys_on_reactivation: z.enum(["stay_off", "restore"]),
  second_factor: z.enum(["optional", "required"]),
  created_at: timeField,
});
z.globalRegistry.add(organizationRecord, { id: "Organization" });

const toRecord = (organization: Organization, scope: Scope) => ({
  organization_id: organization.id,
  name: organization.name,
  region: scope.region,
  role: scope.actor.organizationRole,
  project_creation: organization.projectCreation,
  keys_on_reactivation: organization.keysOnReactivation,
  second_factor: organization.secondFactor,
  created_at: organization.createdAt,
});

const organizationId = idField.optional().meta({ description: "Default: the organization of your account" });

export const organizationOperations = [
  operation({
    path: "/latest/organizations/list",
    area: "organizations",
    summary: "List your organizations",
    description: "An account belongs to one.",
    needs: "account",
    audit: null,
    refuses: [],
    input: z.object(pageInput),
    output: pageOutput(organizationRecord),
    example: {},
    async run(scope, input) {
      const organization = await requireOrganization(scope);
      const isPast = (input.after ?? "") >= organization.id;
      return { results: isPast ? [] : [toRecord(organization, scope)], next: null };
    },
  }),
  operation({
    path: "/latest/organizations/get",
    area: "organizations",
    summary: "Read an organization",
    needs: "account",
    audit: null,
    refuses: ["organization_not_found", "wrong_region"],
    input: z.object({ organization_id: organizationId }),
    output: organizationRecord,
    example: {},
    run: async (scope, input) => toRecord(await requireOrganization(scope, input.organization_id), scope),
  }),
  operation({
    path: "/latest/organizations/update",
    area: "organizations",
    summary: "Change an organization's name and rules",
    description:
      "`project_creation`: who may create projects. `keys_on_reactivation`: whether a reactivated person's old keys work again. `second_factor`: whether people need more than a password to sign in; once it is `required`, a person without a second factor can only set one up.",
    needs: "organization owner",
    audit: "organization.updated",
    countsAs: "write",
    refuses: ["organization_not_found", "wrong_region", "confirmation_required"],
    input: z.object({
      organization_id: organizationId,
      name: nameField.optional(),
      project_creation: z.enum(["members", "owners"]).optional(),
      keys_on_reactivation: z.enum(["stay_off", "restore"]).optional(),
      second_factor: z.enum(["optional", "required"]).optional(),
    }),
    output: organizationRecord,
    example: { project_creation: "owners" },
    async run(scope, input) {
      const changed = await changeOrganization(scope, input.organization_id, {
        name: input.name,
        projectCreation: input.project_creation,
        keysOnReactivation: input.keys_on_reactivation,
        secondFactor: input.second_factor,
      });
      return toRecord(changed, scope);
    },
    auditOf: (input, output) => ({
      target: output.organization_id,
      details: {
        name: input.name,
        project_creation: input.project_creation,
        keys_on_reactivation: input.keys_on_reactivation,
        second_factor: input.second_factor,
      },
    }),
  }),
];
