import { Radio, Stack, Text } from "@mantine/core";
import { ProblemNotice } from "../../shell/ProblemNotice.tsx";
import { UnknownOutcomeNotice } from "../../shell/UnknownOutcomeNotice.tsx";
import { useDraft } from "../../state/use-draft.ts";
import { useStepRun } from "../../state/use-step-run.ts";
import { Confirm } from "../../ui/dialogs/Confirm.tsx";
import { type Deployment, textOf } from "./read-deployment.ts";

interface RedeployProps {
  connectionId: string;
  deployment: Deployment;
  onDone: (deploymentId: string) => void;
  onClose: () => void;
}

/** Deploys the same source once more, with the project's settings of today. */
export function Redeploy({ connectionId, deployment, onDone, onClose }: RedeployProps) {
  const same = deployment.environment === "production" ? "production" : "preview";
  const [environment, setEnvironment, clear] = useDraft(`redeploy.${deployment.id}`, same);
  const create = useStepRun(({ deployment_id }) => {
    clear();
    onDone(textOf(deployment_id) ?? "");
  });
  const input = { project: deployment.projectId || deployment.project, redeploy_of: deployment.id, environment };
  return (
    <Confirm
      opened
      title="Redeploy?"
      action={environment === "production" ? "Redeploy to production" : "Redeploy as a preview"}
      isRunning={create.isRunning}
      onConfirm={() => create.run("create_deployment", connectionId, input)}
      onClose={() => {
        clear();
        onClose();
      }}
    >
      <ProblemNotice problem={create.problem} />
      <UnknownOutcomeNotice runId={create.unknown} />
      <Text size="sm">
        The source of this deployment of <b dir="auto">{deployment.project}</b> is built again, with the project's
        current settings and variables.
      </Text>
      <Radio.Group label="Environment" value={environment} onChange={setEnvironment}>
        <Stack gap="xs" mt="xs">
          <Radio
            value="production"
            label="Production"
            description="It goes live on the project's domains when it is ready."
          />
          <Radio value="preview" label="Preview" description="It gets an address of its own." />
        </Stack>
      </Radio.Group>
    </Confirm>
  );
}
