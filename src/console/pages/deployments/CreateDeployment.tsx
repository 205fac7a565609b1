import { Button, Drawer, Group, Skeleton, Stack, Text } from "@mantine/core";
import { useMemo } from "react";
import { LazySchemaForm } from "../../forms/LazySchemaForm.tsx";
import { ProblemNotice } from "../../shell/ProblemNotice.tsx";
import { UnknownOutcomeNotice } from "../../shell/UnknownOutcomeNotice.tsx";
import { useDraft } from "../../state/use-draft.ts";
import { useStepFields } from "../../state/use-step-fields.ts";
import { useStepRun } from "../../state/use-step-run.ts";
import { mistakesAt } from "../tools/mistakes-by-field.ts";
import { textOf } from "./read-deployment.ts";

interface CreateDeploymentProps {
  connectionId: string;
  /** The project that the list shows alone. */
  project: string;
  onDone: (deploymentId: string) => void;
  onClose: () => void;
}

/** "Creates a deployment for a project with custom configuration": every option of the step. `?new=1` opens it. */
export function CreateDeployment({ connectionId, project, onDone, onClose }: CreateDeploymentProps) {
  const [input, change, clear] = useDraft<Record<string, unknown>>(
    "create-deployment",
    project === "" ? {} : { project },
  );
  const { schema, options, loadOptions, optionsKey, problem, refetch } = useStepFields(
    "create_deployment",
    connectionId,
    input,
  );
  const create = useStepRun(({ deployment_id }) => {
    clear();
    onDone(textOf(deployment_id) ?? "");
  });
  const errors = create.problem?.errors;
  const context = useMemo(
    () => ({
      options,
      loadOptions,
      optionsKey,
      ...(errors && errors.length > 0 ? { mistakes: mistakesAt(errors, "/input") } : {}),
    }),
    [options, loadOptions, optionsKey, errors],
  );
  const isProduction = input.environment === "production";
  return (
    <Drawer
      opened
      onClose={onClose}
      position="right"
      size="40rem"
      title={
        <Text span fw={650} size="lg">
          Create a deployment
        </Text>
      }
      closeButtonProps={{ "aria-label": "Close" }}
    >
      <Stack gap="md">
        <ProblemNotice problem={problem} onRetry={refetch} />
        {schema ? (
          <LazySchemaForm
            name="create"
            schema={schema}
            value={input}
            onChange={change}
            context={context}
            onSubmit={(value) => create.run("create_deployment", connectionId, value)}
          >
            <Stack gap="sm" mt="md">
              <ProblemNotice problem={create.problem} />
              <UnknownOutcomeNotice runId={create.unknown} />
              <Text size="sm" c="dimmed">
                {isProduction
                  ? "It goes live on the project's domains when it is ready."
                  : "It gets an address of its own; what is live stays live."}
              </Text>
              <Group gap="xs">
                <Button type="submit" loading={create.isRunning}>
                  {isProduction ? "Deploy to production" : "Deploy"}
                </Button>
                <Button variant="default" onClick={onClose}>
                  Close
                </Button>
                {Object.keys(input).length > 0 ? (
                  <Button variant="subtle" onClick={clear}>
                    Clear the form
                  </Button>
                ) : null}
              </Group>
            </Stack>
          </LazySchemaForm>
        ) : problem ? null : (
          <Skeleton height={320} role="status" aria-label="Loading the form" />
        )}
      </Stack>
    </Drawer>
  );
}
