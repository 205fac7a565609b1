import { Badge, Button, Stack, Text, Textarea, TextInput } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import type { FormEvent } from "react";
import { paths } from "../paths.ts";
import { LoadedList } from "../shell/LoadedList.tsx";
import { ProblemNotice } from "../shell/ProblemNotice.tsx";
import { useDraft } from "../state/use-draft.ts";
import { useList } from "../state/use-read.ts";
import { useSearchState } from "../state/use-search-state.ts";
import { type Role, useWho } from "../state/use-who.ts";
import { useWrite } from "../state/use-write.ts";
import { Modal } from "../ui/dialogs/Dialog.tsx";
import { Empty } from "../ui/Empty.tsx";
import { Page } from "../ui/Page.tsx";
import { Time } from "../ui/times/Time.tsx";
import { roleLabel } from "./people/role.ts";

/** `?new=1` opens the dialog that makes one. */
export function ProjectsPage() {
  const list = useList("/latest/projects/list", { limit: 100 }, { outsideProject: true });
  const { data: who } = useWho();
  const navigate = useNavigate();
  const [isNew, setNew] = useSearchState("new");
  const open = () => setNew("1");
  const roleOf = (projectId: string): string => {
    const role = who?.projects.find(({ project_id }) => project_id === projectId)?.role;
    return role ? roleLabel(role as Role) : "Owner";
  };
  return (
    <Page
      title="Projects"
      lead="A project holds people, connected accounts, tools and runs. People see only the projects they belong to."
      actions={<Button onClick={open}>Create a project</Button>}
    >
      <LoadedList
        label="Projects"
        list={list}
        keyOf={(project) => project.project_id}
        onOpen={(project) => void navigate({ to: paths.home(project.project_id) } as never)}
        empty={
          <Empty title="No project yet" action={<Button onClick={open}>Create a project</Button>}>
            Create one, or ask an admin of a project for an invite.
          </Empty>
        }
        columns={[
          {
            title: "Name",
            cell: (project) => (
              <>
                <Text fw={600} dir="auto">
                  {project.name}
                </Text>
                {project.description ? (
                  <Text size="sm" c="dimmed" lineClamp={1} dir="auto">
                    {project.description}
                  </Text>
                ) : null}
              </>
            ),
          },
          {
            title: "Your role",
            cell: ({ project_id }) => <Badge variant="light">{roleOf(project_id)}</Badge>,
            width: "8rem",
          },
          { title: "Created", cell: ({ created_at }) => <Time at={created_at} />, isExtra: true, width: "9rem" },
        ]}
      />
      <CreateProject opened={isNew === "1"} onClose={() => setNew("")} organizationId={who?.organization_id} />
    </Page>
  );
}

interface CreateProjectProps {
  opened: boolean;
  onClose: () => void;
  organizationId: string | undefined;
}

const noDraft = { name: "", description: "" };

function CreateProject({ opened, onClose, organizationId }: CreateProjectProps) {
  const navigate = useNavigate();
  const [draft, setDraft, clear] = useDraft("project", noDraft);
  const { name, description } = draft;
  const create = useWrite("/latest/projects/create", {
    outsideProject: true,
    changes: ["/latest/projects/list", "/latest/auth/info"],
    onDone: ({ project_id }) => {
      clear();
      void navigate({ to: paths.home(project_id), search: {} } as never);
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (organizationId) create.run({ name, description, organization_id: organizationId });
  };
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      title="Create a project"
      centered
      closeButtonProps={{ "aria-label": "Close" }}
    >
      <form onSubmit={submit}>
        <Stack gap="md">
          <ProblemNotice problem={create.problem} />
          <TextInput
            label="Name"
            value={name}
            onChange={(event) => setDraft({ ...draft, name: event.currentTarget.value })}
            required
            maxLength={200}
            data-autofocus
          />
          <Textarea
            label="Description"
            description="What the project is for, for the people in it."
            value={description}
            onChange={(event) => setDraft({ ...draft, description: event.currentTarget.value })}
            maxLength={2000}
            autosize
            minRows={2}
          />
          <Button
            type="submit"
            loading={create.isRunning}
            disabled={name.trim() === "" || organizationId === undefined}
          >
            Create the project
          </Button>
        </Stack>
      </form>
    </Modal>
  );
}
