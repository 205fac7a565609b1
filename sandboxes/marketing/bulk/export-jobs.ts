import { createHash, randomUUID } from "node:crypto";
import type { Clock } from "../../server/clock.ts";
import { Refusal } from "../gateway/refusal.ts";
import type { Settings } from "../gateway/settings.ts";
import { centralDay } from "../gateway/times.ts";

export type ExportKind = "leads" | "activities";
export type ExportFormat = "CSV" | "TSV" | "SSV";

export interface ExportJob {
  id: string;
  kind: ExportKind;
  clientId: string;
  format: ExportFormat;
  status: "Created" | "Queued" | "Processing" | "Completed" | "Cancelled";
  createdAt: number;
  queuedAt: number | null;
  startedAt: number | null;
  finishedAt: number | null;
  /** Written when the job ends. */
  write: () => { rows: number; content: string };
  file: { rows: number; content: string; bytes: number; checksum: string } | null;
}

/** The export jobs of an instance: a queue, a few at work, and what today's files weigh. */
export interface ExportJobs {
  jobs: Map<string, ExportJob>;
  bytesByDay: Map<string, number>;
}

export const createExportJobs = (): ExportJobs => ({ jobs: new Map(), bytesByDay: new Map() });

interface Workshop {
  exports: ExportJobs;
  clock: Clock;
  settings: Settings;
}

const secondsInQueue = 5;
const secondsAtWork = 30;

export function addJob(
  { exports, clock }: Workshop,
  wanted: Pick<ExportJob, "kind" | "clientId" | "format" | "write">,
): ExportJob {
  const times = { createdAt: clock.now(), queuedAt: null, startedAt: null, finishedAt: null };
  const job: ExportJob = { id: randomUUID(), ...wanted, status: "Created", ...times, file: null };
  exports.jobs.set(job.id, job);
  return job;
}

export function enqueueJob(workshop: Workshop, job: ExportJob): void {
  const { exports, clock, settings } = workshop;
  if (job.status !== "Created") throw new Refusal("1003", `Export job is already ${job.status}`);
  const today = exports.bytesByDay.get(centralDay(clock.now()).date) ?? 0;
  if (today >= settings.export_bytes_per_day) {
    const megabytes = Math.round(settings.export_bytes_per_day / 1024 / 1024);
    throw new Refusal("1029", `Export daily quota ${megabytes}MB exceeded`);
  }
  const waiting = withStatus(exports, "Queued").length + withStatus(exports, "Processing").length;
  if (waiting >= settings.exports_queued) throw new Refusal("1029", "Too many jobs in queue");
  job.status = "Queued";
  job.queuedAt = clock.now();
  clock.at(clock.now() + secondsInQueue * 1000, () => startJobs(workshop));
}

export function cancelJob(job: ExportJob): void {
  if (job.status === "Completed" || job.status === "Cancelled") {
    throw new Refusal("1003", `Export job is already ${job.status}`);
  }
  job.status = "Cancelled";
}

/** As many as may run at once, the oldest first; each that ends makes room for the next. */
function startJobs(workshop: Workshop): void {
  const { exports, clock, settings } = workshop;
  const room = settings.exports_running - withStatus(exports, "Processing").length;
  for (const job of withStatus(exports, "Queued").slice(0, Math.max(0, room))) {
    job.status = "Processing";
    job.startedAt = clock.now();
    clock.at(clock.now() + secondsAtWork * 1000, () => {
      finishJob(workshop, job);
      startJobs(workshop);
    });
  }
}

function finishJob({ exports, clock }: Workshop, job: ExportJob): void {
  if (job.status !== "Processing") return;
  const { rows, content } = job.write();
  const bytes = Buffer.byteLength(content);
  const checksum = `sha256:${createHash("sha256").update(content).digest("hex")}`;
  const { date } = centralDay(clock.now());
  job.file = { rows, content, bytes, checksum };
  job.status = "Completed";
  job.finishedAt = clock.now();
  exports.bytesByDay.set(date, (exports.bytesByDay.get(date) ?? 0) + bytes);
}

const withStatus = ({ jobs }: ExportJobs, status: ExportJob["status"]) =>
  [...jobs.values()].filter((job) => job.status === status);
