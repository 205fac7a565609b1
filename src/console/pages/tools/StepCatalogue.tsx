import { Badge, Text, TextInput } from "@mantine/core";
import { useMemo, useState } from "react";
import { ProblemNotice } from "../../shell/ProblemNotice.tsx";
import { systemsToTry, titleOfSystem } from "../../state/systems.ts";
import { useRead } from "../../state/use-read.ts";
import { indexSteps } from "./build/index-steps.ts";

/** The steps of which tools are made, for people who look them up and build none. */
export function StepCatalogue() {
  const [query, setQuery] = useState("");
  const { data, error, refetch } = useRead("/latest/steps/list", { limit: 100 }, { staleTime: 600_000 });
  const find = useMemo(() => indexSteps(data?.results ?? []), [data]);
  const found = find(query).filter(({ system }) => system !== null);
  return (
    <div>
      <ProblemNotice problem={error} onRetry={() => void refetch()} />
      <TextInput
        label="Search steps"
        description="What tools are made of. Type the kind of system, a vendor or a task."
        placeholder="deployment, analytics, newsletter …"
        value={query}
        onChange={(event) => setQuery(event.currentTarget.value)}
        autoComplete="off"
      />
      <ul className="short-list" aria-label="Steps" style={{ marginTop: 8 }}>
        {found.map(({ id, title, summary, system }) => (
          <li key={id}>
            <div className="grow">
              <Text fw={600} size="sm">
                {title}
              </Text>
              <Text size="sm" c="dimmed">
                {summary}
              </Text>
            </div>
            <Badge variant="light" tt="none" className="no-shrink">
              {system === null ? null : titleOfSystem(system)}
            </Badge>
          </li>
        ))}
      </ul>
      {data && found.length === 0 ? (
        <Text c="dimmed" size="sm" role="status">
          No step is found by this. Try the kind of system: {systemsToTry}.
        </Text>
      ) : null}
    </div>
  );
}
