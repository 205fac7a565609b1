import { Button, Group, Text, Title } from "@mantine/core";
import { useState } from "react";
import { ProblemNotice } from "../../../shell/ProblemNotice.tsx";
import { useWrite } from "../../../state/use-write.ts";
import { Confirm } from "../../../ui/dialogs/Confirm.tsx";
import { SecretOnce } from "../../../ui/dialogs/SecretOnce.tsx";
import { NarrowLabel } from "../../../ui/rows/NarrowLabel.tsx";
import { RowList } from "../../../ui/rows/RowList.tsx";
import { StateBadge } from "../../../ui/StateBadge.tsx";
import { Time } from "../../../ui/times/Time.tsx";
import { outside } from "../organization.ts";
import { type DirectoryToken, directoryReads } from "./directory.ts";

const states = {
  active: { tone: "good", text: "Active" },
  expired: { tone: "warn", text: "Expired" },
  revoked: { tone: "info", text: "Revoked" },
} as const;

/** The tokens with which the provider calls. A token is shown once. */
export function DirectoryTokens({ directoryId, tokens }: { directoryId: string; tokens: DirectoryToken[] }) {
  const [asking, setAsking] = useState<DirectoryToken | "replace" | null>(null);
  const changes = [...directoryReads];
  const onDone = () => setAsking(null);
  const rotate = useWrite("/latest/directory/tokens/rotate", { ...outside, changes, onDone });
  const revoke = useWrite("/latest/directory/tokens/revoke", { ...outside, changes, onDone });
  return (
    <div>
      <Group justify="space-between" mb="xs">
        <Title order={3} size="h5">
          Tokens
        </Title>
        <Button variant="default" size="compact-sm" onClick={() => setAsking("replace")}>
          Replace the token
        </Button>
      </Group>
      {rotate.output ? <SecretOnce label="New token of the directory" secret={rotate.output.scim_token} /> : null}
      <RowList
        label="Tokens of the directory"
        rows={tokens}
        keyOf={({ token_id }) => token_id}
        empty={<Text size="sm">No token: the provider cannot send anything.</Text>}
        columns={[
          { title: "Token", cell: ({ hint }) => <span className="mono">…{hint}</span> },
          { title: "State", cell: ({ status }) => <StateBadge {...states[status]} /> },
          {
            title: "Last used",
            cell: ({ last_used_at }) => (
              <>
                <NarrowLabel>Last used</NarrowLabel>
                {last_used_at ? <Time at={last_used_at} /> : "Never"}
              </>
            ),
          },
          {
            title: "Until",
            isExtra: true,
            cell: ({ expires_at }) => (expires_at ? <Time at={expires_at} /> : "for good"),
          },
          {
            title: "",
            align: "right",
            width: "6rem",
            cell: (token) =>
              token.status === "active" ? (
                <Button
                  variant="subtle"
                  color="red"
                  size="compact-sm"
                  aria-label={`Revoke the token …${token.hint}`}
                  onClick={() => setAsking(token)}
                >
                  Revoke
                </Button>
              ) : null,
          },
        ]}
      />
      <Confirm
        opened={asking === "replace"}
        title="Replace the token?"
        action="Make a new token"
        isRunning={rotate.isRunning}
        onConfirm={() => rotate.run({ directory_id: directoryId })}
        onClose={onDone}
      >
        <ProblemNotice problem={rotate.problem} />
        <Text size="sm">
          You are shown a new token once. The old ones work for one more day, so that nothing is lost meanwhile.
        </Text>
      </Confirm>
      <Confirm
        opened={asking !== null && asking !== "replace"}
        title="Revoke the token?"
        action="Revoke"
        isDangerous
        isRunning={revoke.isRunning}
        onConfirm={() => {
          if (asking !== null && asking !== "replace")
            revoke.run({ directory_id: directoryId, token_id: asking.token_id });
        }}
        onClose={onDone}
      >
        <ProblemNotice problem={revoke.problem} />
        <Text size="sm">It stops working at once and for good. A provider that uses it can send nothing any more.</Text>
      </Confirm>
    </div>
  );
}
