import type { Column } from "../../ui/rows/RowList.tsx";
import { StatusDot } from "../../ui/StatusDot.tsx";
import { duration } from "../../ui/times/duration.ts";
import { Elapsed } from "../../ui/times/Elapsed.tsx";
import { Time } from "../../ui/times/Time.tsx";
import { type Deployment, environmentWord, isUnderWay, stateOf } from "./read-deployment.ts";

export interface DeploymentActions {
  onCancel: (deployment: Deployment) => void;
  onRedeploy: (deployment: Deployment) => void;
}

/** Cells are plain elements: fifty rows are drawn when the page opens. */
export const deploymentColumns = (actions: DeploymentActions): Column<Deployment>[] => [
  {
    title: "Deployment",
    cell: (deployment) => (
      <>
        <span className="deployment-name">
          <b className="clipped" dir="auto">
            {deployment.project}
          </b>
          <Environment name={deployment.environment} />
        </span>
        <span className="more-line clipped deployment-url">
          {deployment.url?.replace(/^https?:\/\//, "") ?? deployment.id}
        </span>
      </>
    ),
  },
  {
    title: "State",
    width: "9rem",
    cell: (deployment) => (
      <>
        <StatusDot {...stateOf(deployment.state)} />
        <span className="more-line under-dot">
          <BuildTime deployment={deployment} />
        </span>
      </>
    ),
  },
  { title: "Source", width: "34%", cell: (deployment) => <Source deployment={deployment} /> },
  {
    title: "Created",
    width: "10rem",
    cell: ({ createdAt, creator }) => (
      <>
        <Time at={new Date(createdAt).toISOString()} />
        <span className="more-line clipped" dir="auto">
          {creator === null ? "" : `by ${creator}`}
        </span>
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
    return <span className="soft">{source === "cli" ? "From the command line" : "No repository"}</span>;
  }
  return (
    <>
      <span className="mono clipped">{branch}</span>
      <span className="more-line clipped" dir="auto">
        {commit === null ? null : <span className="commit">{commit.slice(0, 7)}</span>} {message}
      </span>
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
