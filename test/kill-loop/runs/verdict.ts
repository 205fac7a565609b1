import { execFileSync } from "node:child_process";
import type { RunsKillLoopReport } from "./runs-kill-loop.ts";

/** What one seed has shown on one store, as one line of JSON: ten lines of a hundred kills are a thousand. */
export interface Verdict {
  commit: string;
  store: "sqlite" | "postgres";
  seed: number;
  kills: number;
  freezes: number;
  freezes_while_connecting: number;
  taken_over: number;
  stops: number;
  faults: Record<string, number>;
  /** Acknowledged. */
  runs: number;
  /** Runs that change or delete a record of their own. */
  changes: number;
  writes: number;
  lost: number;
  doubled: number;
  open: number;
  /** Runs that a person had to settle, and those that failed for a reason that a user can understand. */
  unknown: number;
  failed: number;
  seconds: number;
  verdict: "kept" | "broken";
  problems: string[];
}

const problemsMax = 5;
const sum = (counts: Record<string, number>): number => Object.values(counts).reduce((all, one) => all + one, 0);

export const verdictOf = (
  report: RunsKillLoopReport,
  store: Verdict["store"],
  { commit, seconds }: { commit: string; seconds: number },
): Verdict => ({
  commit,
  store,
  seed: report.seed,
  kills: report.kills,
  freezes: report.freezes,
  freezes_while_connecting: report.freezesWhileConnecting,
  taken_over: report.takenOver,
  stops: report.stops,
  faults: report.faults,
  runs: report.runs,
  changes: report.changes,
  writes: report.accessWrites,
  lost: report.lostRuns + report.lostWrites,
  doubled: report.doubled,
  open: report.leftOpen,
  unknown: report.unknown,
  failed: sum(report.failed),
  seconds,
  verdict: report.problems.length === 0 ? "kept" : "broken",
  problems: report.problems.slice(0, problemsMax).map((problem) => (problem.split("\n")[0] ?? "").slice(0, 500)),
});

/** The commit that is tried, with a plus where files have changed since; empty outside of a repository. */
export function commitHere(): string {
  const git = (...args: string[]) =>
    execFileSync("git", args, {
      cwd: import.meta.dirname,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    }).trim();
  try {
    return git("rev-parse", "--short", "HEAD") + (git("status", "--porcelain", "-uno") === "" ? "" : "+");
  } catch {
    return "";
  }
}
