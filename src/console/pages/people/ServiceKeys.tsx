import { Button, Group, Stack, Text } from "@mantine/core";
import { useState } from "react";
import { LoadedList } from "../../shell/LoadedList.tsx";
import { useList } from "../../state/use-read.ts";
import { Drawer } from "../../ui/dialogs/Dialog.tsx";
import { Empty } from "../../ui/Empty.tsx";
import { NarrowLabel } from "../../ui/rows/NarrowLabel.tsx";
import { Time } from "../../ui/times/Time.tsx";
import { type ApiKey, isUsable, nameOf, usableFirst } from "../integrations/keys/describe-key.ts";
import { KeyCell } from "../integrations/keys/KeyCell.tsx";
import { RevokeKey } from "../integrations/keys/RevokeKey.tsx";

interface ServiceKeysProps {
  user: { user_id: string; name: string; active: boolean };
  onNew: () => void;
  onClose: () => void;
}

/** The keys of a service user, for the owner of the organization. */
export function ServiceKeys({ user, onNew, onClose }: ServiceKeysProps) {
  const [revoked, setRevoked] = useState<ApiKey | null>(null);
  const list = useList(
    "/latest/auth/service_users/list_keys",
    { user_id: user.user_id, limit: 100 },
    { outsideProject: true },
  );
  return (
    <Drawer
      opened
      onClose={onClose}
      position="right"
      size="44rem"
      title={`Keys of ${user.name}`}
      closeButtonProps={{ "aria-label": "Close" }}
    >
      <Stack gap="md">
        <Text size="sm" c="dimmed">
          Programs act as this service user with these keys. A key is shown once, when it is made.
        </Text>
        <LoadedList
          label={`Keys of ${user.name}`}
          list={{ ...list, rows: list.rows && usableFirst(list.rows) }}
          keyOf={({ key_id }) => key_id}
          empty={<Empty title="No key">Without a key, no program acts as it. Make a new one.</Empty>}
          columns={[
            {
              title: "Key",
              cell: (key) => <KeyCell apiKey={key} />,
            },
            {
              title: "Last used",
              width: "8rem",
              cell: ({ last_used_at }) => (
                <>
                  <NarrowLabel>Last used</NarrowLabel>
                  {last_used_at ? <Time at={last_used_at} /> : "Never"}
                </>
              ),
            },
            {
              title: "Expires",
              width: "8rem",
              cell: ({ expires_at }) => (
                <>
                  <NarrowLabel>Expires</NarrowLabel>
                  {expires_at ? <Time at={expires_at} /> : "Never"}
                </>
              ),
            },
            {
              title: "",
              width: "6rem",
              align: "right",
              cell: (key) =>
                isUsable(key) ? (
                  <Button
                    variant="subtle"
                    color="red"
                    size="compact-sm"
                    aria-label={`Revoke ${nameOf(key)}`}
                    onClick={() => setRevoked(key)}
                  >
                    Revoke
                  </Button>
                ) : null,
            },
          ]}
        />
        {user.active ? (
          <Group>
            <Button variant="default" onClick={onNew}>
              New key
            </Button>
          </Group>
        ) : null}
      </Stack>
      <RevokeKey apiKey={revoked} onClose={() => setRevoked(null)} />
    </Drawer>
  );
}
