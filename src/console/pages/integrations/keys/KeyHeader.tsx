import { Code, Text } from "@mantine/core";
import { useProject } from "../../../state/use-project.ts";

/** The header in which calls in this project send a key. */
export function KeyHeader() {
  const projectId = useProject();
  return (
    <div>
      <Text size="sm">Calls in this project send it so:</Text>
      <Code block className="json">{`Authorization: Bearer ${projectId}:<api_key>`}</Code>
    </div>
  );
}
