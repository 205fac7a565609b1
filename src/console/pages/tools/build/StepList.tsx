import { Skeleton, Stack } from "@mantine/core";
import { useEffect } from "react";
import type { FieldMistake } from "../../../../client/problem.ts";
import { useRead } from "../../../state/use-read.ts";
import { useSearchState } from "../../../state/use-search-state.ts";
import { Empty } from "../../../ui/Empty.tsx";
import type { Definition } from "../tool.ts";
import { addStep, changeStep, duplicateStep, moveStep, removeStep, renameStep } from "./edit-definition.ts";
import { ParamsEditor } from "./ParamsEditor.tsx";
import { ResultEditor } from "./ResultEditor.tsx";
import { StepCard } from "./StepCard.tsx";
import { StepSearch } from "./StepSearch.tsx";
import type { KnownValues } from "./template-values.ts";
import type { Outputs } from "./use-known-values.ts";
import { useStepToAdd } from "./use-step-to-add.ts";

interface StepListProps {
  definition: Definition;
  onChange: (definition: Definition) => void;
  errors: FieldMistake[];
  known: KnownValues;
  outputs: Outputs;
  /** The step that is open first. */
  firstOpen?: string | null;
}

/** In the address, where the first step would be open otherwise. */
const noStep = "-";

/** "A vertical flow": what the tool is started with, its steps in order, what it returns. `?open=` names the open step. */
export function StepList({ definition, onChange, errors, known, outputs, firstOpen = null }: StepListProps) {
  const [inAddress, setOpen] = useSearchState("open");
  const open = inAddress || firstOpen;
  const { data } = useRead("/latest/steps/list", { limit: 100 }, { staleTime: 600_000 });
  const recordOf = (stepId: string) => data?.results.find(({ step_id }) => step_id === stepId);
  useEffect(() => {
    const move = (event: Event) => {
      const { from, to } = (event as CustomEvent<{ from: number; to: number }>).detail;
      onChange(moveStep(definition, from, to));
    };
    window.addEventListener("move-step", move);
    return () => window.removeEventListener("move-step", move);
  }, [definition, onChange]);
  const { want, isWaiting } = useStepToAdd((stepId, connectionId) => {
    const [next, name] = addStep(definition, stepId, connectionId);
    onChange(next);
    setOpen(name);
  });
  return (
    <Stack gap="md">
      <ParamsEditor
        schema={definition.params_schema}
        errors={errors}
        onChange={(params_schema) => onChange({ ...definition, params_schema })}
      />
      {definition.steps.length === 0 ? (
        <Empty title="No step yet">Search a step below: type the kind of system, a vendor or a task.</Empty>
      ) : (
        <ol className="flow" aria-label="Steps">
          {definition.steps.map((step, index) => (
            <StepCard
              key={keyOf(definition.steps, index)}
              definition={definition}
              index={index}
              record={recordOf(step.step)}
              errors={errors}
              known={known}
              isOpen={open === step.name}
              onToggle={() => setOpen(open === step.name ? noStep : step.name)}
              onChange={(changed) => onChange(changeStep(definition, index, changed))}
              onRename={(name) => {
                onChange(renameStep(definition, index, name));
                outputs.rename(step.name, name);
                setOpen(name);
              }}
              onMove={(to) => onChange(moveStep(definition, index, to))}
              onRemove={() => onChange(removeStep(definition, index))}
              onDuplicate={() => onChange(duplicateStep(definition, index))}
              outputs={outputs}
            />
          ))}
        </ol>
      )}
      {isWaiting ? <Skeleton height={64} role="status" aria-label="Loading the accounts" /> : null}
      <StepSearch onChoose={want} description="Adds a step at the end." />
      <ResultEditor definition={definition} known={known} errors={errors} onChange={onChange} />
    </Stack>
  );
}

/** A step is its name, wherever it is moved to; two may have one name while it is being edited. */
function keyOf(steps: Definition["steps"], index: number): string {
  const name = steps[index]?.name ?? "";
  return `${name} ${steps.slice(0, index).filter((step) => step.name === name).length}`;
}
