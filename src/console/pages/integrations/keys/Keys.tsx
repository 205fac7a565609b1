import { Button, Group, Text } from "@mantine/core";
import { useState } from "react";
import { LoadedList } from "../../../shell/LoadedList.tsx";
import { ProblemNotice } from "../../../shell/ProblemNotice.tsx";
import { useList } from "../../../state/use-read.ts";
import { useSearchState } from "../../../state/use-search-state.ts";
import { useWho } from "../../../state/use-who.ts";
import { useWrite } from "../../../state/use-write.ts";
import { Empty } from "../../../ui/Empty.tsx";
import { Section } from "../../../ui/Section.tsx";
import { Time } from "../../../ui/times/Time.tsx";
import { CreateKey } from "./CreateKey.tsx";
import { type ApiKey, isUsable, nameOf, roleCapOf, usableFirst } from "./describe-key.ts";
import { KeyCell } from "./KeyCell.tsx";
import { RerollKey } from "./RerollKey.tsx";
import { RevokeKey } from "./RevokeKey.tsx";

/** The person's own keys. `?new=1` opens the dialog that makes one. */
export function Keys() {
  const [isNew, setNew] = useSearchState("new");
  const [chosen, setChosen] = useState<{ key: ApiKey; to: "reroll" | "revoke" } | null>(null);
  const { data: who } = useWho();
  const list = useList("/latest/auth/keys/list", { limit: 100 }, { outsideProject: true });
  const projectsOf = ({ project_ids: ids }: ApiKey): string =>
    ids === null
      ? "All your projects"
      : ids.map((id) => who?.projects.find(({ project_id }) => project_id === id)?.name ?? id).join(", ");
  const enable = useWrite("/latest/auth/keys/enable", { outsideProject: true, changes: ["/latest/auth/keys/list"] });
  const create = <Button onClick={() => setNew("yes")}>Create an API key</Button>;
  return (
    <Section
      title="API keys"
      lead="Programs call this service with a key. It acts as you, in every project, unless you limit it."
      actions={create}
    >
      <ProblemNotice problem={enable.problem} />
      <LoadedList
        label="API keys"
        list={{ ...list, rows: list.rows && usableFirst(list.rows) }}
        keyOf={(key) => key.key_id}
        empty={
          <Empty title="No key yet">
            Create one for each program, so that you can replace or revoke it without touching the others.
          </Empty>
        }
        columns={[
          {
            title: "Key",
            cell: (key) => <KeyCell apiKey={key} />,
          },
          {
            title: "Reaches",
            isExtra: true,
            width: "12rem",
            cell: (key) => (
              <>
                <Text size="sm" dir="auto" className="anywhere" lineClamp={2}>
                  {projectsOf(key)}
                </Text>
                <Text size="sm" c="dimmed">
                  {roleCapOf(key)}
                </Text>
              </>
            ),
          },
          {
            title: "Last used",
            isExtra: true,
            width: "8.5rem",
            cell: ({ last_used_at }) => (last_used_at ? <Time at={last_used_at} /> : "Never"),
          },
          { title: "Created", isExtra: true, width: "8.5rem", cell: ({ created_at }) => <Time at={created_at} /> },
          {
            title: "Expires",
            isExtra: true,
            width: "8.5rem",
            cell: ({ expires_at }) => (expires_at ? <Time at={expires_at} /> : "Never"),
          },
          {
            title: "",
            align: "right",
            cell: (key) =>
              isUsable(key) ? (
                <Group gap={4} justify="flex-end">
                  {key.status === "active" ? (
                    <Button
                      variant="subtle"
                      size="compact-sm"
                      aria-label={`Re-roll ${nameOf(key)}`}
                      onClick={() => setChosen({ key, to: "reroll" })}
                    >
                      Re-roll
                    </Button>
                  ) : (
                    <Button
                      variant="subtle"
                      size="compact-sm"
                      aria-label={`Bring back ${nameOf(key)}`}
                      onClick={() => enable.run({ key_id: key.key_id })}
                    >
                      Bring back
                    </Button>
                  )}
                  <Button
                    variant="subtle"
                    color="red"
                    size="compact-sm"
                    aria-label={`Revoke ${nameOf(key)}`}
                    onClick={() => setChosen({ key, to: "revoke" })}
                  >
                    Revoke
                  </Button>
                </Group>
              ) : null,
          },
        ]}
      />
      {isNew === "" ? null : <CreateKey onClose={() => setNew("")} />}
      {chosen?.to === "reroll" ? <RerollKey apiKey={chosen.key} onClose={() => setChosen(null)} /> : null}
      <RevokeKey apiKey={chosen?.to === "revoke" ? chosen.key : null} onClose={() => setChosen(null)} />
    </Section>
  );
}
