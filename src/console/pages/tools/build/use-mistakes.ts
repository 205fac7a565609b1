import { useDebouncedValue } from "@mantine/hooks";
import type { FieldMistake } from "../../../../client/problem.ts";
import { useRead } from "../../../state/use-read.ts";
import type { Definition } from "../tool.ts";

export interface Mistakes {
  errors: FieldMistake[];
  warnings: FieldMistake[];
  /** False while the last change is still to be checked. */
  isChecked: boolean;
}

const none: FieldMistake[] = [];

/** Mistakes while typing, by the server's own rules. */
export function useMistakes(definition: Definition): Mistakes {
  const [settled] = useDebouncedValue(definition, 350);
  const { data, isFetching } = useRead("/latest/tools/validate", settled, { keep: true, staleTime: 30_000 });
  return {
    errors: data?.errors ?? none,
    warnings: data?.warnings ?? none,
    isChecked: settled === definition && !isFetching && data !== undefined,
  };
}
