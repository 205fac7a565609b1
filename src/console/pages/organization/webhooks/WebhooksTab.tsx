import { Select, Stack } from "@mantine/core";
import { lastProject } from "../../../state/last-project.ts";
import { useSearchState } from "../../../state/use-search-state.ts";
import { useWho } from "../../../state/use-who.ts";
import { Empty } from "../../../ui/Empty.tsx";
import { WebhookList } from "./WebhookList.tsx";

/** A webhook belongs to a project, also one that hears of the whole organization. `?project=` says which. */
export function WebhooksTab() {
  const { data: who } = useWho();
  const [chosen, setProject] = useSearchState("project");
  const isOwner = who?.user.organization_role === "owner";
  const projects = who?.projects.filter(({ role }) => isOwner || role === "admin") ?? [];
  const isKnown = (id: string | null) => projects.some(({ project_id }) => project_id === id);
  const projectId = [chosen, lastProject(), projects[0]?.project_id].find((id) => id && isKnown(id)) ?? null;
  if (who === undefined) return null;
  if (projectId === null) {
    return <Empty title="No project whose admin you are">Admins of a project see and change its webhooks.</Empty>;
  }
  return (
    <Stack gap="lg">
      <Select
        label="Project"
        data={projects.map(({ project_id, name }) => ({ value: project_id, label: name }))}
        value={projectId}
        onChange={(value) => value && setProject(value)}
        allowDeselect={false}
        searchable
        maw="24rem"
      />
      <WebhookList key={projectId} projectId={projectId} isOwner={isOwner} />
    </Stack>
  );
}
