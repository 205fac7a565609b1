import { Group, Text } from "@mantine/core";
import { duration } from "../../ui/duration.ts";
import { Elapsed } from "../../ui/Elapsed.tsx";
import type { Column } from "../../ui/RowList.tsx";
import { StatusDot } from "../../ui/StatusDot.tsx";
import { Time } from "../../ui/Time.tsx";
import { type Deployment, environmentWord, isUnderWay, stateOf } from "./deployment.ts";

export interface DeploymentActions {
  onCancel: (deployment: Deployment) => void;
  onRedeploy: (deployment: Deployment) => void;
}

export const deploymentColumns = (actions: DeploymentActions): Column<Deployment>[] => [
  {
    title: "Deployment",
    cell: (deployment) => (
      <>
        <Group gap={8} wrap="nowrap">
          <Text fw={600} size="sm" dir="auto" truncate>
            {deployment.project}
          </Text>
          <Environment name={deployment.environment} />
        </Group>
        <Text size="xs" c="dimmed" truncate className="deployment-url">
          {deployment.url?.replace(/^https?:\/\//, "") ?? deployment.id}
        </Text>
      </>
    ),
  },
  {
    title: "State",
    width: "9rem",
    cell: (deployment) => (
      <>
        <StatusDot {...stateOf(deployment.state)} />
        <Text size="xs" c="dimmed" className="under-dot">
          <BuildTime deployment={deployment} />
        </Text>
      </>
    ),
  },
  { title: "Source", width: "34%", cell: (deployment) => <Source deployment={deployment} /> },
  {
    title: "Created",
    width: "10rem",
    cell: ({ createdAt, creator }) => (
      <>
        <Text size="sm">
          <Time at={new Date(createdAt).toISOString()} />
        </Text>
        <Text size="xs" c="dimmed" truncate dir="auto">
          {creator === null ? "" : `by ${creator}`}
        </Text>
      </>
    ),
  },
  {
    title: "",
    width: "6.5rem",
    align: "right",
    isExtra: true,
    cell: (deployment) => <RowAction deployment={deployment} {...actions} />,
  },
];

export function BuildTime({ deployment: { state, buildingAt, buildMilliseconds } }: { deployment: Deployment }) {
  if (buildMilliseconds !== null) return <span>{duration(buildMilliseconds)}</span>;
  return state === "BUILDING" && buildingAt !== null ? <Elapsed since={buildingAt} /> : <span>–</span>;
}

export const Environment = ({ name }: { name: string }) => (
  <span className={`tag ${name === "production" ? "tag-live" : "tone-info"}`}>{environmentWord(name)}</span>
);

/** The branch, and what its last commit says. */
export function Source({ deployment }: { deployment: Deployment }) {
  const { branch, commit, message, source } = deployment;
  if (branch === null) {
    return (
      <Text size="sm" c="dimmed">
        {source === "cli" ? "From the command line" : "No repository"}
      </Text>
    );
  }
  return (
    <>
      <Text size="sm" className="mono" truncate>
        {branch}
      </Text>
      <Text size="xs" c="dimmed" truncate dir="auto">
        {commit === null ? null : <span className="commit">{commit.slice(0, 7)}</span>} {message}
      </Text>
    </>
  );
}

/** One press for what is wanted most; the rest is in the opened deployment. */
function RowAction({ deployment, onCancel, onRedeploy }: { deployment: Deployment } & DeploymentActions) {
  const [word, act] = isUnderWay(deployment) ? ["Cancel", onCancel] : ["Redeploy", onRedeploy];
  return (
    <button
      type="button"
      className="row-action"
      aria-label={`${word} ${deployment.project}, ${deployment.id}`}
      onClick={() => act(deployment)}
    >
      {word}
    </button>
  );
}
