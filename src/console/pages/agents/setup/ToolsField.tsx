import { MultiSelect } from "@mantine/core";
import type { FieldMistake } from "../../../../client/problem.ts";
import { useNames } from "../../runs/use-names.ts";

interface ToolsFieldProps {
  tools: string[];
  onChange: (tools: string[]) => void;
  mistakes: readonly FieldMistake[];
}

/** The tools that an agent may run. Each is a run of its own. */
export function ToolsField({ tools, onChange, mistakes }: ToolsFieldProps) {
  const names = useNames();
  const gone = tools.filter((id) => names.find(id) === null).map((value) => ({ value, label: value }));
  const own = mistakes.filter(({ pointer }) => /^#?\/tools\//.test(pointer)).map(({ detail }) => detail);
  return (
    <MultiSelect
      label="Tools"
      description="Tools of this project that it may run."
      placeholder={tools.length === 0 ? "None" : ""}
      data={[...names.tools, ...gone]}
      value={tools}
      onChange={onChange}
      error={own.join(" ") || null}
      searchable
      clearable
      nothingFoundMessage="No tool has this name."
    />
  );
}
