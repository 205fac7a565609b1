import { Anchor, Group, Text } from "@mantine/core";
import type { ReactNode } from "react";
import { paths } from "../../../paths.ts";
import { AppLink } from "../../../shell/AppLink.tsx";
import { useProject } from "../../../state/use-project.ts";
import { useList } from "../../../state/use-read.ts";
import { Copy } from "../../../ui/files/Copy.tsx";
import { Time } from "../../../ui/times/Time.tsx";
import type { RunRecord } from "../describe-status.ts";
import { tookOf } from "../run-columns.tsx";
import { StatusBadge } from "../StatusBadge.tsx";
import type { Names } from "../use-names.ts";

/** What ran, when, and who or what started it. */
export function RunFacts({ run, names }: { run: RunRecord; names: Names }) {
  const projectId = useProject();
  const people = useList("/latest/auth/users/list", { limit: 100 }, { staleTime: 60_000 });
  const person = people.rows?.find(({ user_id }) => user_id === run.started_by);
  const isLooking = people.rows === undefined && people.problem === null;
  const starter = person?.email ?? (isLooking ? "…" : run.started_by);
  return (
    <Group gap="xl" align="start" className="facts" component="dl">
      <Fact name="Status">
        <StatusBadge status={run.status} />
      </Fact>
      <Fact name="What" isLong>
        <What run={run} name={names.of(run)} projectId={projectId} />
      </Fact>
      <Fact name="Started">
        <Time at={run.created_at} exact />
      </Fact>
      <Fact name="Took">{tookOf(run)}</Fact>
      <Fact name="Started by" isLong>
        <span className="anywhere">{starter}</span>
        <Source run={run} projectId={projectId} />
      </Fact>
      <Fact name="Id" isLong>
        <Group gap={6} wrap="nowrap">
          <Text span size="sm" ff="monospace" className="anywhere">
            {run.run_id}
          </Text>
          <Copy text={run.run_id} label="Copy" variant="subtle" size="compact-xs" aria-label="Copy the id" />
        </Group>
      </Fact>
      {run.usage ? (
        <Fact name="Model">
          {run.usage.turns} turns, {run.usage.total_tokens.toLocaleString()} tokens
          {run.usage.estimated ? " (estimated)" : ""}
        </Fact>
      ) : null}
    </Group>
  );
}

interface FactProps {
  name: string;
  /** Takes a line of its own on a telephone. */
  isLong?: boolean;
  children: ReactNode;
}

const Fact = ({ name, isLong = false, children }: FactProps) => (
  <div className={isLong ? "fact-long" : ""}>
    <Text component="dt" size="xs" c="dimmed">
      {name}
    </Text>
    <Text component="dd" size="sm" m={0} dir="auto">
      {children}
    </Text>
  </div>
);

function What({ run, name, projectId }: { run: RunRecord; name: string; projectId: string }) {
  const to =
    run.tool_id !== null
      ? paths.tool(projectId, run.tool_id)
      : run.agent_id !== null
        ? paths.agent(projectId, run.agent_id)
        : null;
  return to === null ? (
    name
  ) : (
    <Anchor component={AppLink} to={to} size="sm">
      {name}
    </Anchor>
  );
}

const sources = { schedule: "by a schedule", event: "by an event" } as const;

function Source({ run: { source }, projectId }: { run: RunRecord; projectId: string }) {
  if (source.kind === "call") return null;
  if (source.kind !== "replay" && source.kind !== "agent") return <>, {sources[source.kind]}</>;
  return (
    <>
      ,{" "}
      <Anchor component={AppLink} to={paths.run(projectId, source.id ?? "")} size="sm">
        {source.kind === "replay" ? "replay of another run" : "by an agent's run"}
      </Anchor>
    </>
  );
}
