import type { OutputOf, RecordOf } from "../../client/wire.ts";
import { lastProject } from "./last-project.ts";
import { useEvery } from "./use-live.ts";
import { useProjectId } from "./use-project.ts";
import { useRead } from "./use-read.ts";
import { useRole, useWho } from "./use-who.ts";

type RunSummary = RecordOf<"/latest/runs/list">;
type Account = RecordOf<"/latest/connections/list">;
type Failure = OutputOf<"/latest/webhooks/failures">["failures"][number];

/** Something that waits for a person. `readAt` says when it was last seen to wait. */
export type InboxItem = { key: string; at: string | null; readAt: number } & (
  | { kind: "unknown"; run: RunSummary }
  | { kind: "approval"; run: RunSummary }
  | { kind: "account"; account: Account }
  | { kind: "deliveries"; failure: Failure }
);

const everyMilliseconds = 15_000;
/** Deliveries fail after days of trying, so nobody waits for the news. */
const deliveriesMilliseconds = 60_000;

/** The project of the navigation: on pages of the organization the one that was open last, if the person is still in it. */
function useShownProject(): string | null {
  const inAddress = useProjectId();
  const { data: who } = useWho();
  const last = inAddress === null ? lastProject() : null;
  return inAddress ?? who?.projects.find(({ project_id }) => project_id === last)?.project_id ?? null;
}

/** Everything in the project that waits for a person: what may have gone wrong first, then the oldest. */
export function useInbox() {
  const projectId = useShownProject();
  const isIn = projectId !== null;
  const { may } = useRole(projectId);
  const inProject = isIn ? { inProject: projectId } : {};
  const options = { when: isIn, every: useEvery(everyMilliseconds), ...inProject };
  const unknown = useRead("/latest/runs/list", { status: "outcome_unknown", limit: 100 }, options);
  const approvals = useRead("/latest/runs/list", { waiting_for: "approval", limit: 100 }, options);
  const accounts = useRead("/latest/connections/list", { limit: 100 }, options);
  const isAdmin = isIn && may("admin");
  const deliveries = useRead(
    "/latest/webhooks/failures",
    {},
    { when: isAdmin, every: deliveriesMilliseconds, staleTime: deliveriesMilliseconds, ...inProject },
  );
  const reads = [unknown, approvals, accounts, ...(isAdmin ? [deliveries] : [])];
  const items: InboxItem[] = [
    ...(unknown.data?.results ?? []).toReversed().map((run) => ({
      kind: "unknown" as const,
      key: run.run_id,
      at: run.created_at,
      readAt: unknown.dataUpdatedAt,
      run,
    })),
    ...(approvals.data?.results ?? []).toReversed().map((run) => ({
      kind: "approval" as const,
      key: `${run.run_id}.${run.waiting_for?.step ?? ""}`,
      at: run.created_at,
      readAt: approvals.dataUpdatedAt,
      run,
    })),
    ...(accounts.data?.results ?? [])
      .filter(({ state }) => state === "needs_reconnect")
      .map((account) => ({
        kind: "account" as const,
        key: account.connection_id,
        at: null,
        readAt: accounts.dataUpdatedAt,
        account,
      })),
    ...(deliveries.data?.failures ?? []).map((failure) => ({
      kind: "deliveries" as const,
      key: failure.webhook_id,
      at: failure.last.created_at,
      readAt: deliveries.dataUpdatedAt,
      failure,
    })),
  ];
  return {
    items,
    isLoaded: reads.every(({ data }) => data !== undefined),
    problem: reads.find(({ error }) => error !== null)?.error ?? null,
    refetch: () => void Promise.all(reads.map((read) => read.refetch())),
  };
}
