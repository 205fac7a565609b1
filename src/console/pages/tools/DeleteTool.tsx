import { Text } from "@mantine/core";
import { ProblemNotice } from "../../shell/ProblemNotice.tsx";
import { useWrite } from "../../state/use-write.ts";
import { Confirm } from "../../ui/dialogs/Confirm.tsx";
import type { Tool } from "./tool.ts";

interface DeleteToolProps {
  tool: Tool | null;
  onClose: () => void;
  onDeleted?: () => void;
}

export function DeleteTool({ tool, onClose, onDeleted }: DeleteToolProps) {
  const remove = useWrite("/latest/tools/{tool_id}/delete", {
    changes: ["/latest/tools/list", "/latest/schedules/list"],
    onDone: () => {
      onClose();
      onDeleted?.();
    },
  });
  return (
    <Confirm
      opened={tool !== null}
      title={`Delete ${tool?.title ?? ""}?`}
      action="Delete the tool"
      isDangerous
      isRunning={remove.isRunning}
      onConfirm={() => tool && remove.run({ tool_id: tool.tool_id })}
      onClose={onClose}
    >
      <ProblemNotice problem={remove.problem} />
      <Text size="sm">
        Its schedules are deleted with it, and agents can no longer run it. Its runs stay readable, and those under way
        continue. This cannot be undone.
      </Text>
    </Confirm>
  );
}
