import * as z from "zod";
import { type AuditRow, listAuditRows, readChain, verifyChain } from "../../access/audit/audit.ts";
import { isRestricted, projectOf, type Scope } from "../../access/scope.ts";
import { operation } from "../../calls/define.ts";
import { pageInput, pageOutput, toPage } from "../../calls/pages.ts";
import { Problem } from "../../kernel/problem.ts";
import { timeField } from "../fields.ts";

const auditRecord = z.object({
  seq: z.int().meta({ description: "Position in the organization's chain" }),
  created_at: timeField,
  action: z.string(),
  actor: z.string().meta({ description: "`person` or `operator`" }),
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

const toRecord = (row: AuditRow) => ({
  seq: row.seq,
  created_at: row.at,
  action: row.action,
  actor: row.actor_kind,
  user_id: row.actor_id,
  key_id: row.key_id,
  project_id: row.project_id,
  target: row.target,
  details: JSON.parse(row.details) as Record<string, unknown>,
  request_id: row.request_id,
  ip: row.ip,
  prev_hash: row.prev_hash,
  hash: row.hash,
});

const wholeOrganization = z
  .boolean()
  .default(false)
  .meta({ description: "Includes all rows of the organization; requires its owner" });

/** An admin reads the project's rows. The organization's owner may read all, with an unrestricted key. */
function projectSeen(scope: Scope, whole: boolean): string | null {
  if (!whole) return projectOf(scope);
  if (isRestricted(scope.actor)) throw new Problem("key_restricted");
  if (scope.actor.organizationRole !== "owner") throw new Problem("owner_required");
  return null;
}

/** `after` of these lists is a row number. */
const numberedPage = {
  ...pageInput,
  after: z
    .string()
    .regex(/^\d{1,15}$/)
    .nullish(),
};

const exportRowsMax = 1000;

export const auditOperations = [
  operation({
    path: "/latest/audit/list",
    area: "audit",
    summary: "List the audit log, newest first",
    needs: "project admin",
    audit: null,
    refuses: ["owner_required", "key_restricted"],
    input: z.object({ ...numberedPage, whole_organization: wholeOrganization }),
    output: pageOutput(auditRecord),
    example: { limit: 20 },
    async run(scope, input) {
      const rows = await listAuditRows(scope.db, {
        organizationId: scope.actor.organizationId,
        projectId: projectSeen(scope, input.whole_organization),
        before: input.after == null ? null : Number(input.after),
        limit: input.limit + 1,
      });
      return toPage(rows, input.limit, (row) => String(row.seq), toRecord);
    },
  }),
  operation({
    path: "/latest/audit/verify",
    area: "audit",
    summary: "Check the organization's whole audit chain",
    description: "Every row's hash covers the row and the hash before it: a changed, missing or moved row is found.",
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
    }),
    example: {},
    run: (scope) => verifyChain(scope.db, scope.actor.organizationId),
  }),
  operation({
    path: "/latest/audit/export",
    area: "audit",
    summary: "Export audit rows as text, oldest first",
    description: "Up to 1,000 rows at a time; continue with `next`. In CSV, no cell can be read as a formula.",
    needs: "project admin",
    audit: null,
    refuses: ["owner_required", "key_restricted"],
    input: z.object({
      format: z.enum(["jsonl", "csv"]).default("jsonl"),
      after: numberedPage.after,
      whole_organization: wholeOrganization,
    }),
    output: z.object({ format: z.string(), rows: z.int(), content: z.string(), next: z.string().nullable() }),
    example: { format: "csv" },
    async run(scope, input) {
      const projectId = projectSeen(scope, input.whole_organization);
      const after = input.after == null ? 0 : Number(input.after);
      const rows = await readChain(scope.db, scope.actor.organizationId, projectId, after, exportRowsMax + 1);
      const { results, next } = toPage(rows, exportRowsMax, (row) => String(row.seq), toRecord);
      return { format: input.format, rows: results.length, content: textOf(results, input.format), next };
    },
  }),
];

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
