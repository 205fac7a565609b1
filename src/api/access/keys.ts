import * as z from "zod";
import { type ApiKey, createKey, enableKey, listKeysOf, rerollKey, revokeKey } from "../../access/callers/keys.ts";
import { operation } from "../../calls/define-operation.ts";
import { onePageOf, pageInput, pageOutput, toPage } from "../../calls/list-pages.ts";
import { expiryField, idField, labelField, requireFuture, timeField } from "../shared-fields.ts";

export const keyRecord = z.object({
  key_id: z.string(),
  user_id: z.string(),
  label: z.string(),
  hint: z.string().meta({ description: "The last four characters of the key" }),
  project_ids: z.array(z.string()).nullable(),
  max_role: z.string().nullable(),
  status: z.enum(["active", "expired", "revoked", "deactivated"]),
  created_at: timeField,
  expires_at: timeField.nullable(),
  revoked_at: timeField.nullable(),
  last_used_at: timeField.nullable().meta({ description: "To within some seconds" }),
});
z.globalRegistry.add(keyRecord, { id: "Key" });

function statusOf(key: ApiKey, now: string) {
  if (key.revokedAt !== null) return "revoked" as const;
  if (key.disabledAt !== null) return "deactivated" as const;
  return key.expiresAt !== null && key.expiresAt <= now ? ("expired" as const) : ("active" as const);
}

const toKeyRecord = (key: ApiKey, now: string) => ({
  key_id: key.id,
  user_id: key.userId,
  label: key.label,
  hint: key.hint,
  project_ids: key.projectIds,
  max_role: key.maxRole,
  status: statusOf(key, now),
  created_at: key.createdAt,
  expires_at: key.expiresAt,
  revoked_at: key.revokedAt,
  last_used_at: key.lastUsedAt,
});

export function toKeyPage(scope: { now: () => Date }, keys: ApiKey[], limit: number) {
  const now = scope.now().toISOString();
  return toPage(
    keys,
    limit,
    (key) => key.id,
    (key) => toKeyRecord(key, now),
  );
}

const newKeyOutput = z.object({
  key_id: z.string(),
  api_key: z.string().meta({ description: "Shown only once" }),
  expires_at: timeField.nullable(),
});
z.globalRegistry.add(newKeyOutput, { id: "NewKey" });

const overlapSecondsDefault = 86_400;

export const keyOperations = [
  operation({
    path: "/latest/auth/keys/create",
    area: "keys",
    summary: "Create an API key for your account",
    description: "It has all rights of the account unless it is restricted to some projects or to a maximum role.",
    needs: "full key",
    confirmed: true,
    audit: "key.created",
    countsAs: "write",
    refuses: ["wrong_region"],
    answersSecret: true,
    input: z.object({
      label: labelField.optional(),
      expires_at: expiryField.nullish(),
      project_ids: z.array(idField).min(1).max(100).nullish(),
      max_role: z.enum(["viewer", "editor", "admin"]).nullish(),
    }),
    output: newKeyOutput,
    example: { label: "nightly report", max_role: "viewer" },
    async run(scope, input) {
      const { key, apiKey } = await createKey(scope, scope.actor.userId, {
        label: input.label,
        expiresAt: input.expires_at == null ? null : requireFuture(input.expires_at, scope.now()),
        projectIds: input.project_ids,
        maxRole: input.max_role,
      });
      return { key_id: key.id, api_key: apiKey, expires_at: key.expiresAt };
    },
    auditOf: (input, output) => ({ target: output.key_id, details: { label: input.label } }),
  }),
  operation({
    path: "/latest/auth/keys/list",
    area: "keys",
    summary: "List the keys of your account",
    description: "The keys themselves are never shown again.",
    needs: "full key",
    audit: null,
    refuses: [],
    input: z.object(pageInput),
    output: pageOutput(keyRecord),
    example: {},
    async run(scope, input) {
      return toKeyPage(scope, await listKeysOf(scope.db, scope.actor.userId, onePageOf(input)), input.limit);
    },
  }),
  operation({
    path: "/latest/auth/keys/revoke",
    area: "keys",
    summary: "Revoke a key, at once and for good",
    description: "Your own key, or any key of the organization if you are its owner.",
    needs: "full key",
    audit: "key.revoked",
    countsAs: "write",
    refuses: ["key_not_found", "key_already_revoked"],
    input: z.object({ key_id: idField }),
    output: z.object({ key_id: z.string(), revoked: z.literal(true) }),
    example: { key_id: "key_us_…" },
    async run(scope, input) {
      await revokeKey(scope, input.key_id);
      return { key_id: input.key_id, revoked: true as const };
    },
    auditOf: (input) => ({ target: input.key_id }),
  }),
  operation({
    path: "/latest/auth/keys/reroll",
    area: "keys",
    summary: "Replace a key, while the old one keeps working for a while",
    description:
      "The new key has the same restrictions and the same lifetime. The old one keeps working for `overlap_seconds`, by default one day.",
    needs: "full key",
    confirmed: true,
    audit: "key.rerolled",
    countsAs: "write",
    refuses: ["key_not_found", "key_already_revoked"],
    answersSecret: true,
    input: z.object({
      key_id: idField,
      overlap_seconds: z.int().min(0).max(2_592_000).default(overlapSecondsDefault),
      expires_at: expiryField.nullish(),
    }),
    output: newKeyOutput.extend({ replaces: z.string(), old_expires_at: timeField }),
    example: { key_id: "key_us_…", overlap_seconds: 3600 },
    async run(scope, input) {
      const { key, apiKey, oldExpiresAt } = await rerollKey(scope, input.key_id, {
        overlapSeconds: input.overlap_seconds,
        expiresAt: input.expires_at == null ? input.expires_at : requireFuture(input.expires_at, scope.now()),
      });
      return {
        key_id: key.id,
        api_key: apiKey,
        expires_at: key.expiresAt,
        replaces: input.key_id,
        old_expires_at: oldExpiresAt,
      };
    },
    auditOf: (input, output) => ({ target: input.key_id, details: { new_key_id: output.key_id } }),
  }),
  operation({
    path: "/latest/auth/keys/enable",
    area: "keys",
    summary: "Enable a key that was deactivated with its owner",
    description:
      "Your own key, or any key of the organization if you are its owner. The key's owner must be active again.",
    needs: "full key",
    confirmed: true,
    audit: "key.enabled",
    countsAs: "write",
    refuses: ["key_not_found", "key_already_revoked", "user_deactivated"],
    input: z.object({ key_id: idField }),
    output: keyRecord,
    example: { key_id: "key_us_…" },
    run: async (scope, input) => toKeyRecord(await enableKey(scope, input.key_id), scope.now().toISOString()),
    auditOf: (input) => ({ target: input.key_id }),
  }),
];
