import * as z from "zod";
import { operation } from "../../calls/define-operation.ts";
import { onePageOf, pageInput, pageOutput, toPage } from "../../calls/list-pages.ts";
import { createHold, type LegalHold, listHolds, releaseHold } from "../../retention/legal-holds.ts";
import {
  changePolicy,
  daysMax,
  defaultPolicy,
  fewestDays,
  findPolicy,
  type RetentionKind,
  type RetentionPolicy,
  type StoredPolicy,
} from "../../retention/retention-policy.ts";
import { type Archive, listArchives } from "../../retention/save-archive.ts";
import { idField, timeField } from "../shared-fields.ts";

const keptFor = "For how many days records are kept; null: for ever";
const kindRecord = z.object({
  days: z.int().nullable().meta({ description: keptFor }),
  export: z.boolean().meta({ description: "Whether they are exported to an archive before they are deleted" }),
});

const policyRecord = z.object({
  organization_id: z.string(),
  runs: kindRecord.meta({ description: "Ended runs, with their steps, attempts and outputs" }),
  events: kindRecord.meta({ description: "Events that agents received" }),
  deliveries: kindRecord.meta({ description: "Deliveries to webhooks" }),
  audit: kindRecord.meta({ description: "The audit log, which is always exported" }),
  updated_by: z.string().nullable().meta({ description: "The owner who set it; null for the default" }),
  updated_at: timeField.nullable(),
});
z.globalRegistry.add(policyRecord, { id: "RetentionPolicy" });

const toPolicyRecord = (organizationId: string, policy: RetentionPolicy & Partial<StoredPolicy>) => ({
  organization_id: organizationId,
  runs: policy.runs,
  events: policy.events,
  deliveries: policy.deliveries,
  audit: policy.audit,
  updated_by: policy.updatedBy ?? null,
  updated_at: policy.updatedAt ?? null,
});

function daysOf(kind: RetentionKind) {
  const { days, why } = fewestDays[kind];
  const error = `It must be a whole number from ${days} to ${daysMax}, or null. ${days} days are the fewest, because ${why}.`;
  return z
    .int({ error })
    .min(days, { error })
    .max(daysMax, { error })
    .nullable()
    .optional()
    .meta({ description: `${keptFor}. At least ${days}: ${why}` });
}

const isExported = z.boolean().optional().meta({ description: "Export them to an archive before they are deleted" });

const alwaysTrue = z
  .boolean()
  .refine((isTrue) => isTrue, { error: "The audit log is always exported: it can only be true." })
  .optional()
  .meta({ description: "Always true" });

const reasonField = z
  .string()
  .trim()
  .min(1)
  .max(1000)
  .refine((text) => !text.includes("\u0000"), { error: "The character U+0000 is not allowed." });

const holdRecord = z.object({
  hold_id: z.string(),
  project_id: z.string().nullable().meta({ description: "The project on hold; null: the whole organization" }),
  reason: z.string().meta({ description: "Why nothing may be deleted" }),
  created_by: z.string(),
  created_at: timeField,
  released_by: z.string().nullable().meta({ description: "The owner who released it; null while it is open" }),
  released_at: timeField.nullable().meta({ description: "When it was released; null while it is open" }),
  release_reason: z.string().nullable().meta({ description: "Why it was released; null while it is open" }),
});
z.globalRegistry.add(holdRecord, { id: "LegalHold" });

const toHoldRecord = (hold: LegalHold) => ({
  hold_id: hold.id,
  project_id: hold.projectId,
  reason: hold.reason,
  created_by: hold.createdBy,
  created_at: hold.createdAt,
  released_by: hold.releasedBy,
  released_at: hold.releasedAt,
  release_reason: hold.releaseReason,
});

const archiveRecord = z.object({
  archive_id: z.string(),
  kind: z.enum(["runs", "events", "deliveries", "audit"]).meta({ description: "What it holds" }),
  file: z.string().meta({ description: "Its path in the archive folder of the server" }),
  records: z.int().meta({ description: "How many records it holds; a run counts once" }),
  first_at: timeField.meta({ description: "When the oldest of them was created" }),
  last_at: timeField.meta({ description: "When the newest of them was created" }),
  bytes: z.int(),
  sha256: z.string().meta({ description: "The hash of the file" }),
  created_at: timeField,
});
z.globalRegistry.add(archiveRecord, { id: "Archive" });

const toArchiveRecord = (archive: Archive) => ({
  archive_id: archive.id,
  kind: archive.kind,
  file: archive.file,
  records: archive.records,
  first_at: archive.firstAt,
  last_at: archive.lastAt,
  bytes: archive.bytes,
  sha256: archive.sha256,
  created_at: archive.createdAt,
});

export const retentionOperations = [
  operation({
    path: "/latest/organizations/retention/get",
    area: "organizations",
    summary: "Read how long the organization keeps its records",
    needs: "organization owner",
    audit: null,
    refuses: [],
    input: z.object({}),
    output: policyRecord,
    example: {},
    async run(scope) {
      const { organizationId } = scope.actor;
      return toPolicyRecord(organizationId, (await findPolicy(scope.db, organizationId)) ?? defaultPolicy);
    },
  }),
  operation({
    path: "/latest/organizations/retention/update",
    area: "organizations",
    summary: "Change how long the organization keeps its records",
    description:
      "Members that you leave out stay as they are. Records are deleted within a day after they have expired. Never deleted: runs that have not ended, outcomes that a person must settle, what something still refers to, and what is on legal hold.",
    needs: "organization owner",
    confirmed: true,
    audit: "retention.updated",
    countsAs: "write",
    refuses: [],
    input: z.object({
      runs: z
        .object({ days: daysOf("runs"), export: isExported })
        .optional()
        .meta({ description: "Ended runs, with their steps, attempts and outputs" }),
      events: z
        .object({ days: daysOf("events"), export: isExported })
        .optional()
        .meta({ description: "Events that agents received" }),
      deliveries: z
        .object({ days: daysOf("deliveries"), export: isExported })
        .optional()
        .meta({ description: "Deliveries to webhooks" }),
      audit: z
        .object({ days: daysOf("audit"), export: alwaysTrue })
        .optional()
        .meta({ description: "The audit log, which is always exported" }),
    }),
    output: policyRecord,
    example: { runs: { days: 365, export: true }, audit: { days: 730, export: true } },
    async run(scope, input) {
      const { organizationId, userId } = scope.actor;
      const by = { userId, at: scope.now().toISOString() };
      const { before, after } = await changePolicy(scope.db, organizationId, input, by);
      if (scope.auditNotes) scope.auditNotes.details = { before: onlyKinds(before), after: onlyKinds(after) };
      return toPolicyRecord(organizationId, { ...after, updatedBy: userId, updatedAt: by.at });
    },
    auditOf: (_input, output) => ({ target: output.organization_id, projectId: null }),
  }),
  operation({
    path: "/latest/organizations/holds/create",
    area: "organizations",
    summary: "Put the organization or a project on legal hold",
    description:
      "Until the hold is released, no retention policy deletes anything of it. A hold of a project keeps the audit log of the whole organization, because it is one chain.",
    needs: "organization owner",
    audit: "hold.created",
    countsAs: "write",
    refuses: ["project_not_found"],
    input: z.object({
      project_id: idField.optional().meta({ description: "The project; without it, the whole organization" }),
      reason: reasonField.meta({ description: "Why nothing may be deleted" }),
    }),
    output: holdRecord,
    example: { reason: "Case 2026-114" },
    async run(scope, input) {
      return toHoldRecord(await createHold(scope, { projectId: input.project_id ?? null, reason: input.reason }));
    },
    auditOf: (_input, output) => ({
      target: output.hold_id,
      projectId: output.project_id,
      details: { reason: output.reason },
    }),
  }),
  operation({
    path: "/latest/organizations/holds/list",
    area: "organizations",
    summary: "List the legal holds of the organization, newest first",
    needs: "organization owner",
    audit: null,
    refuses: [],
    input: z.object({
      ...pageInput,
      only_open: z.boolean().default(false).meta({ description: "Leave out those that were released" }),
    }),
    output: pageOutput(holdRecord),
    example: { only_open: true },
    async run(scope, input) {
      const rows = await listHolds(scope, input.only_open, onePageOf(input));
      return toPage(rows, input.limit, (row) => row.id, toHoldRecord);
    },
  }),
  operation({
    path: "/latest/organizations/holds/release",
    area: "organizations",
    summary: "Release a legal hold",
    description: "From then on, the retention policy applies again. The record of the hold stays.",
    needs: "organization owner",
    confirmed: true,
    audit: "hold.released",
    countsAs: "write",
    refuses: ["hold_not_found", "hold_released"],
    input: z.object({
      hold_id: idField,
      reason: reasonField.meta({ description: "Why it is released" }),
    }),
    output: holdRecord,
    example: { hold_id: "hld_us_…", reason: "Case 2026-114 is closed" },
    run: async (scope, input) => toHoldRecord(await releaseHold(scope, input.hold_id, input.reason)),
    auditOf: (_input, output) => ({
      target: output.hold_id,
      projectId: output.project_id,
      details: { reason: output.release_reason },
    }),
  }),
  operation({
    path: "/latest/organizations/archives/list",
    area: "organizations",
    summary: "List the archives of the organization's deleted records, newest first",
    description:
      "The files are on the server, in its archive folder. Its operator checks them with `signalbox archive verify`.",
    needs: "organization owner",
    audit: null,
    refuses: [],
    input: z.object(pageInput),
    output: pageOutput(archiveRecord),
    example: {},
    async run(scope, input) {
      const rows = await listArchives(scope.db, scope.actor.organizationId, onePageOf(input));
      return toPage(rows, input.limit, (row) => row.id, toArchiveRecord);
    },
  }),
];

const onlyKinds = ({ runs, events, deliveries, audit }: RetentionPolicy) => ({ runs, events, deliveries, audit });
