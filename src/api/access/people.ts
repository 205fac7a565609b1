import * as z from "zod";
import { deactivationDetails } from "../../access/deactivation.ts";
import {
  changeOrganizationRole,
  deactivateInOrganization,
  listPeople,
  reactivateInOrganization,
} from "../../access/organization-people.ts";
import type { User } from "../../access/users.ts";
import { operation } from "../../calls/define-operation.ts";
import { onePageOf, pageInput, pageOutput, toPage } from "../../calls/list-pages.ts";
import { endSessionsOutsideSso } from "../../identity/sso/end-other-sessions.ts";
import { idField, timeField } from "../shared-fields.ts";

const personRecord = z.object({
  user_id: z.string(),
  email: z.string(),
  name: z.string(),
  organization_role: z.enum(["owner", "member"]),
  active: z.boolean(),
  created_at: timeField,
  deactivated_at: timeField.nullable(),
});
z.globalRegistry.add(personRecord, { id: "OrganizationUser" });

const toRecord = (user: User) => ({
  user_id: user.id,
  email: user.email,
  name: user.name,
  organization_role: user.organizationRole,
  active: user.active,
  created_at: user.createdAt,
  deactivated_at: user.deactivatedAt,
});

export const peopleOperations = [
  operation({
    path: "/latest/organizations/users/list",
    area: "organizations",
    summary: "List everyone in the organization",
    description: "Includes people without a project and deactivated people.",
    needs: "organization owner",
    audit: null,
    refuses: [],
    input: z.object(pageInput),
    output: pageOutput(personRecord),
    example: {},
    async run(scope, input) {
      const rows = await listPeople(scope, onePageOf(input));
      return toPage(rows, input.limit, (row) => row.id, toRecord);
    },
  }),
  operation({
    path: "/latest/organizations/users/update",
    area: "organizations",
    summary: "Make a person an owner of the organization, or a member again",
    description: "An organization keeps at least one active owner.",
    needs: "organization owner",
    confirmed: true,
    audit: "user.organization_role_changed",
    countsAs: "write",
    refuses: ["user_not_found", "last_owner"],
    input: z.object({ user_id: idField, organization_role: z.enum(["owner", "member"]) }),
    output: personRecord,
    example: { user_id: "usr_us_…", organization_role: "owner" },
    async run(scope, input) {
      const user = await changeOrganizationRole(scope, input.user_id, input.organization_role);
      // Owners may sign in without a required single sign-on; a former owner may not.
      await endSessionsOutsideSso(scope.db, user.organizationId, scope.now());
      return toRecord(user);
    },
    auditOf: (input) => ({ target: input.user_id, details: { organization_role: input.organization_role } }),
  }),
  operation({
    path: "/latest/organizations/users/deactivate",
    area: "organizations",
    summary: "Deactivate a person or a service user",
    description:
      "At once, their sessions end, their keys stop working, their open invites are withdrawn and their runs stop. Their memberships are kept, and apply again when they are reactivated.",
    needs: "organization owner",
    audit: "user.deactivated",
    countsAs: "write",
    refuses: ["user_not_found", "last_owner"],
    input: z.object({ user_id: idField }),
    output: z.object({
      user_id: z.string(),
      active: z.literal(false),
      email: z.string(),
      keys_deactivated: z.int(),
      sessions_ended: z.int(),
      invites_withdrawn: z.int(),
      projects_without_active_admin: z
        .array(z.string())
        .meta({ description: "Projects that now have no active admin" }),
    }),
    example: { user_id: "usr_us_…" },
    async run(scope, input) {
      const done = await deactivateInOrganization(scope, input.user_id);
      return { user_id: input.user_id, active: false as const, ...deactivationDetails(done) };
    },
    auditOf: (input, { user_id: _, active: __, ...details }) => ({ target: input.user_id, details }),
  }),
  operation({
    path: "/latest/organizations/users/reactivate",
    area: "organizations",
    summary: "Reactivate a person or a service user",
    description:
      "Old keys stay off until someone enables them, unless the organization's `keys_on_reactivation` restores them.",
    needs: "organization owner",
    audit: "user.reactivated",
    countsAs: "write",
    refuses: ["user_not_found"],
    input: z.object({ user_id: idField }),
    output: z.object({ user_id: z.string(), active: z.literal(true), keys_restored: z.int() }),
    example: { user_id: "usr_us_…" },
    async run(scope, input) {
      const { keysRestored } = await reactivateInOrganization(scope, input.user_id);
      return { user_id: input.user_id, active: true as const, keys_restored: keysRestored };
    },
    auditOf: (input, output) => ({ target: input.user_id, details: { keys_restored: output.keys_restored } }),
  }),
];
