import * as z from "zod";
import { requireDirectory } from "../../access/directory/directories.ts";
import { createToken, type DirectoryToken, revokeToken, rotateToken } from "../../access/directory/scim-tokens.ts";
import { operation } from "../../calls/define-operation.ts";
import { expiryField, idField, requireFuture, timeField } from "../shared-fields.ts";

export const tokenRecord = z.object({
  token_id: z.string(),
  hint: z.string().meta({ description: "The last four characters of the token" }),
  status: z.enum(["active", "expired", "revoked"]),
  created_at: timeField,
  expires_at: timeField.nullable(),
  last_used_at: timeField.nullable().meta({ description: "To within some seconds" }),
});
z.globalRegistry.add(tokenRecord, { id: "DirectoryToken" });

export function toTokenRecord(token: DirectoryToken, now: string) {
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

export const newToken = {
  token_id: z.string(),
  scim_token: z.string().meta({ description: "Shown only once" }),
};

const expiryOf = (expiresAt: string | null | undefined, now: Date): string | null =>
  expiresAt == null ? null : requireFuture(expiresAt, now);

export const directoryTokenOperations = [
  operation({
    path: "/latest/directory/tokens/create",
    area: "directory",
    summary: "Create another token for a directory",
    description:
      "Without an expiry it works until it is revoked. A provider whose token has expired stops sending changes.",
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
    summary: "Replace a directory's tokens, while the old ones keep working for a while",
    description: "All existing tokens keep working for `overlap_seconds`, by default one day.",
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
];
