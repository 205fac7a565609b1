import { Anchor, Text } from "@mantine/core";
import { paths } from "../../paths.ts";
import { AppLink } from "../../shell/AppLink.tsx";
import { useProject } from "../../state/call.ts";
import { useRead } from "../../state/use-read.ts";
import { isForPerson } from "../../state/waiting.ts";
import { Section } from "../../ui/Section.tsx";
import { Facts } from "./Facts.tsx";

const shown = 5;
const everyMilliseconds = 15_000;

interface Need {
  key: string;
  to: string;
  title: string;
  detail: string;
}

/** What waits for a person: lost answers, approvals, and accounts that have to be connected again. */
export function NeedsYou() {
  const projectId = useProject();
  const options = { every: everyMilliseconds };
  const unknown = useRead("/latest/runs/list", { status: "outcome_unknown", limit: 100 }, options);
  const waiting = useRead("/latest/runs/list", { status: "waiting", limit: 100 }, options);
  const connections = useRead("/latest/connections/list", { limit: 100 }, options);
  const isLoaded = unknown.data && waiting.data && connections.data;
  const needs: Need[] | undefined = isLoaded && [
    ...unknown.data.results.map((run) => ({
      key: run.run_id,
      to: paths.run(projectId, run.run_id),
      title: "An outcome is unknown",
      detail: run.problem?.detail ?? run.run_id,
    })),
    ...waiting.data.results
      .filter((run) => isForPerson(run.waiting_for?.kind))
      .map((run) => ({
        key: run.run_id,
        to: paths.run(projectId, run.run_id),
        title: run.waiting_for?.kind === "approval" ? "An approval is asked for" : "A run waits for a person",
        detail: run.waiting_for?.detail ?? run.run_id,
      })),
    ...connections.data.results
      .filter(({ state }) => state === "needs_reconnect")
      .map((connection) => ({
        key: connection.connection_id,
        to: paths.integrations(projectId),
        title: `Reconnect ${connection.label}`,
        detail: connection.state_reason ?? "Its system refuses the stored sign-in.",
      })),
  ];
  return (
    <Section title="Waiting for a person">
      <Facts
        rows={needs?.slice(0, shown)}
        problem={unknown.error ?? waiting.error ?? connections.error}
        onRetry={() => void unknown.refetch()}
        none="Nothing waits for you."
        row={(need) => (
          <li key={need.key}>
            <Anchor component={AppLink} to={need.to} dir="auto">
              {need.title}
            </Anchor>
            <Text size="sm" c="dimmed" lineClamp={1} className="fact-end" dir="auto">
              {need.detail}
            </Text>
          </li>
        )}
      />
    </Section>
  );
}
