import { Anchor, Text } from "@mantine/core";
import { paths } from "../../paths.ts";
import { AppLink } from "../../shell/AppLink.tsx";
import { systemWithPage } from "../../state/systems.ts";
import { useProject } from "../../state/use-project.ts";
import { useRead } from "../../state/use-read.ts";
import { useRole } from "../../state/use-who.ts";
import { Section } from "../../ui/Section.tsx";
import { StatusDot } from "../../ui/StatusDot.tsx";
import { Time } from "../../ui/times/Time.tsx";
import { CardRows } from "../home/CardRows.tsx";
import { stateOf } from "./read-deployment.ts";

const platform = systemWithPage("deployments");
const shown = 5;

/** The newest deployments of the first connected account, as the drop-down for redeploying names them: no run is made. It is a part of the home page. */
export function LastDeployments() {
  const projectId = useProject();
  const { may } = useRole(projectId);
  const connections = useRead("/latest/connections/list", { limit: 100 });
  const account = connections.data?.results.find((each) => each.system === platform && each.state === "connected");
  const asked = { step_id: "create_deployment", field: "redeploy_of", connection_id: account?.connection_id ?? "" };
  const options = useRead("/latest/steps/{step_id}/options", asked, {
    when: account !== undefined && may("editor"),
    staleTime: 60_000,
  });
  const isNone = connections.data !== undefined && account === undefined;
  return (
    <Section
      title="Last deployments"
      actions={
        <Anchor component={AppLink} to={paths.deployments(projectId)} size="sm">
          All deployments
        </Anchor>
      }
    >
      <CardRows
        rows={isNone || (account !== undefined && !may("editor")) ? [] : options.data?.results.slice(0, shown)}
        problem={options.error ?? connections.error}
        onRetry={() => void options.refetch()}
        none={
          isNone
            ? "No account of a deployment platform is connected."
            : may("editor")
              ? "Nothing was deployed yet."
              : "Editors of the project see the deployments."
        }
        rowsToCome={shown}
        row={(deployment) => (
          <li key={deployment.value}>
            <Anchor
              component={AppLink}
              to={`${paths.deployments(projectId)}?deployment=${encodeURIComponent(deployment.value)}`}
              className="anywhere"
              dir="auto"
            >
              {deployment.label}
            </Anchor>
            <span className="fact-end fact-pair">
              <StatusDot {...stateOf(deployment.state ?? "")} />
              <Text span size="sm" c="dimmed">
                <Time at={deployment.at} />
              </Text>
            </span>
          </li>
        )}
      />
    </Section>
  );
}
