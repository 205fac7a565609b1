import { Badge, Button, Group, Select, Text } from "@mantine/core";
import { useState } from "react";
import type { RecordOf } from "../../../client/wire.ts";
import { LoadedList } from "../../shell/LoadedList.tsx";
import { ProblemNotice } from "../../shell/ProblemNotice.tsx";
import { useProject } from "../../state/use-project.ts";
import { useList } from "../../state/use-read.ts";
import { useSearchState } from "../../state/use-search-state.ts";
import { type Role, useRole, useWho } from "../../state/use-who.ts";
import { useWrite } from "../../state/use-write.ts";
import { Confirm } from "../../ui/dialogs/Confirm.tsx";
import { Empty } from "../../ui/Empty.tsx";
import { Section } from "../../ui/Section.tsx";
import { Time } from "../../ui/times/Time.tsx";
import { CreateServiceKey } from "./CreateServiceKey.tsx";
import { CreateServiceUser } from "./CreateServiceUser.tsx";
import { isService, serviceUserChanges } from "./is-service.ts";
import { permissionsOf, roleOptions } from "./role.ts";
import { ServiceKeys } from "./ServiceKeys.tsx";

type ServiceUser = RecordOf<"/latest/auth/service_users/list">;

/** Accounts for programs. `?service=1` opens the dialog that makes one, `?keys=` the keys of one. */
export function ServiceUsers() {
  const { may } = useRole(useProject());
  const { data: who } = useWho();
  const isOwner = who?.user.organization_role === "owner";
  const [isNew, setNew] = useSearchState("service");
  const [keysOf, setKeysOf] = useSearchState("keys");
  const [chosen, setChosen] = useState<{ user: ServiceUser; to: "key" | "remove" } | null>(null);
  const list = useList("/latest/auth/service_users/list", { limit: 100 }, { outsideProject: true });
  const members = useList("/latest/auth/users/list", { limit: 100 });
  const roleIn = (id: string) => members.rows?.filter(isService).find(({ user_id }) => user_id === id)?.role ?? null;
  const add = useWrite("/latest/auth/service_users/add", { changes: serviceUserChanges });
  const update = useWrite("/latest/auth/users/{user_id}/update", { changes: serviceUserChanges });
  const remove = useWrite("/latest/auth/users/{user_id}/delete", {
    changes: serviceUserChanges,
    onDone: () => setChosen(null),
  });
  const setRole = (user: ServiceUser, role: Role) => {
    const wish = { user_id: user.user_id, permissions: permissionsOf(role) };
    if (roleIn(user.user_id) === null) add.run(wish);
    else update.run(wish);
  };
  const keyHolder = isOwner ? list.rows?.find(({ user_id }) => user_id === keysOf) : undefined;
  const rows = list.rows?.filter(({ active, user_id }) => active || roleIn(user_id) !== null);
  const create = isOwner ? <Button onClick={() => setNew("1")}>Create a service user</Button> : null;
  return (
    <Section
      title="Service users"
      lead="Accounts for programs. They belong to the organization, so nothing stops when a person leaves. They cannot sign in."
      actions={create}
    >
      <ProblemNotice problem={members.problem ?? add.problem ?? update.problem} />
      <LoadedList
        label="Service users"
        list={{ ...list, rows }}
        keyOf={({ user_id }) => user_id}
        empty={
          <Empty title="No service user yet">
            {isOwner
              ? "Create one for each program that should keep working when a person leaves."
              : "The owner of the organization creates them."}
          </Empty>
        }
        columns={[
          {
            title: "Service user",
            cell: (user) => (
              <>
                <Group gap="xs">
                  <Text fw={600} dir="auto" className="anywhere">
                    {user.name}
                  </Text>
                  {user.active ? null : <Badge color="red">deactivated</Badge>}
                </Group>
                <Text size="xs" c="dimmed" className="mono anywhere">
                  {user.user_id}
                </Text>
              </>
            ),
          },
          {
            title: "Role here",
            width: "11rem",
            cell: (user) => (
              <Select
                aria-label={`Role of ${user.name}`}
                placeholder="Not in this project"
                data={roleOptions}
                value={roleIn(user.user_id)}
                disabled={!may("admin") || !user.active || add.isRunning || update.isRunning}
                allowDeselect={false}
                size="xs"
                onChange={(role) => role && role !== roleIn(user.user_id) && setRole(user, role as Role)}
              />
            ),
          },
          { title: "Since", isExtra: true, width: "9rem", cell: ({ created_at }) => <Time at={created_at} /> },
          {
            title: "",
            width: "14rem",
            align: "right",
            cell: (user) => (
              <Group gap={4} justify="flex-end" wrap="nowrap">
                {isOwner ? (
                  <Button
                    variant="subtle"
                    size="compact-sm"
                    aria-label={`Keys of ${user.name}`}
                    onClick={() => setKeysOf(user.user_id)}
                  >
                    Keys
                  </Button>
                ) : null}
                {may("admin") && roleIn(user.user_id) !== null ? (
                  <Button
                    variant="subtle"
                    color="red"
                    size="compact-sm"
                    aria-label={`Remove ${user.name}`}
                    onClick={() => setChosen({ user, to: "remove" })}
                  >
                    Remove
                  </Button>
                ) : null}
              </Group>
            ),
          },
        ]}
      />
      {isOwner && isNew === "1" ? <CreateServiceUser onClose={() => setNew("")} /> : null}
      {keyHolder ? (
        <ServiceKeys
          user={keyHolder}
          onNew={() => setChosen({ user: keyHolder, to: "key" })}
          onClose={() => setKeysOf("")}
        />
      ) : null}
      {chosen?.to === "key" ? <CreateServiceKey user={chosen.user} onClose={() => setChosen(null)} /> : null}
      <Confirm
        opened={chosen?.to === "remove"}
        title={`Remove ${chosen?.user.name ?? ""}?`}
        action="Remove from the project"
        isDangerous
        isRunning={remove.isRunning}
        onConfirm={() => chosen && remove.run({ user_id: chosen.user.user_id })}
        onClose={() => {
          remove.reset();
          setChosen(null);
        }}
      >
        <ProblemNotice problem={remove.problem} />
        <Text size="sm">
          Programs that use its keys lose access to this project at once. It stays in the organization and in its other
          projects.
        </Text>
      </Confirm>
    </Section>
  );
}
