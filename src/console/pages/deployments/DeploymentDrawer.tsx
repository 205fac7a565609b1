import { Anchor, Button, Group, Stack, Text } from "@mantine/core";
import type { ReactNode } from "react";
import { ReadDrawer } from "../../shell/ReadDrawer.tsx";
import { Facts } from "../../ui/Facts.tsx";
import { Copy } from "../../ui/files/Copy.tsx";
import { Notice } from "../../ui/Notice.tsx";
import { StatusDot } from "../../ui/StatusDot.tsx";
import { Time } from "../../ui/times/Time.tsx";
import { BuildLog } from "./BuildLog.tsx";
import { BuildTime, type DeploymentActions, Environment, Source } from "./deployment-columns.tsx";
import { type Deployment, isUnderWay, stateOf } from "./read-deployment.ts";
import { useDeployment } from "./use-deployments.ts";

interface DeploymentDrawerProps extends DeploymentActions {
  connectionId: string;
  id: string;
  onClose: () => void;
}

/** One deployment: its facts, its links and its build log. `?deployment=` opens it. */
export function DeploymentDrawer({ connectionId, id, onClose, ...actions }: DeploymentDrawerProps) {
  const { deployment: data, problem, refetch, log } = useDeployment(connectionId, id);
  return (
    <ReadDrawer
      title={
        <Text span fw={650} size="lg" dir="auto">
          {data?.project ?? "Deployment"}
        </Text>
      }
      size="54rem"
      read={{ data, error: problem, refetch }}
      onClose={onClose}
    >
      {(deployment) => (
        <>
          <Actions deployment={deployment} {...actions} />
          <Failure deployment={deployment} />
          <DeploymentFacts deployment={deployment} />
          <BuildLog
            body={log.output?.body}
            isRead={log.output !== undefined}
            isLive={isUnderWay(deployment)}
            problem={log.problem}
            onRetry={log.refetch}
          />
        </>
      )}
    </ReadDrawer>
  );
}

function Actions({ deployment, onCancel, onRedeploy }: { deployment: Deployment } & DeploymentActions) {
  const { url, inspectorUrl, state } = deployment;
  return (
    <Group gap="xs">
      {url && state === "READY" ? (
        <Button component="a" href={url} target="_blank" rel="noreferrer">
          Visit
        </Button>
      ) : null}
      {inspectorUrl ? (
        <Button component="a" href={inspectorUrl} target="_blank" rel="noreferrer" variant="default">
          Open at the platform
        </Button>
      ) : null}
      {isUnderWay(deployment) ? (
        <Button variant="outline" color="red" onClick={() => onCancel(deployment)}>
          Cancel the deployment
        </Button>
      ) : (
        <Button variant="default" onClick={() => onRedeploy(deployment)}>
          Redeploy
        </Button>
      )}
    </Group>
  );
}

function Failure({ deployment: { state, failure } }: { deployment: Deployment }) {
  if (state === "BLOCKED") {
    return <Notice tone="warn">The platform has blocked this deployment: a person has to release it there.</Notice>;
  }
  if (failure === null) return null;
  return state === "ERROR" ? (
    <Notice tone="bad" title="The build failed">
      <div className="anywhere">{failure}</div>
      <div>The end of the build log says more. Fix it, and redeploy.</div>
    </Notice>
  ) : (
    <Notice tone="warn" title="Its domains do not serve it">
      {failure}
    </Notice>
  );
}

function DeploymentFacts({ deployment }: { deployment: Deployment }) {
  const { state, environment, url, aliases, createdAt, creator, id } = deployment;
  const addresses = [...new Set([...(url ? [url] : []), ...aliases.map((host) => `https://${host}`)])];
  const rows: [string, ReactNode][] = [
    ["State", <StatusDot key="state" {...stateOf(state)} />],
    ["Environment", <Environment key="environment" name={environment} />],
    ["Source", <Source key="source" deployment={deployment} />],
    [
      "Created",
      <span key="created">
        <Time at={new Date(createdAt).toISOString()} exact />
        {creator === null ? "" : ` by ${creator}`}
      </span>,
    ],
    ["Build time", <BuildTime key="time" deployment={deployment} />],
    [
      "Addresses",
      <Stack key="addresses" gap={2}>
        {addresses.map((address) => (
          <Anchor key={address} href={address} target="_blank" rel="noreferrer" size="sm" className="anywhere">
            {address.replace(/^https?:\/\//, "")}
          </Anchor>
        ))}
        {addresses.length === 0 ? "–" : null}
      </Stack>,
    ],
    [
      "Id",
      <Group key="id" gap={6}>
        <Text span className="mono anywhere">
          {id}
        </Text>
        <Copy text={id} label="Copy" variant="subtle" size="compact-xs" aria-label="Copy the id" />
      </Group>,
    ],
  ];
  return <Facts rows={rows} />;
}
