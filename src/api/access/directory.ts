import * as z from "zod";
import {
  countOf,
  createDirectory,
  type Directory,
  deleteDirectory,
  listDirectories,
  requireDirectory,
} from "../../access/directory/directories.ts";
import { type GroupWithRoles, listGroups, setGroupRoles } from "../../access/directory/group-roles.ts";
import {
  createToken,
  type DirectoryToken,
  listTokens,
  revokeToken,
  rotateToken,
} from "../../access/directory/tokens.ts";
import { onTheWire } from "../../access/permissions.ts";
import { operation } from "../../calls/define.ts";
import { onePageOf, pageInput, pageOutput, toPage } from "../../calls/pages.ts";
import { leaveDirectory } from "../../identity/sso/providers.ts";
import {
  expiryField,
  idField,
  labelField,
  permissionsAnswer,
  permissionsField,
  requireFuture,
  timeField,
} from "../fields.ts";

const directoryRecord = z.object({ directory_id: z.string(), label: z.string(), created_at: timeField });

const toRecord = (directory: Directory) => ({
  directory_id: directory.id,
  label: directory.label,
  created_at: directory.createdAt,
});

const tokenRecord = z.object({
  token_id: z.string(),
  hint: z.string().meta({ description: "The last four characters of the token" }),
  status: z.enum(["active", "expired", "revoked"]),
  created_at: timeField,
  expires_at: timeField.nullable(),
  last_used_at: timeField.nullable().meta({ description: "To within some seconds" }),
});

function toTokenRecord(token: DirectoryToken, now: string) {
  const isExpired = token.expiresAt !== null && token.expiresAt <= now;
  return {
    token_id: token.id,
    hint: token.hint,
    status: token.revokedAt !== null ? ("revoked" as const) : isExpired ? ("expired" as const) : ("active" as const),
    created_at: token.createdAt,
    expires_at: token.expiresAt,
    last_used_at: token.lastUsedAt,
  };
}

const roleAnswer = z.object({ project_id: z.string(), permissions: permissionsAnswer });

const groupRecord = z.object({
  group_id: z.string(),
  directory_id: z.string(),
  display_name: z.string(),
  members: z.int().meta({ description: "How many people are in it" }),
  roles: z.array(roleAnswer).meta({ description: "The projects its members are in, and as what" }),
  created_at: timeField,
});

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

const newToken = {
  token_id: z.string(),
  scim_token: z.string().meta({ description: "Shown this once" }),
};

const expiryOf = (expiresAt: string | null | undefined, now: Date): string | null =>
  expiresAt == null ? null : requireFuture(expiresAt, now);

export const directoryOperations = [
  operation({
    path: "/latest/directory/create",
    area: "directory",
    summary: "Connect an identity provider",
    description: "Give the provider the base address `/scim/v2` of this region and the token.",
    needs: "organization owner",
    confirmed: true,
    audit: "directory.created",
    refuses: [],
    answersSecret: true,
    input: z.object({ label: labelField.optional() }),
    output: z.object({ directory_id: z.string(), ...newToken }),
    example: { label: "Entra ID" },
    async run(scope, input) {
      const { directory, token } = await createDirectory(scope, scope.actor.organizationId, input.label ?? "");
      return { directory_id: directory.id, token_id: token.token.id, scim_token: token.plain };
    },
    auditOf: (input, output) => ({
      target: output.directory_id,
      details: { label: input.label, token_id: output.token_id },
    }),
  }),
  operation({
    path: "/latest/directory/list",
    area: "directory",
    summary: "List the organization's directories",
    needs: "organization owner",
    audit: null,
    refuses: [],
    input: z.object(pageInput),
    output: pageOutput(directoryRecord),
    example: {},
    async run(scope, input) {
      const rows = await listDirectories(scope, onePageOf(input));
      return toPage(rows, input.limit, (row) => row.id, toRecord);
    },
  }),
  operation({
    path: "/latest/directory/{directory_id}/get",
    area: "directory",
    summary: "Read a directory, with its tokens",
    description: "The tokens themselves are never shown again.",
    needs: "organization owner",
    audit: null,
    refuses: ["directory_not_found", "wrong_region"],
    input: z.object({ directory_id: idField }),
    output: directoryRecord.extend({
      people: z.int().meta({ description: "How many people it looks after" }),
      groups: z.int().meta({ description: "How many groups it has" }),
      tokens: z.array(tokenRecord),
    }),
    example: { directory_id: "dir_us_…" },
    async run(scope, input) {
      const directory = await requireDirectory(scope, input.directory_id);
      const tokens = await listTokens(scope.db, directory.id);
      const now = scope.now().toISOString();
      const counts = await countOf(scope, directory.id);
      return { ...toRecord(directory), ...counts, tokens: tokens.map((token) => toTokenRecord(token, now)) };
    },
  }),
  operation({
    path: "/latest/directory/{directory_id}/delete",
    area: "directory",
    summary: "Disconnect an identity provider",
    description:
      "Its tokens open nothing any more. People keep their accounts and their places in projects, which can be changed by hand from then on.",
    needs: "organization owner",
    confirmed: true,
    audit: "directory.deleted",
    refuses: ["directory_not_found", "wrong_region"],
    input: z.object({ directory_id: idField }),
    output: z.object({ directory_id: z.string(), deleted: z.literal(true) }),
    example: { directory_id: "dir_us_…" },
    async run(scope, input) {
      const { id } = await deleteDirectory(scope, input.directory_id);
      await leaveDirectory(scope.db, id);
      return { directory_id: id, deleted: true as const };
    },
    auditOf: (input) => ({ target: input.directory_id }),
  }),
  operation({
    path: "/latest/directory/tokens/create",
    area: "directory",
    summary: "Create another token for a directory",
    description:
      "Without an expiry it works until it is revoked: a provider whose token expires stops sending anything.",
    needs: "organization owner",
    confirmed: true,
    audit: "directory.token_created",
    refuses: ["directory_not_found", "wrong_region"],
    answersSecret: true,
    input: z.object({ directory_id: idField, expires_at: expiryField.nullish() }),
    output: z.object({ ...newToken, expires_at: timeField.nullable() }),
    example: { directory_id: "dir_us_…" },
    async run(scope, input) {
      const directory = await requireDirectory(scope, input.directory_id);
      const expiresAt = expiryOf(input.expires_at, scope.now());
      const { token, plain } = await createToken(scope, directory.id, expiresAt);
      return { token_id: token.id, scim_token: plain, expires_at: token.expiresAt };
    },
    auditOf: (input, output) => ({ target: input.directory_id, details: { token_id: output.token_id } }),
  }),
  operation({
    path: "/latest/directory/tokens/rotate",
    area: "directory",
    summary: "Replace a directory's tokens, while the old ones go on for a while",
    description: "All tokens there are work for `overlap_seconds` more, a day unless told otherwise.",
    needs: "organization owner",
    confirmed: true,
    audit: "directory.token_rotated",
    refuses: ["directory_not_found", "wrong_region"],
    answersSecret: true,
    input: z.object({
      directory_id: idField,
      overlap_seconds: z.int().min(0).max(2_592_000).default(86_400),
      expires_at: expiryField.nullish(),
    }),
    output: z.object({ ...newToken, expires_at: timeField.nullable(), old_expires_at: timeField }),
    example: { directory_id: "dir_us_…", overlap_seconds: 3600 },
    async run(scope, input) {
      const directory = await requireDirectory(scope, input.directory_id);
      const expiresAt = expiryOf(input.expires_at, scope.now());
      const made = await rotateToken(scope, directory.id, input.overlap_seconds, expiresAt);
      return {
        token_id: made.token.id,
        scim_token: made.plain,
        expires_at: made.token.expiresAt,
        old_expires_at: made.oldExpiresAt,
      };
    },
    auditOf: (input, output) => ({ target: input.directory_id, details: { token_id: output.token_id } }),
  }),
  operation({
    path: "/latest/directory/tokens/revoke",
    area: "directory",
    summary: "Revoke a token, at once and for good",
    needs: "organization owner",
    audit: "directory.token_revoked",
    refuses: ["directory_not_found", "directory_token_not_found", "key_already_revoked", "wrong_region"],
    input: z.object({ directory_id: idField, token_id: idField }),
    output: z.object({ token_id: z.string(), revoked: z.literal(true) }),
    example: { directory_id: "dir_us_…", token_id: "dtk_us_…" },
    async run(scope, input) {
      const directory = await requireDirectory(scope, input.directory_id);
      await revokeToken(scope, directory.id, input.token_id);
      return { token_id: input.token_id, revoked: true as const };
    },
    auditOf: (input) => ({ target: input.directory_id, details: { token_id: input.token_id } }),
  }),
  operation({
    path: "/latest/directory/groups/list",
    area: "directory",
    summary: "List a directory's groups, with what they give",
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
    summary: "Say which projects a group's members are in, and as what",
    description:
      "Replaces all of it, and holds at once for everyone in the group. What several groups give adds up. A place in a project that comes from a group cannot be changed by hand; what somebody had by hand before is theirs again when they leave the last such group.",
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
        .meta({ description: "An empty list takes everything away" }),
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
