import { Button } from "@mantine/core";
import { paths } from "../../paths.ts";
import { AppLink } from "../../shell/AppLink.tsx";
import { ProblemNotice } from "../../shell/ProblemNotice.tsx";
import { useProject } from "../../state/use-project.ts";
import { useWrite } from "../../state/use-write.ts";
import { Notice } from "../../ui/Notice.tsx";
import { inputOf, type Settings } from "./settings.ts";

/** Makes a tool of the report as it is set, with one press. */
export function useSaveAsTool(settings: Settings, title: string, isComplete: boolean) {
  const projectId = useProject();
  const create = useWrite("/latest/tools/create", { changes: ["/latest/tools/list"] });
  const isOne = settings.sources.length === 1;
  const steps = settings.sources.map((source, index) => ({
    name: isOne ? "report" : `report_${index + 1}`,
    step: "run_reports",
    connection_id: source.account,
    input: inputOf(settings, source),
  }));
  const output = isOne
    ? "{{steps.report.output}}"
    : Object.fromEntries(steps.map(({ name }) => [name, `{{steps.${name}.output}}`]));
  const save = () =>
    create.run({ title: title.slice(0, 200), params_schema: { type: "object", properties: {} }, steps, output });
  return {
    button: (
      <Button variant="default" loading={create.isRunning} disabled={!isComplete} onClick={save}>
        Save as a tool
      </Button>
    ),
    notice: (
      <>
        <ProblemNotice problem={create.problem} />
        {create.output ? (
          <Notice
            tone="good"
            action={
              <Button
                component={AppLink}
                to={paths.tool(projectId, create.output.tool_id, "use")}
                size="compact-sm"
                variant="default"
              >
                Open the tool
              </Button>
            }
          >
            Saved as the tool “{title}”. It can be run by itself, on a schedule, or by an agent.
          </Notice>
        ) : null}
      </>
    ),
  };
}
