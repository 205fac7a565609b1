import * as z from "zod";
import { requireOrganization } from "../../access/organizations.ts";
import { onTheWire } from "../../access/permissions.ts";
import { changeRole, listMembers, type Member } from "../../access/project-members.ts";
import { listProjects } from "../../access/projects.ts";
import { removeFromProject } from "../../access/remove-from-project.ts";
import { operation } from "../../calls/define-operation.ts";
import { onePageOf, pageInput, pageOutput, toPage } from "../../calls/list-pages.ts";
import { idField, permissionsAnswer, permissionsField, timeField } from "../shared-fields.ts";

const userRecord = z.object({
  user_id: z.string(),
  email: z.string(),
  permissions: permissionsAnswer,
  role: z.enum(["viewer", "editor", "admin"]),
  active: z.boolean(),
  managed: z.boolean().meta({ description: "The membership comes from a group of the organization's directory" }),
  created_at: timeField.meta({ description: "When the person joined the project" }),
});
z.globalRegistry.add(userRecord, { id: "ProjectUser" });

const toRecord = (member: Member) => ({
  user_id: member.userId,
  email: member.email,
  permissions: onTheWire(member.permissions),
  role: member.permissions.role,
  active: member.active,
  managed: member.managed,
  created_at: member.createdAt,
});

const infoProjectsMax = 100;

export const userOperations = [
  operation({
    path: "/latest/auth/users/{user_id}/update",
    area: "users",
    summary: "Change a person's role in the project",
    description: "Replaces all permissions of the person in this project.",
    needs: "project admin",
    audit: "user.role_changed",
    countsAs: "write",
    refuses: ["user_not_found", "last_admin", "managed_by_directory"],
    input: z.object({ user_id: idField, permissions: permissionsField }),
    output: z.object({ user_id: z.string(), permissions: permissionsAnswer }),
    example: { user_id: "usr_us_…", permissions: { items: { platformDefault: { actions: { admin: true } } } } },
    async run(scope, input) {
      const member = await changeRole(scope, input.user_id, input.permissions);
      return { user_id: member.userId, permissions: onTheWire(member.permissions) };
    },
    auditOf: (input) => ({ target: input.user_id, details: { actions: input.permissions.actions } }),
  }),
  operation({
    path: "/latest/auth/users/{user_id}/delete",
    area: "users",
    summary: "Remove a person from the project",
    description: "They keep their account and their other projects. Open invites they sent here are withdrawn.",
    needs: "project admin",
    audit: "user.removed",
    countsAs: "write",
    refuses: ["user_not_found", "last_admin", "managed_by_directory"],
    input: z.object({ user_id: idField }),
    output: z.object({ user_id: z.string(), removed: z.literal(true), invites_withdrawn: z.int() }),
    example: { user_id: "usr_us_…" },
    async run(scope, input) {
      const { invitesWithdrawn } = await removeFromProject(scope, input.user_id);
      return { user_id: input.user_id, removed: true as const, invites_withdrawn: invitesWithdrawn };
    },
    auditOf: (input, output) => ({
      target: input.user_id,
      details: { invites_withdrawn: output.invites_withdrawn },
    }),
  }),
  operation({
    path: "/latest/auth/users/list",
    area: "users",
    summary: "List the people of the project",
    needs: "project viewer",
    audit: null,
    refuses: [],
    input: z.object(pageInput),
    output: pageOutput(userRecord),
    example: {},
    async run(scope, input) {
      const rows = await listMembers(scope, onePageOf(input));
      return toPage(rows, input.limit, (row) => row.userId, toRecord);
    },
  }),
  operation({
    path: "/latest/auth/info",
    area: "users",
    summary: "Who am I: account, organization, key, and projects with roles",
    description: "The first hundred projects; `projects/list` has them all.",
    needs: "account",
    whileEnrolling: true,
    audit: null,
    refuses: [],
    input: z.object({}),
    output: z.object({
      user_id: z.string(),
      organization_id: z.string(),
      region: z.string(),
      user: z.object({ user_id: z.string(), email: z.string(), organization_role: z.enum(["owner", "member"]) }),
      organization: z.object({ organization_id: z.string(), name: z.string() }),
      key: z
        .object({ key_id: z.string(), project_ids: z.array(z.string()).nullable(), max_role: z.string().nullable() })
        .nullable()
        .meta({ description: "The key of this call; null for a session" }),
      session_id: z.string().nullable().meta({ description: "The session of this call; null for a key" }),
      projects: z.array(z.object({ project_id: z.string(), name: z.string(), role: z.string() })),
    }),
    example: {},
    async run(scope) {
      const { actor } = scope;
      const organization = await requireOrganization(scope);
      const projects = await listProjects(scope, { after: "", limit: infoProjectsMax });
      return {
        user_id: actor.userId,
        organization_id: organization.id,
        region: scope.region,
        user: { user_id: actor.userId, email: actor.email, organization_role: actor.organizationRole },
        organization: { organization_id: organization.id, name: organization.name },
        key:
          actor.by === "key"
            ? { key_id: actor.keyId, project_ids: actor.keyProjectIds, max_role: actor.keyMaxRole }
            : null,
        session_id: actor.by === "session" ? actor.keyId : null,
        projects: projects.map(({ id, name, role }) => ({ project_id: id, name, role })),
      };
    },
  }),
];
