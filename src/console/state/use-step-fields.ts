import { useCallback } from "react";
import { callFor } from "./call-for.ts";
import { useProject } from "./use-project.ts";
import { useRead } from "./use-read.ts";

/** The fields of a step, and how their live options are read from the system with an account. */
export function useStepFields(
  stepId: string,
  connectionId: string | undefined,
  input: Record<string, unknown>,
  when = true,
) {
  const projectId = useProject();
  const { data, error, refetch } = useRead(
    "/latest/steps/{step_id}/get",
    { step_id: stepId },
    { when, staleTime: 600_000 },
  );
  const load = useCallback(
    async (field: string, query: string) => {
      const asked = { step_id: stepId, field, connection_id: connectionId ?? "", query, input: plainOnly(input) };
      return (await callFor(projectId)("/latest/steps/{step_id}/options", asked)).results;
    },
    [projectId, stepId, connectionId, input],
  );
  const { project, property_id: property } = plainOnly(input);
  return {
    schema: data?.input_schema,
    options: data?.options ?? noOptions,
    loadOptions: connectionId === undefined ? null : load,
    /** Changes when other options would be offered: with the account, and with what they depend on. */
    optionsKey: `${projectId} ${stepId} ${connectionId ?? ""} ${JSON.stringify(project ?? property ?? "")}`,
    problem: error,
    refetch: () => void refetch(),
  };
}

const noOptions: string[] = [];

/** Templates say nothing to the system that is asked for options. */
const plainOnly = (input: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(input).filter(([, value]) => !(typeof value === "string" && value.includes("{{"))));
