import * as z from "zod";
import { type AuditRow, listAuditRows, readChain } from "../../access/audit/audit.ts";
import { type AuditFilter, searchAudit } from "../../access/audit/search-audit.ts";
import { verifyChain } from "../../access/audit/verify-chain.ts";
import { requireAuditProject } from "../../access/audit/who-may-read.ts";
import { type InviteCodes, isAboutInvite } from "../../access/invite-code-port.ts";
import type { Scope } from "../../access/scope.ts";
import { operation, type Rooms } from "../../calls/define-operation.ts";
import { pageInput, pageOutput, toPage } from "../../calls/list-pages.ts";
import { isoTime } from "../../kernel/times.ts";
import { idField, timeField } from "../shared-fields.ts";

const auditRecord = z.object({
  seq: z.int().meta({ description: "Position in the organization's chain" }),
  created_at: timeField,
  action: z.string(),
  actor: z.string().meta({
    description:
      "`person`, `operator`, `directory`, `nobody`, `mcp`: a person's assistant, or `retention`: the organization's policy",
  }),
  user_id: z.string().nullable(),
  key_id: z.string().nullable(),
  project_id: z.string().nullable(),
  target: z.string().nullable(),
  details: z.record(z.string(), z.unknown()),
  request_id: z.string().nullable(),
  ip: z.string().nullable(),
  prev_hash: z.string(),
  hash: z.string(),
});
z.globalRegistry.add(auditRecord, { id: "AuditRow" });

const toRecord = (row: AuditRow, { inviteCodes }: Rooms) => ({
  seq: row.seq,
  created_at: row.at,
  action: row.action,
  actor: row.actor_kind,
  user_id: row.actor_id,
  key_id: row.key_id,
  project_id: row.project_id,
  target: row.target !== null && isAboutInvite(row.action) ? inviteCodes.shown(row.target) : row.target,
  details: detailsOf(row, inviteCodes),
  request_id: row.request_id,
  ip: row.ip,
  prev_hash: row.prev_hash,
  hash: row.hash,
});

function detailsOf({ action, details }: AuditRow, codes: InviteCodes): Record<string, unknown> {
  const parsed = JSON.parse(details) as Record<string, unknown>;
  // The invite by which the person joined.
  if (action === "user.joined" && typeof parsed.invite_code === "string")
    return { ...parsed, invite_code: codes.shown(parsed.invite_code) };
  return parsed;
}

const wholeOrganization = z
  .boolean()
  .default(false)
  .meta({ description: "Includes all rows of the organization; requires its owner" });

/** `after` of these lists is a row number. */
const numberedPage = {
  ...pageInput,
  after: z
    .string()
    .regex(/^\d{1,15}$/)
    .nullish(),
};

const momentField = z.iso.datetime({ offset: true });

const filterInput = {
  user_id: idField.optional().meta({ description: "Only what this account changed" }),
  action: z
    .string()
    .max(100)
    .regex(/^[a-z_]+(\.[a-z_]+)?$/)
    .optional()
    .meta({ description: "Only this action, or all of a kind: `invite.created`, `invite`" }),
  since: momentField.optional().meta({ description: "Only rows at or after this time" }),
  until: momentField.optional().meta({ description: "Only rows before this time" }),
  text: z
    .string()
    .min(1)
    .max(200)
    .refine((text) => !text.includes("\u0000"), { error: "The character U+0000 is not allowed." })
    .optional()
    .meta({
      description:
        "Only rows that contain this text in action, target, details, ids or address, ignoring case. With a filter, a page reads at most 1,000 rows, so it may be empty although `next` is not null",
    }),
};

function filterOf(input: z.output<z.ZodObject<typeof filterInput>>, { inviteCodes }: Rooms): AuditFilter | null {
  const stored = (time: string | undefined) => (time === undefined ? undefined : isoTime(new Date(time)));
  const { user_id: userId, action } = input;
  // A row names an invite by the half of its code that is stored.
  const text = input.text === undefined ? undefined : (inviteCodes.storedOf(input.text) ?? input.text);
  const filter = { userId, action, text, since: stored(input.since), until: stored(input.until) };
  return Object.values(filter).every((value) => value === undefined) ? null : filter;
}

const exportRowsMax = 1000;

export const auditOperations = [
  operation({
    path: "/latest/audit/list",
    area: "audit",
    summary: "List the audit log, newest first",
    needs: "project admin",
    audit: null,
    fromReplica: true,
    refuses: ["owner_required", "key_restricted"],
    input: z.object({ ...numberedPage, whole_organization: wholeOrganization, ...filterInput }),
    output: pageOutput(auditRecord),
    example: { limit: 20 },
    async run(scope, input, rooms) {
      const { organizationId } = scope.actor;
      const projectId = requireAuditProject(scope, input.whole_organization);
      const before = input.after == null ? null : Number(input.after);
      const filter = filterOf(input, rooms);
      const wanted = { organizationId, projectId, limit: input.limit + 1 };
      if (filter === null) {
        const rows = await listAuditRows(scope.db, { ...wanted, before });
        return pageOf(rows, input.limit, rooms);
      }
      const below = before ?? Number.MAX_SAFE_INTEGER;
      return searchPage(scope, { ...wanted, filter, order: "newest", above: 0, below }, input.limit, rooms);
    },
  }),
  operation({
    path: "/latest/audit/verify",
    area: "audit",
    summary: "Check the organization's whole audit chain",
    description:
      "Every row's hash covers the row and the hash before it: a changed, missing or moved row is found. If the organization's retention policy has archived old rows, the check starts behind the last of them: the row and its hash are in `anchor`. The archives are checked with `signalbox archive verify`.",
    needs: "project admin",
    audit: null,
    refuses: [],
    input: z.object({}),
    output: z.object({
      organization_id: z.string(),
      valid: z.boolean(),
      rows: z.int(),
      head: z.string().meta({ description: "Hash of the last row; keep it elsewhere as an anchor" }),
      broken_at: z.int().nullable(),
      verified_from: z.int().meta({ description: "The first row in the database; all before it are in archives" }),
      anchor: z
        .object({ seq: z.int(), hash: z.string(), archive_id: z.string(), created_at: timeField })
        .nullable()
        .meta({
          description: "The last archived row, sealed with a key of the organization; null if none is archived",
        }),
    }),
    example: {},
    run: (scope, _input, rooms) => verifyChain(scope.db, scope.actor.organizationId, rooms.vault.keys),
  }),
  operation({
    path: "/latest/audit/export",
    area: "audit",
    summary: "Export audit rows as text, oldest first",
    description:
      "Up to 1,000 rows at a time, of those that match the filters; continue with `next`. In CSV, no cell can be read as a formula.",
    needs: "project admin",
    audit: null,
    refuses: ["owner_required", "key_restricted"],
    input: z.object({
      format: z.enum(["jsonl", "csv"]).default("jsonl"),
      after: numberedPage.after,
      whole_organization: wholeOrganization,
      ...filterInput,
    }),
    output: z.object({ format: z.string(), rows: z.int(), content: z.string(), next: z.string().nullable() }),
    example: { format: "csv" },
    async run(scope, input, rooms) {
      const { organizationId } = scope.actor;
      const projectId = requireAuditProject(scope, input.whole_organization);
      const after = input.after == null ? 0 : Number(input.after);
      const filter = filterOf(input, rooms);
      const limit = exportRowsMax + 1;
      const below = Number.MAX_SAFE_INTEGER;
      const { results, next } = filter
        ? await searchPage(
            scope,
            { organizationId, projectId, filter, order: "oldest", above: after, below, limit },
            exportRowsMax,
            rooms,
          )
        : pageOf(await readChain(scope.db, organizationId, projectId, after, limit), exportRowsMax, rooms);
      return { format: input.format, rows: results.length, content: textOf(results, input.format), next };
    },
  }),
];

const pageOf = (rows: AuditRow[], limit: number, rooms: Rooms) =>
  toPage(
    rows,
    limit,
    (row) => String(row.seq),
    (row) => toRecord(row, rooms),
  );

async function searchPage(scope: Scope, search: Parameters<typeof searchAudit>[1], limit: number, rooms: Rooms) {
  const { rows, searchedTo } = await searchAudit(scope.db, search);
  const page = pageOf(rows, limit, rooms);
  return { ...page, next: page.next ?? (searchedTo === null ? null : String(searchedTo)) };
}

type AuditRecord = ReturnType<typeof toRecord>;

function textOf(records: AuditRecord[], format: "jsonl" | "csv"): string {
  if (format === "jsonl") return records.map((record) => `${JSON.stringify(record)}\n`).join("");
  const columns = Object.keys(auditRecord.shape) as (keyof AuditRecord)[];
  const lines = records.map((record) => columns.map((column) => toCell(record[column])).join(","));
  return [columns.join(","), ...lines].map((line) => `${line}\r\n`).join("");
}

/** A spreadsheet evaluates a cell that starts like a formula (ASVS 1.2.10); a leading quote keeps it text. */
function toCell(value: unknown): string {
  const text = value === null ? "" : typeof value === "object" ? JSON.stringify(value) : String(value);
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return `"${safe.replaceAll('"', '""')}"`;
}
