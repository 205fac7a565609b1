import { Button, Group, Skeleton, Stack, Text } from "@mantine/core";
import type { FieldMistake } from "../../../../client/problem.ts";
import { useRead } from "../../../state/use-read.ts";
import { AccountSelect } from "../../tools/build/AccountSelect.tsx";
import { StepSearch } from "../../tools/build/StepSearch.tsx";
import { useStepToAdd } from "../../tools/build/use-step-to-add.ts";
import { mistakeAt } from "../../tools/mistakes-by-field.ts";
import type { AgentDraft } from "../agent-draft.ts";

interface StepFieldsProps {
  steps: AgentDraft["steps"];
  onChange: (steps: AgentDraft["steps"]) => void;
  mistakes: readonly FieldMistake[];
}

/** The steps that an agent may use, each with the account that it acts as. */
export function StepFields({ steps, onChange, mistakes }: StepFieldsProps) {
  const { data } = useRead("/latest/steps/list", { limit: 100 }, { staleTime: 600_000 });
  const recordOf = (id: string) => data?.results.find(({ step_id }) => step_id === id);
  const { want, isWaiting } = useStepToAdd((step, connectionId) =>
    onChange([...steps, { step, connection_id: connectionId ?? "" }]),
  );
  return (
    <Stack gap="sm">
      {steps.map(({ step, connection_id }, index) => {
        const record = recordOf(step);
        const title = record?.title ?? step;
        const mistake =
          mistakeAt(mistakes, `/steps/${index}/connection_id`) ?? mistakeAt(mistakes, `/steps/${index}/step`);
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: the same step may be there with several accounts.
          <fieldset key={`${step} ${index}`} className="rule">
            <legend>{title}</legend>
            <Stack gap="xs">
              {record ? (
                <Text size="sm" c="dimmed">
                  {record.summary}
                </Text>
              ) : null}
              <Group gap="xs" align="end">
                <div className="grow">
                  <AccountSelect
                    system={record?.system ?? ""}
                    value={connection_id || undefined}
                    onChange={(next) => onChange(steps.with(index, { step, connection_id: next }))}
                    error={mistake ?? (connection_id === "" ? "Choose the account that it acts as." : undefined)}
                  />
                </div>
                <Button
                  variant="subtle"
                  color="red"
                  aria-label={`Remove ${title}`}
                  onClick={() => onChange(steps.toSpliced(index, 1))}
                >
                  Remove
                </Button>
              </Group>
            </Stack>
          </fieldset>
        );
      })}
      {isWaiting ? <Skeleton height={64} role="status" aria-label="Loading the accounts" /> : null}
      <StepSearch
        onChoose={want}
        isStepsOnly
        description="Type the kind of system, a vendor or a task. Choosing a step lets the agent use it."
      />
    </Stack>
  );
}
