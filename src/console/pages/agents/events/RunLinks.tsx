import { Anchor, Group, Text } from "@mantine/core";
import { paths } from "../../../paths.ts";
import { AppLink } from "../../../shell/AppLink.tsx";
import { useProject } from "../../../state/use-project.ts";

const shownRuns = 3;

/** The runs that an event started. */
export function RunLinks({ runIds }: { runIds: readonly string[] }) {
  const projectId = useProject();
  return (
    <Group gap={6}>
      {runIds.slice(0, shownRuns).map((id) => (
        <Anchor key={id} component={AppLink} to={paths.run(projectId, id)} size="sm" title={id}>
          Run …{id.slice(-6)}
        </Anchor>
      ))}
      {runIds.length > shownRuns ? <Text size="sm">and {runIds.length - shownRuns} more</Text> : null}
    </Group>
  );
}
