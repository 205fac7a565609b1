import { paths } from "../../paths.ts";
import { AppLink } from "../../shell/AppLink.tsx";
import type { Column } from "../../ui/rows/RowList.tsx";
import { duration } from "../../ui/times/duration.ts";
import { Time } from "../../ui/times/Time.tsx";
import { type RunSummary, waitWord } from "./describe-status.ts";
import { StatusBadge } from "./StatusBadge.tsx";
import type { Names } from "./use-names.ts";

/** Cells are plain elements: a row is made and dropped many times a second while the list scrolls. */
export const runColumns = (projectId: string, names: Names): Column<RunSummary>[] => [
  { title: "Status", width: "var(--status-track)", cell: ({ status }) => <StatusBadge status={status} /> },
  {
    title: "Run",
    width: "minmax(0, 1fr)",
    cell: (run) => (
      <>
        <AppLink to={paths.run(projectId, run.run_id)} className="vcell-title vcell-link" dir="auto" tabIndex={-1}>
          {names.of(run)}
        </AppLink>
        <span className={`more-line clipped ${reasonOf(run) ? "" : "narrow"}`}>
          {reasonOf(run) ?? moment(run.created_at)}
        </span>
      </>
    ),
  },
  {
    title: "Id",
    isExtra: true,
    width: "9rem",
    cell: ({ run_id }) => (
      <span className="more-line run-id" title={run_id}>
        …{run_id.slice(-12)}
      </span>
    ),
  },
  { title: "Started", width: "8rem", isExtra: true, cell: ({ created_at }) => <Time at={created_at} /> },
  {
    title: "Took",
    width: "6.5rem",
    align: "right",
    isExtra: true,
    cell: (run) => <span className="time">{tookOf(run)}</span>,
  },
];

const dayAndClock = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });
const moment = (at: string): string => dayAndClock.format(Date.parse(at));

/** Why it failed, or what it waits for. */
function reasonOf({ problem, waiting_for: wait }: RunSummary): string | null {
  if (problem) return problem.detail;
  if (wait?.kind === "time" && wait.until) return `Waits until ${moment(wait.until)}`;
  if (wait) return `Waits for ${waitWord(wait.kind)}: ${wait.detail}`;
  return null;
}

export function tookOf({ created_at, finished_at }: Pick<RunSummary, "created_at" | "finished_at">): string {
  return finished_at === null ? "–" : duration(Date.parse(finished_at) - Date.parse(created_at));
}
