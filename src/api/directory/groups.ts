import * as z from "zod";
import { type GroupWithRoles, listGroups, setGroupRoles } from "../../access/directory/group-roles.ts";
import { onTheWire } from "../../access/permissions.ts";
import { operation } from "../../calls/define-operation.ts";
import { onePageOf, pageInput, pageOutput, toPage } from "../../calls/list-pages.ts";
import { idField, permissionsAnswer, permissionsField, timeField } from "../shared-fields.ts";

const roleAnswer = z.object({ project_id: z.string(), permissions: permissionsAnswer });
z.globalRegistry.add(roleAnswer, { id: "GroupRole" });

const groupRecord = z.object({
  group_id: z.string(),
  directory_id: z.string(),
  display_name: z.string(),
  members: z.int().meta({ description: "How many people are in it" }),
  roles: z.array(roleAnswer).meta({ description: "The roles that it grants, by project" }),
  created_at: timeField,
});
z.globalRegistry.add(groupRecord, { id: "DirectoryGroup" });

const toGroupRecord = (group: GroupWithRoles) => ({
  group_id: group.id,
  directory_id: group.directoryId,
  display_name: group.displayName,
  members: group.members,
  roles: group.roles.map(({ projectId, permissions }) => ({
    project_id: projectId,
    permissions: onTheWire(permissions),
  })),
  created_at: group.createdAt,
});

export const directoryGroupOperations = [
  operation({
    path: "/latest/directory/groups/list",
    area: "directory",
    summary: "List a directory's groups, with the roles that they grant",
    needs: "organization owner",
    audit: null,
    refuses: ["directory_not_found", "wrong_region"],
    input: z.object({ directory_id: idField, ...pageInput }),
    output: pageOutput(groupRecord),
    example: { directory_id: "dir_us_…" },
    async run(scope, input) {
      const rows = await listGroups(scope, input.directory_id, onePageOf(input));
      return toPage(rows, input.limit, (row) => row.id, toGroupRecord);
    },
  }),
  operation({
    path: "/latest/directory/groups/{group_id}/roles",
    area: "directory",
    summary: "Set the roles that a group grants in projects",
    description:
      "Replaces all roles of the group, at once for everyone in it. Roles of several groups add up. A membership that comes from a group cannot be changed by hand. A person who leaves the last such group gets back the membership they had before.",
    needs: "organization owner",
    audit: "group.roles_changed",
    refuses: ["directory_not_found", "group_not_found", "project_not_found", "wrong_region"],
    input: z.object({
      directory_id: idField,
      group_id: idField,
      roles: z
        .array(z.object({ project_id: idField, permissions: permissionsField }))
        .max(1000)
        .refine((roles) => new Set(roles.map(({ project_id }) => project_id)).size === roles.length, {
          error: "A project is named twice.",
        })
        .meta({ description: "An empty list removes all roles" }),
    }),
    output: z.object({ group_id: z.string(), roles: z.array(roleAnswer) }),
    example: {
      directory_id: "dir_us_…",
      group_id: "grp_us_…",
      roles: [
        { project_id: "prj_us_…", permissions: { items: { platformDefault: { actions: { "role:editor": true } } } } },
      ],
    },
    async run(scope, input) {
      const wanted = input.roles.map(({ project_id, permissions }) => ({ projectId: project_id, permissions }));
      await setGroupRoles(scope, input.directory_id, input.group_id, wanted);
      const roles = wanted.map(({ projectId, permissions }) => ({
        project_id: projectId,
        permissions: onTheWire(permissions),
      }));
      return { group_id: input.group_id, roles };
    },
    auditOf: (input) => ({
      target: input.group_id,
      details: { roles: input.roles.map(({ project_id, permissions }) => ({ project_id, role: permissions.role })) },
    }),
  }),
];
