import { Badge, Button, Group, Select, Text } from "@mantine/core";
import { useState } from "react";
import type { RecordOf } from "../../../client/wire.ts";
import { LoadedList } from "../../shell/LoadedList.tsx";
import { ProblemNotice } from "../../shell/ProblemNotice.tsx";
import { useProject } from "../../state/use-project.ts";
import { useList } from "../../state/use-read.ts";
import { type Role, useRole, useWho } from "../../state/use-who.ts";
import { useWrite } from "../../state/use-write.ts";
import { Confirm } from "../../ui/dialogs/Confirm.tsx";
import { Empty } from "../../ui/Empty.tsx";
import { Section } from "../../ui/Section.tsx";
import { Time } from "../../ui/times/Time.tsx";
import { isService } from "./is-service.ts";
import { permissionsOf, roleOptions } from "./role.ts";

type Member = RecordOf<"/latest/auth/users/list">;

const fromDirectory = "Comes from a group of your organization's directory. Change it there.";

export function Members() {
  const { may } = useRole(useProject());
  const { data: who } = useWho();
  const list = useList("/latest/auth/users/list", { limit: 100 });
  const [removing, setRemoving] = useState<Member | null>(null);
  const changes = ["/latest/auth/users/list", "/latest/auth/info"] as const;
  const update = useWrite("/latest/auth/users/{user_id}/update", { changes: [...changes] });
  const remove = useWrite("/latest/auth/users/{user_id}/delete", {
    changes: [...changes],
    onDone: () => setRemoving(null),
  });
  const people = list.rows?.filter((member) => !isService(member));
  const admins = list.rows?.filter(({ role, active }) => role === "admin" && active) ?? [];
  const isLastAdmin = (member: Member) => admins.length === 1 && admins[0]?.user_id === member.user_id && !list.hasMore;
  const whyFixed = (member: Member): string | null => {
    if (!may("admin")) return "Only an admin can change roles.";
    if (member.managed) return fromDirectory;
    if (isLastAdmin(member)) return "The last admin. Make another person admin first.";
    return null;
  };
  return (
    <Section title="Members">
      <ProblemNotice problem={update.problem} />
      <LoadedList
        label="Members"
        list={{ ...list, rows: people }}
        keyOf={(member) => member.user_id}
        empty={<Empty title="Nobody yet">Invite the first person.</Empty>}
        columns={[
          {
            title: "Person",
            cell: (member) => (
              <Group gap="xs">
                <Text fw={600} className="anywhere">
                  {member.email}
                </Text>
                {member.user_id === who?.user_id ? <Badge variant="light">you</Badge> : null}
                {member.active ? null : <Badge color="red">deactivated</Badge>}
                {member.managed ? <Badge variant="outline">directory</Badge> : null}
              </Group>
            ),
          },
          {
            title: "Role",
            width: "15rem",
            cell: (member) => {
              const why = whyFixed(member);
              return (
                <div>
                  <Select
                    aria-label={`Role of ${member.email}`}
                    data={roleOptions}
                    value={member.role}
                    disabled={why !== null || update.isRunning}
                    allowDeselect={false}
                    size="xs"
                    onChange={(role) => {
                      if (role === null || role === member.role) return;
                      update.run({ user_id: member.user_id, permissions: permissionsOf(role as Role) });
                    }}
                  />
                  {why !== null && may("admin") ? (
                    <Text size="xs" c="dimmed">
                      {why}
                    </Text>
                  ) : null}
                </div>
              );
            },
          },
          { title: "Since", isExtra: true, width: "9rem", cell: ({ created_at }) => <Time at={created_at} /> },
          {
            title: "",
            width: "6rem",
            align: "right",
            cell: (member) =>
              may("admin") ? (
                <Button
                  variant="subtle"
                  color="red"
                  size="compact-sm"
                  disabled={whyFixed(member) !== null}
                  aria-label={`Remove ${member.email}`}
                  onClick={() => setRemoving(member)}
                >
                  Remove
                </Button>
              ) : null,
          },
        ]}
      />
      <Confirm
        opened={removing !== null}
        title={`Remove ${removing?.email ?? ""}?`}
        action="Remove from the project"
        isDangerous
        isRunning={remove.isRunning}
        onConfirm={() => removing && remove.run({ user_id: removing.user_id })}
        onClose={() => setRemoving(null)}
      >
        <ProblemNotice problem={remove.problem} />
        <Text size="sm">
          They lose access to this project at once, also with their API keys. They keep their account and their other
          projects. Open invites that they sent here are withdrawn.
        </Text>
      </Confirm>
    </Section>
  );
}
