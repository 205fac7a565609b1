import { Anchor, Text } from "@mantine/core";
import { paths } from "../../paths.ts";
import { AppLink } from "../../shell/AppLink.tsx";
import { useProject } from "../../state/use-project.ts";
import { useRead } from "../../state/use-read.ts";
import { Section } from "../../ui/Section.tsx";
import { Time } from "../../ui/times/Time.tsx";
import { useNames } from "../runs/use-names.ts";

/** Runs that were put aside until a limit refills. Nothing of them is lost; they go on by themselves. */
export function WaitingRuns() {
  const projectId = useProject();
  const names = useNames();
  const { data } = useRead("/latest/runs/list", { status: "waiting", limit: 100 }, { every: 10_000 });
  const waiting = data?.results.filter((run) => run.waiting_for?.kind === "limit") ?? [];
  if (waiting.length === 0) return null;
  return (
    <Section title="Runs that wait" lead="They continue by themselves when the limit refills.">
      <ul className="short-list">
        {waiting.map((run) => (
          <li key={run.run_id}>
            <Anchor component={AppLink} to={paths.run(projectId, run.run_id)} fw={600} size="sm" dir="auto">
              {names.of(run)}
            </Anchor>
            <Text size="sm" c="dimmed" className="anywhere">
              {run.waiting_for?.detail}
            </Text>
            <Text size="sm" className="fact-end">
              goes on <Time at={run.waiting_for?.until} />
            </Text>
          </li>
        ))}
      </ul>
    </Section>
  );
}
