import { Button, Group, Stepper, Text } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import { useNavigate } from "@tanstack/react-router";
import { paths } from "../../paths.ts";
import { AppLink } from "../../shell/AppLink.tsx";
import { ProblemNotice } from "../../shell/ProblemNotice.tsx";
import { exampleSystem } from "../../state/systems.ts";
import { useDraft } from "../../state/use-draft.ts";
import { useProject } from "../../state/use-project.ts";
import { useRead } from "../../state/use-read.ts";
import { useRole, useWho } from "../../state/use-who.ts";
import { useWrite } from "../../state/use-write.ts";
import { Section } from "../../ui/Section.tsx";

/** Whether it is known yet if the tour is shown. What stands below it waits for that, and does not move. */
export function useIsTourKnown(): boolean {
  const who = useWho();
  const { may } = useRole(useProject());
  // Asked at once, before the role is known. A viewer gets no tools, and sees no tour.
  const isViewer = who.data !== undefined && !may("editor");
  const reads = [
    useRead("/latest/connections/list", { limit: 100 }),
    useRead("/latest/tools/list", { limit: 1 }, { when: !isViewer }),
    useRead("/latest/runs/list", { limit: 20 }),
    useRead("/latest/limits/list", { limit: 100 }),
    who,
  ];
  // A read that failed counts also while the tour repeats it: the page would come and go with each try.
  return isViewer || reads.every(({ isFetched }) => isFetched);
}

/** Four steps from an empty project to a tool that has run. It disappears when a tool has succeeded, or much else has run. */
export function Tour() {
  const projectId = useProject();
  const { may } = useRole(projectId);
  const navigate = useNavigate();
  const connections = useRead("/latest/connections/list", { limit: 100 });
  const tools = useRead("/latest/tools/list", { limit: 1 }, { when: may("editor") });
  const runs = useRead("/latest/runs/list", { limit: 20 });
  // A step that was found is in the tool that is being made.
  const [draft] = useDraft<{ steps?: unknown[] } | null>("new-tool", null);
  const isNarrow = useMediaQuery("(max-width: 600px)", false, { getInitialValueInEffect: false });
  const tool = tools.data?.results[0];
  const ran = runs.data?.results.find(({ tool_id, status }) => tool_id !== null && status === "succeeded");
  const account = connections.data?.results.find(
    ({ system, state }) => system === exampleSystem?.system && state === "connected",
  );
  const create = useWrite("/latest/tools/create", { changes: ["/latest/tools/list"] });
  const trigger = useWrite("/latest/tools/{tool_id}/trigger_async", {
    changes: ["/latest/runs/list"],
    onDone: ({ run_id }) => void navigate({ to: paths.run(projectId, run_id) } as never),
  });
  // A project with more runs than these is past its first steps.
  const isBusy = runs.data?.next != null;
  if (!connections.data || !tools.data || !runs.data || ran || isBusy || !may("editor")) return null;
  const hasFoundStep = (draft?.steps?.length ?? 0) > 0;
  const done = account === undefined ? 0 : tool ? 3 : hasFoundStep ? 2 : 1;
  const createExample = () => {
    if (!account || !exampleSystem) return;
    const { title, step, input, output } = exampleSystem.tool;
    create.run({
      title,
      params_schema: { type: "object", properties: {} },
      steps: [{ name: "latest", step, connection_id: account.connection_id, input: { ...input } }],
      output,
    });
  };
  return (
    <Section title="First steps" lead="From an empty project to a tool that has run, on the built-in sandboxes.">
      <Stepper active={done} size="sm" orientation={isNarrow ? "vertical" : "horizontal"} className="tour">
        <Stepper.Step label="Connect an account" description="A sandbox, or your own" />
        <Stepper.Step label="Find a step" description="By system, vendor or task" />
        <Stepper.Step label="Build a tool" description="Steps in a row" />
        <Stepper.Step label="Run it" description="And see every request" />
      </Stepper>
      <ProblemNotice problem={create.problem ?? trigger.problem} />
      <Group gap="sm">
        {done === 0 ? (
          <Button component={AppLink} to={paths.connect(projectId)}>
            Connect an account
          </Button>
        ) : null}
        {done === 1 || done === 2 ? (
          <>
            <Button onClick={createExample} loading={create.isRunning}>
              Create the example tool
            </Button>
            {done === 1 ? (
              <Button component={AppLink} to={paths.tools(projectId)} variant="default">
                Find a step
              </Button>
            ) : (
              <Button component={AppLink} to={`${paths.tools(projectId)}?new=1`} variant="default">
                Continue with my tool
              </Button>
            )}
            <Text size="sm" c="dimmed">
              {exampleSystem?.tool.does}
            </Text>
          </>
        ) : null}
        {done === 3 && tool && asksNothing(tool) ? (
          <Button
            onClick={() => trigger.run({ tool_id: tool.tool_id, params: {} })}
            loading={trigger.isRunning}
          >{`Run “${tool.title}”`}</Button>
        ) : null}
        {done === 3 && tool && !asksNothing(tool) ? (
          <Button component={AppLink} to={paths.tool(projectId, tool.tool_id, "use")}>
            {`Fill in and run “${tool.title}”`}
          </Button>
        ) : null}
      </Group>
    </Section>
  );
}

const asksNothing = ({ params_schema: schema }: { params_schema: Record<string, unknown> }): boolean =>
  !Array.isArray(schema.required) || schema.required.length === 0;
