import * as z from "zod";
import {
  countResources,
  createDirectory,
  type Directory,
  deleteDirectory,
  listDirectories,
  requireDirectory,
} from "../../access/directory/directories.ts";
import { type DirectoryRequest, listRequests } from "../../access/directory/recent-requests.ts";
import { listTokensOf } from "../../access/directory/scim-tokens.ts";
import { operation } from "../../calls/define-operation.ts";
import { onePageOf, pageInput, pageOutput, toPage } from "../../calls/list-pages.ts";
import { clearDirectory } from "../../identity/sso/providers.ts";
import { idField, labelField, timeField } from "../shared-fields.ts";
import { newToken, tokenRecord, toTokenRecord } from "./tokens.ts";

const directoryRecord = z.object({ directory_id: z.string(), label: z.string(), created_at: timeField });
z.globalRegistry.add(directoryRecord, { id: "Directory" });

const toRecord = (directory: Directory) => ({
  directory_id: directory.id,
  label: directory.label,
  created_at: directory.createdAt,
});

const requestRecord = z.object({
  directory_id: z.string(),
  token_id: z.string(),
  method: z.string(),
  path: z.string().meta({ description: "What was asked for, with its query; long ones are cut" }),
  status: z.int().meta({ description: "The HTTP status of the response" }),
  problem: z.string().nullable().meta({ description: "Why it was refused; null if it was not" }),
  ip: z.string().nullable(),
  created_at: timeField.meta({ description: "When it was received" }),
});
z.globalRegistry.add(requestRecord, { id: "DirectoryRequest" });

const toRequestRecord = (request: DirectoryRequest): z.input<typeof requestRecord> => ({
  directory_id: request.directoryId,
  token_id: request.tokenId,
  method: request.method,
  path: request.path,
  status: request.status,
  problem: request.problem,
  ip: request.ip,
  created_at: request.at,
});

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
      people: z.int().meta({ description: "How many people it manages" }),
      groups: z.int().meta({ description: "How many groups it has" }),
      tokens: z.array(tokenRecord),
    }),
    example: { directory_id: "dir_us_…" },
    async run(scope, input) {
      const directory = await requireDirectory(scope, input.directory_id);
      const tokens = await listTokensOf(scope.db, directory.id);
      const now = scope.now().toISOString();
      const counts = await countResources(scope.db, directory.id);
      return { ...toRecord(directory), ...counts, tokens: tokens.map((token) => toTokenRecord(token, now)) };
    },
  }),
  operation({
    path: "/latest/directory/{directory_id}/requests",
    area: "directory",
    summary: "List the last requests of a directory, newest first",
    description: "The last 100 requests, including refused ones, so that an owner can see why a person is missing.",
    needs: "organization owner",
    audit: null,
    refuses: ["directory_not_found", "wrong_region"],
    input: z.object({ directory_id: idField, ...pageInput }),
    output: pageOutput(requestRecord),
    example: { directory_id: "dir_us_…" },
    async run(scope, input, { directoryRequests }) {
      const directory = await requireDirectory(scope, input.directory_id);
      await directoryRequests.flush();
      const rows = await listRequests(scope.db, directory.id, onePageOf(input));
      return toPage(rows, input.limit, (row) => row.id, toRequestRecord);
    },
  }),
  operation({
    path: "/latest/directory/{directory_id}/delete",
    area: "directory",
    summary: "Disconnect an identity provider",
    description:
      "Its tokens become invalid. People keep their accounts and memberships, which can be changed by hand from then on.",
    needs: "organization owner",
    confirmed: true,
    audit: "directory.deleted",
    refuses: ["directory_not_found", "wrong_region"],
    input: z.object({ directory_id: idField }),
    output: z.object({ directory_id: z.string(), deleted: z.literal(true) }),
    example: { directory_id: "dir_us_…" },
    async run(scope, input) {
      const { id } = await deleteDirectory(scope, input.directory_id);
      await clearDirectory(scope.db, id);
      return { directory_id: id, deleted: true as const };
    },
    auditOf: (input) => ({ target: input.directory_id }),
  }),
];
