import { Badge, Button, Group, Select, Text } from "@mantine/core";
import { useState } from "react";
import type { RecordOf } from "../../../../client/wire.ts";
import { LoadedList } from "../../../shell/LoadedList.tsx";
import { ProblemNotice } from "../../../shell/ProblemNotice.tsx";
import { useList } from "../../../state/use-read.ts";
import { useWho } from "../../../state/use-who.ts";
import { useWrite } from "../../../state/use-write.ts";
import { Confirm } from "../../../ui/dialogs/Confirm.tsx";
import { Section } from "../../../ui/Section.tsx";
import { outside } from "../organization.ts";

type Person = RecordOf<"/latest/organizations/users/list">;

const roles = [
  { value: "owner", label: "Owner" },
  { value: "member", label: "Member" },
];
const changes = ["/latest/organizations/users/list", "/latest/auth/info"] as const;

/** Everyone in the organization: who owns it, and who is locked out. */
export function OrganizationPeople() {
  const list = useList("/latest/organizations/users/list", { limit: 100 }, outside);
  const { data: who } = useWho();
  const [leaving, setLeaving] = useState<Person | null>(null);
  const update = useWrite("/latest/organizations/users/update", { ...outside, changes: [...changes] });
  const reactivate = useWrite("/latest/organizations/users/reactivate", { ...outside, changes: [...changes] });
  const deactivate = useWrite("/latest/organizations/users/deactivate", {
    ...outside,
    changes: [...changes],
    onDone: () => setLeaving(null),
  });
  const owners = list.rows?.filter(({ organization_role, active }) => organization_role === "owner" && active) ?? [];
  const isLastOwner = ({ user_id }: Person) => owners.length === 1 && owners[0]?.user_id === user_id && !list.hasMore;
  return (
    <Section title="People" lead="Owners change what is on this page, and repair projects that have no admin.">
      <ProblemNotice problem={update.problem ?? reactivate.problem} />
      <LoadedList
        label="People of the organization"
        list={list}
        keyOf={({ user_id }) => user_id}
        empty={null}
        columns={[
          {
            title: "Person",
            cell: (person) => (
              <Group gap="xs">
                <Text size="sm" fw={600} className="anywhere">
                  {person.email ?? person.name}
                </Text>
                {person.user_id === who?.user_id ? <Badge variant="light">you</Badge> : null}
                {person.active ? null : <Badge color="red">deactivated</Badge>}
              </Group>
            ),
          },
          {
            title: "Role",
            width: "10rem",
            cell: (person) => (
              <div>
                <Select
                  aria-label={`Role of ${person.email ?? person.name}`}
                  data={roles}
                  value={person.organization_role}
                  size="xs"
                  allowDeselect={false}
                  disabled={isLastOwner(person) || !person.active || update.isRunning}
                  onChange={(role) => {
                    if (role === null || role === person.organization_role) return;
                    update.run({ user_id: person.user_id, organization_role: role as "owner" | "member" });
                  }}
                />
                {isLastOwner(person) ? (
                  <Text size="xs" c="dimmed">
                    The last owner
                  </Text>
                ) : null}
              </div>
            ),
          },
          {
            title: "",
            width: "8rem",
            align: "right",
            cell: (person) =>
              person.active ? (
                <Button
                  variant="subtle"
                  color="red"
                  size="compact-sm"
                  disabled={isLastOwner(person) || person.user_id === who?.user_id}
                  aria-label={`Deactivate ${person.email ?? person.name}`}
                  onClick={() => setLeaving(person)}
                >
                  Deactivate
                </Button>
              ) : (
                <Button
                  variant="subtle"
                  size="compact-sm"
                  aria-label={`Reactivate ${person.email ?? person.name}`}
                  onClick={() => reactivate.run({ user_id: person.user_id })}
                >
                  Reactivate
                </Button>
              ),
          },
        ]}
      />
      <Confirm
        opened={leaving !== null}
        title={`Deactivate ${leaving?.email ?? ""}?`}
        action="Deactivate"
        isDangerous
        isRunning={deactivate.isRunning}
        onConfirm={() => leaving && deactivate.run({ user_id: leaving.user_id })}
        onClose={() => setLeaving(null)}
      >
        <ProblemNotice problem={deactivate.problem} />
        <Text size="sm">
          They are locked out at once: their sessions end, their API keys stop working, and their open invites are
          withdrawn. Nothing they made is deleted. You can reactivate them later.
        </Text>
      </Confirm>
    </Section>
  );
}
