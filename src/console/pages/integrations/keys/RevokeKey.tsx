import { Text } from "@mantine/core";
import { ProblemNotice } from "../../../shell/ProblemNotice.tsx";
import { useWrite } from "../../../state/use-write.ts";
import { Confirm } from "../../../ui/dialogs/Confirm.tsx";
import { Time } from "../../../ui/times/Time.tsx";
import { type ApiKey, nameOf } from "./describe-key.ts";

/** Asks, then revokes the key for good. */
export function RevokeKey({ apiKey, onClose }: { apiKey: ApiKey | null; onClose: () => void }) {
  const revoke = useWrite("/latest/auth/keys/revoke", {
    outsideProject: true,
    changes: ["/latest/auth/keys/list", "/latest/auth/service_users/list_keys"],
    onDone: onClose,
  });
  const close = () => {
    revoke.reset();
    onClose();
  };
  return (
    <Confirm
      opened={apiKey !== null}
      title={apiKey ? `Revoke ${nameOf(apiKey)}?` : "Revoke"}
      action="Revoke the key"
      isDangerous
      isRunning={revoke.isRunning}
      onConfirm={() => apiKey && revoke.run({ key_id: apiKey.key_id })}
      onClose={close}
    >
      <ProblemNotice problem={revoke.problem} />
      <Text size="sm">
        Programs that use it are refused from the next call on. A revoked key cannot be restored.{" "}
        {apiKey?.last_used_at ? (
          <>
            It was last used <Time at={apiKey.last_used_at} />.
          </>
        ) : (
          "It was never used."
        )}
      </Text>
    </Confirm>
  );
}
