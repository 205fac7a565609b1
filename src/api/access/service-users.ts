import * as z from "zod";
import { onTheWire } from "../../access/permissions.ts";
import {
  addServiceUser,
  createServiceKey,
  createServiceUser,
  listServiceKeys,
  listServiceUsers,
} from "../../access/service-users.ts";
import type { User } from "../../access/users.ts";
import { operation } from "../../calls/define-operation.ts";
import { onePageOf, pageInput, pageOutput, toPage } from "../../calls/list-pages.ts";
import {
  expiryField,
  idField,
  labelField,
  nameField,
  permissionsAnswer,
  permissionsField,
  requireFuture,
  timeField,
} from "../shared-fields.ts";
import { keyRecord, toKeyPage } from "./keys.ts";

const serviceUserRecord = z.object({
  user_id: z.string(),
  name: z.string(),
  active: z.boolean(),
  created_at: timeField,
  deactivated_at: timeField.nullable(),
});
z.globalRegistry.add(serviceUserRecord, { id: "ServiceUser" });

const toRecord = (user: User) => ({
  user_id: user.id,
  name: user.name,
  active: user.active,
  created_at: user.createdAt,
  deactivated_at: user.deactivatedAt,
});

const keyOutput = {
  key_id: z.string(),
  api_key: z.string().meta({ description: "Shown only once" }),
};

export const serviceUserOperations = [
  operation({
    path: "/latest/auth/service_users/create",
    area: "service_users",
    summary: "Create a service user, with its first key",
    description: "It is in no project yet: an admin of the project adds it.",
    needs: "organization owner",
    confirmed: true,
    audit: "service_user.created",
    countsAs: "write",
    refuses: [],
    answersSecret: true,
    input: z.object({ name: nameField }),
    output: z.object({ user_id: z.string(), ...keyOutput }),
    example: { name: "nightly deployment" },
    async run(scope, input) {
      const { user, key, apiKey } = await createServiceUser(scope, input.name);
      return { user_id: user.id, key_id: key.id, api_key: apiKey };
    },
    auditOf: (input, output) => ({ target: output.user_id, details: { name: input.name, key_id: output.key_id } }),
  }),
  operation({
    path: "/latest/auth/service_users/list",
    area: "service_users",
    summary: "List the organization's service users",
    needs: "account",
    audit: null,
    refuses: [],
    input: z.object(pageInput),
    output: pageOutput(serviceUserRecord),
    example: {},
    async run(scope, input) {
      const rows = await listServiceUsers(scope, onePageOf(input));
      return toPage(rows, input.limit, (row) => row.id, toRecord);
    },
  }),
  operation({
    path: "/latest/auth/service_users/create_key",
    area: "service_users",
    summary: "Create another key for a service user",
    description: "Revoke it with `auth/keys/revoke`.",
    needs: "organization owner",
    confirmed: true,
    audit: "key.created",
    countsAs: "write",
    refuses: ["user_not_found", "user_deactivated", "wrong_region"],
    answersSecret: true,
    input: z.object({
      user_id: idField,
      label: labelField.optional(),
      expires_at: expiryField.nullish(),
      project_ids: z.array(idField).min(1).max(100).nullish(),
      max_role: z.enum(["viewer", "editor", "admin"]).nullish(),
    }),
    output: z.object({ user_id: z.string(), ...keyOutput, expires_at: timeField.nullable() }),
    example: { user_id: "usr_us_…", label: "second machine" },
    async run(scope, input) {
      const { key, apiKey } = await createServiceKey(scope, input.user_id, {
        label: input.label,
        expiresAt: input.expires_at == null ? null : requireFuture(input.expires_at, scope.now()),
        projectIds: input.project_ids,
        maxRole: input.max_role,
      });
      return { user_id: input.user_id, key_id: key.id, api_key: apiKey, expires_at: key.expiresAt };
    },
    auditOf: (input, output) => ({
      target: output.key_id,
      details: { label: input.label, user_id: input.user_id },
    }),
  }),
  operation({
    path: "/latest/auth/service_users/list_keys",
    area: "service_users",
    summary: "List the keys of a service user",
    description: "The keys themselves are never shown again. Revoke one with `auth/keys/revoke`.",
    needs: "organization owner",
    audit: null,
    refuses: ["user_not_found"],
    input: z.object({ user_id: idField, ...pageInput }),
    output: pageOutput(keyRecord),
    example: { user_id: "usr_us_…" },
    async run(scope, input) {
      return toKeyPage(scope, await listServiceKeys(scope, input.user_id, onePageOf(input)), input.limit);
    },
  }),
  operation({
    path: "/latest/auth/service_users/add",
    area: "service_users",
    summary: "Add a service user to the project",
    description: "Change or end the membership with `auth/users/{user_id}/update` and `delete`, as for people.",
    needs: "project admin",
    audit: "user.joined",
    countsAs: "write",
    refuses: ["user_not_found", "user_deactivated", "already_member"],
    input: z.object({ user_id: idField, permissions: permissionsField }),
    output: z.object({ user_id: z.string(), permissions: permissionsAnswer }),
    example: { user_id: "usr_us_…", permissions: { items: { platformDefault: { actions: { "role:editor": true } } } } },
    async run(scope, input) {
      await addServiceUser(scope, input.user_id, input.permissions);
      return { user_id: input.user_id, permissions: onTheWire(input.permissions) };
    },
    auditOf: (input) => ({ target: input.user_id, details: { actions: input.permissions.actions } }),
  }),
];
