import { Code, Text } from "@mantine/core";
import { useProject } from "../../../state/use-project.ts";

/** The header in which calls in this project send a key. */
export function KeyHeader() {
  const projectId = useProject();
  return (
    <div>
      <Text size="sm">Send it with calls in this project, in this header:</Text>
      <Code block className="json">{`Authorization: Bearer ${projectId}:<api_key>`}</Code>
    </div>
  );
}
