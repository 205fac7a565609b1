import { type ApiRequest, textOf } from "../gateway/api-request.ts";
import type { Reply } from "../gateway/envelope.ts";
import { invalidValue, Refusal } from "../gateway/refusal.ts";
import { leadTime } from "../gateway/times.ts";
import type { Context } from "../instance.ts";
import { orderActivities, orderLeads } from "./export-files.ts";
import { addJob, cancelJob, type ExportFormat, type ExportJob, type ExportKind, enqueueJob } from "./export-jobs.ts";

/** `POST /bulk/v1/{kind}/export/create.json` */
export const createExport =
  (kind: ExportKind) =>
  (context: Context, request: ApiRequest): Reply => {
    const order = request.json();
    const format = readFormat(order.format);
    const makeWriter = kind === "leads" ? orderLeads : orderActivities;
    const write = makeWriter(context.instance, order, format);
    return { result: [jobRecord(addJob(workshopOf(context), { kind, clientId: context.client.id, format, write }))] };
  };

/** `POST /bulk/v1/{kind}/export/{exportId}/enqueue.json` */
export const enqueueExport = jobCall((job, context) => enqueueJob(workshopOf(context), job));

/** `POST /bulk/v1/{kind}/export/{exportId}/cancel.json` */
export const cancelExport = jobCall(cancelJob);

/** `GET /bulk/v1/{kind}/export/{exportId}/status.json` */
export const readExport = jobCall(() => {});

/** `GET /bulk/v1/{kind}/export.json`: the caller's own jobs. */
export const listExports =
  (kind: ExportKind) =>
  ({ instance, client }: Context, request: ApiRequest): Reply => {
    const status = textOf(request, "status");
    const jobs = [...instance.exports.jobs.values()].filter(
      (job) => job.kind === kind && job.clientId === client.id && (status === null || job.status === status),
    );
    return { result: jobs.map(jobRecord) };
  };

/** `GET /bulk/v1/{kind}/export/{exportId}/file.json` */
export const readExportFile =
  (kind: ExportKind) =>
  (context: Context, request: ApiRequest): Reply => {
    const { file } = requireJob(context, kind, request);
    if (!file) throw new Refusal("1003", "Export file is not ready");
    return { file: { type: "text/csv;charset=UTF-8", content: file.content } };
  };

function jobCall(act: (job: ExportJob, context: Context) => void) {
  return (kind: ExportKind) =>
    (context: Context, request: ApiRequest): Reply => {
      const job = requireJob(context, kind, request);
      act(job, context);
      return { result: [jobRecord(job)] };
    };
}

function requireJob({ instance, client }: Context, kind: ExportKind, request: ApiRequest): ExportJob {
  const job = instance.exports.jobs.get(request.path.exportId ?? "");
  if (!job || job.kind !== kind || job.clientId !== client.id) throw new Refusal("1013", "Export job not found");
  return job;
}

const workshopOf = ({ instance, clock, settings }: Context) => ({ exports: instance.exports, clock, settings });

function readFormat(format: unknown): ExportFormat {
  if (format === undefined) return "CSV";
  if (format === "CSV" || format === "TSV" || format === "SSV") return format;
  throw invalidValue("format", format);
}

/** Members appear as the job gets to them. */
function jobRecord({ id, format, status, createdAt, queuedAt, startedAt, finishedAt, file }: ExportJob): object {
  return {
    exportId: id,
    format,
    status,
    createdAt: leadTime(createdAt),
    ...(queuedAt === null ? {} : { queuedAt: leadTime(queuedAt) }),
    ...(startedAt === null ? {} : { startedAt: leadTime(startedAt) }),
    ...(finishedAt === null ? {} : { finishedAt: leadTime(finishedAt) }),
    ...(file ? { numberOfRecords: file.rows, fileSize: file.bytes, fileChecksum: file.checksum } : {}),
  };
}
