import { Button, Group, Select, Stack, Text, Title } from "@mantine/core";
import { useState } from "react";
import type { RecordOf } from "../../../../client/wire.ts";
import { LoadedList } from "../../../shell/LoadedList.tsx";
import { ProblemNotice } from "../../../shell/ProblemNotice.tsx";
import { useList } from "../../../state/use-read.ts";
import { type Role, useWho } from "../../../state/use-who.ts";
import { useWrite } from "../../../state/use-write.ts";
import { Modal } from "../../../ui/dialogs/Dialog.tsx";
import { permissionsOf, roleOf, roleOptions } from "../../people/role.ts";
import { outside } from "../organization.ts";

type DirectoryGroup = RecordOf<"/latest/directory/groups/list">;

/** The directory's groups, and the projects that their members are in. */
export function DirectoryGroups({ directoryId }: { directoryId: string }) {
  const list = useList("/latest/directory/groups/list", { directory_id: directoryId, limit: 100 }, outside);
  const { data: who } = useWho();
  const [open, setOpen] = useState<DirectoryGroup | null>(null);
  const nameOf = (id: string) => who?.projects.find(({ project_id }) => project_id === id)?.name ?? id;
  return (
    <div>
      <Title order={3} size="h5" mb="xs">
        Groups
      </Title>
      <LoadedList
        label="Groups of the directory"
        list={list}
        keyOf={({ group_id }) => group_id}
        empty={null}
        columns={[
          {
            title: "Group",
            cell: ({ display_name, members }) => (
              <>
                <Text size="sm" fw={600} dir="auto">
                  {display_name}
                </Text>
                <Text size="xs" c="dimmed">
                  {members} {members === 1 ? "person" : "people"}
                </Text>
              </>
            ),
          },
          {
            title: "Its members are",
            cell: ({ roles }) => (
              <Text size="sm">
                {roles.map((role) => `${roleOf(role.permissions as never)} of ${nameOf(role.project_id)}`).join(", ") ||
                  "in no project"}
              </Text>
            ),
          },
          {
            title: "",
            width: "6rem",
            align: "right",
            cell: (group) => (
              <Button
                variant="subtle"
                size="compact-sm"
                aria-label={`Change what ${group.display_name} gives`}
                onClick={() => setOpen(group)}
              >
                Change
              </Button>
            ),
          },
        ]}
      />
      {open ? <GroupRoles group={open} onClose={() => setOpen(null)} /> : null}
    </div>
  );
}

function GroupRoles({ group, onClose }: { group: DirectoryGroup; onClose: () => void }) {
  const { data: who } = useWho();
  const [roles, setRoles] = useState<Record<string, Role>>(
    Object.fromEntries(group.roles.map((role) => [role.project_id, roleOf(role.permissions as never)])),
  );
  const save = useWrite("/latest/directory/groups/{group_id}/roles", {
    ...outside,
    changes: ["/latest/directory/groups/list", "/latest/auth/users/list"],
    onDone: onClose,
  });
  const submit = () =>
    save.run({
      group_id: group.group_id,
      directory_id: group.directory_id,
      roles: Object.entries(roles).map(([project_id, role]) => ({ project_id, permissions: permissionsOf(role) })),
    });
  return (
    <Modal
      opened
      onClose={onClose}
      title={`What ${group.display_name} gives`}
      centered
      closeButtonProps={{ "aria-label": "Close" }}
    >
      <Stack gap="md">
        <ProblemNotice problem={save.problem} />
        <Text size="sm">Everyone in the group has these roles, and loses them with the group.</Text>
        {who?.projects.map(({ project_id, name }) => (
          <Select
            key={project_id}
            label={name}
            placeholder="Not in the project"
            data={roleOptions}
            value={roles[project_id] ?? null}
            clearable
            onChange={(role) => {
              const { [project_id]: _, ...others } = roles;
              setRoles(role === null ? others : { ...others, [project_id]: role as Role });
            }}
          />
        ))}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button onClick={submit} loading={save.isRunning}>
            Save
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
