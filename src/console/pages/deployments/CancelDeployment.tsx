import { Text } from "@mantine/core";
import { ProblemNotice } from "../../shell/ProblemNotice.tsx";
import { UnknownOutcomeNotice } from "../../shell/UnknownOutcomeNotice.tsx";
import { useStepRun } from "../../state/use-step-run.ts";
import { Confirm } from "../../ui/dialogs/Confirm.tsx";
import type { Deployment } from "./read-deployment.ts";

interface AskProps {
  connectionId: string;
  deployment: Deployment;
  onClose: () => void;
}

export function CancelDeployment({ connectionId, deployment, onClose }: AskProps) {
  const cancel = useStepRun(onClose);
  return (
    <Confirm
      opened
      title="Cancel this deployment?"
      action="Cancel the deployment"
      dismiss="Keep building"
      isDangerous
      isRunning={cancel.isRunning}
      onConfirm={() => cancel.run("cancel_deployment", connectionId, { deployment_id: deployment.id })}
      onClose={onClose}
    >
      <ProblemNotice problem={cancel.problem} />
      <UnknownOutcomeNotice runId={cancel.unknown} />
      <Text size="sm">
        The build of <b dir="auto">{deployment.project}</b>
        {deployment.branch === null ? "" : ` from ${deployment.branch}`} stops. What is live now stays live.
      </Text>
    </Confirm>
  );
}
