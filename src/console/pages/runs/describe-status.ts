import type { OutputOf } from "../../../client/wire.ts";
import { waitSteps } from "../../state/systems.ts";
import type { StatusTone } from "../../ui/StatusDot.tsx";

export type RunRecord = OutputOf<"/latest/runs/{run_id}/get">;
export type RunSummary = OutputOf<"/latest/runs/list">["results"][number];
export type RunStatus = RunSummary["status"];
export type StepOfRun = RunRecord["steps"][number];
export type Attempt = StepOfRun["attempts"][number];

/** Statuses in the words of the screen, in the order in which a run passes them. */
export const statusWords: Record<RunStatus, string> = {
  queued: "Queued",
  running: "Running",
  waiting: "Waiting",
  succeeded: "Succeeded",
  failed: "Failed",
  cancelled: "Cancelled",
  outcome_unknown: "Outcome unknown",
};

export const wordOf = (status: string): string =>
  (statusWords as Record<string, string>)[status] ?? (status === "skipped" ? "Skipped" : status);

const tones: Record<string, StatusTone> = {
  succeeded: "good",
  failed: "bad",
  outcome_unknown: "warn",
  waiting: "warn",
  running: "busy",
  queued: "idle",
  cancelled: "idle",
  skipped: "idle",
};

export const toneOf = (status: string): StatusTone => tones[status] ?? "idle";

const ended = new Set<string>(["succeeded", "failed", "cancelled"]);
export const hasEnded = (status: string): boolean => ended.has(status);

const waits: Record<string, string> = {
  limit: "a limit of the system",
  time: "a time",
  ...Object.fromEntries(waitSteps.map(({ kind, waitsFor }) => [kind, waitsFor])),
  approval: "an approval",
  retry: "its next try",
  person: "a person",
  run: "another run",
};

/** Words of tools that stand where a step id stands. */
export const toolWords: Record<string, string> = {
  wait: "Wait",
  ...Object.fromEntries(waitSteps.map(({ id, title }) => [id, title])),
  approve: "Approval",
};

/** What a run waits for, in words. */
export const waitWord = (kind: string): string => waits[kind] ?? kind;
