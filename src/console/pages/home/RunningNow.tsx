import { Anchor, Text } from "@mantine/core";
import { paths } from "../../paths.ts";
import { AppLink } from "../../shell/AppLink.tsx";
import { useEvery } from "../../state/use-live.ts";
import { useProject } from "../../state/use-project.ts";
import { useRead } from "../../state/use-read.ts";
import { isForPerson } from "../../state/waits-for-person.ts";
import { Section } from "../../ui/Section.tsx";
import { Time } from "../../ui/times/Time.tsx";
import type { RunSummary } from "../runs/describe-status.ts";
import { StatusBadge } from "../runs/StatusBadge.tsx";
import { useNames } from "../runs/use-names.ts";
import { CardRows } from "./CardRows.tsx";

const shown = 5;
const everyMilliseconds = 3000;

/** Runs that are under way, and those that wait for a limit or a time; undefined until they are read. */
export function useRunningNow() {
  const options = { every: useEvery(everyMilliseconds) };
  const running = useRead("/latest/runs/list", { status: "running", limit: shown }, options);
  const queued = useRead("/latest/runs/list", { status: "queued", limit: shown }, options);
  const waiting = useRead("/latest/runs/list", { status: "waiting", limit: 50 }, options);
  const lists = [running.data, queued.data, waiting.data];
  const rows = lists.some((list) => list === undefined)
    ? undefined
    : lists.flatMap((list) => list?.results ?? []).filter((run) => !isForPerson(run.waiting_for?.kind));
  return { rows, problem: running.error, refetch: () => void running.refetch() };
}

export function RunningNow() {
  const projectId = useProject();
  const { rows, problem, refetch } = useRunningNow();
  return (
    <Section
      title="Running now"
      actions={
        <Anchor component={AppLink} to={paths.runs(projectId)} size="sm">
          All runs
        </Anchor>
      }
    >
      <CardRows
        rows={rows?.slice(0, shown)}
        problem={problem}
        onRetry={refetch}
        none="Nothing runs at the moment."
        row={(run) => (
          <li key={run.run_id}>
            <Anchor component={AppLink} to={paths.run(projectId, run.run_id)} className="anywhere" dir="auto">
              <RunName run={run} />
            </Anchor>
            <StatusBadge status={run.status} />
            <Text size="sm" c="dimmed" className="fact-end">
              <Progress run={run} />
            </Text>
          </li>
        )}
      />
    </Section>
  );
}

/** When it began, or when it goes on. */
function Progress({ run: { created_at, waiting_for: wait } }: { run: RunSummary }) {
  if (!wait) return <Time at={created_at} />;
  if (wait.kind !== "time" || !wait.until) return wait.detail;
  return (
    <>
      continues <Time at={wait.until} />
    </>
  );
}

/** Names are asked for only where a run is shown. */
const RunName = ({ run }: { run: RunSummary }) => useNames().of(run);
