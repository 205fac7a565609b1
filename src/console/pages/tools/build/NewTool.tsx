import { Button, Group, Stack } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";
import { paths } from "../../../paths.ts";
import { ProblemNotice } from "../../../shell/ProblemNotice.tsx";
import { useDraft } from "../../../state/use-draft.ts";
import { useProject } from "../../../state/use-project.ts";
import { useWrite } from "../../../state/use-write.ts";
import { Section } from "../../../ui/Section.tsx";
import type { Definition } from "../tool.ts";
import { addStep, emptyDefinition } from "./edit-definition.ts";
import { NameAndDescription } from "./NameAndDescription.tsx";
import { StepList } from "./StepList.tsx";
import { useKnownValues } from "./use-known-values.ts";
import { useMistakes } from "./use-mistakes.ts";
import { useStepToAdd } from "./use-step-to-add.ts";

/** A tool that is not made yet. It is kept in this browser until it is created. */
export function NewTool({ firstStep }: { firstStep: string }) {
  const projectId = useProject();
  const navigate = useNavigate();
  const [definition, change, clear] = useDraft<Definition>("new-tool", emptyDefinition);
  const [open, setOpen] = useState<string | null>(null);
  const { errors, isChecked } = useMistakes(definition);
  const { known, outputs } = useKnownValues(null);
  const leave = (search: Record<string, string>) => void navigate({ to: ".", search, replace: true } as never);
  const { want, isWaiting, isKnown } = useStepToAdd((stepId, connectionId) => {
    const [next, name] = addStep(definition, stepId, connectionId);
    change(next);
    setOpen(name);
    leave({ new: "1" });
  });
  const begun = useRef(false);
  useEffect(() => {
    if (firstStep === "" || begun.current) return;
    begun.current = true;
    want(firstStep);
  }, [firstStep, want]);
  const create = useWrite("/latest/tools/create", {
    changes: ["/latest/tools/list"],
    onDone: ({ tool_id }) => {
      clear();
      outputs.moveTo(tool_id);
      void navigate({ to: paths.tool(projectId, tool_id), search: { tab: "build" } } as never);
    },
  });
  return (
    <Stack gap="lg">
      <Section
        title="New tool"
        actions={
          <Group gap="xs">
            <Button
              variant="subtle"
              onClick={() => {
                clear();
                outputs.clear();
                leave({});
              }}
            >
              Discard
            </Button>
            <Button variant="default" onClick={() => leave({})}>
              Close
            </Button>
            <Button loading={create.isRunning || isWaiting} disabled={!isKnown} onClick={() => create.run(definition)}>
              Create the tool
            </Button>
          </Group>
        }
      >
        <ProblemNotice problem={create.problem} />
        <NameAndDescription definition={definition} errors={create.problem ? errors : []} onChange={change} />
      </Section>
      <StepList
        key={open ?? "flow"}
        definition={definition}
        onChange={change}
        errors={
          isChecked || errors.length > 0
            ? errors.filter(({ pointer }) => pointer !== "#/title" && pointer !== "#/steps")
            : []
        }
        known={known}
        outputs={outputs}
        firstOpen={open}
      />
    </Stack>
  );
}
