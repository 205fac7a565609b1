import { Skeleton, Stack, Text } from "@mantine/core";
import { useEffect } from "react";
import { ProblemNotice } from "../../../shell/ProblemNotice.tsx";
import { useDraft } from "../../../state/use-draft.ts";
import { useRead } from "../../../state/use-read.ts";
import { Modal } from "../../../ui/dialogs/Dialog.tsx";
import type { Account, SystemRecord } from "../accounts/describe-account.ts";
import { ChooseSystem } from "./ChooseSystem.tsx";
import { Connected } from "./Connected.tsx";
import { type ConnectDraft, ConnectForm } from "./ConnectForm.tsx";
import { ConsentWaiting } from "./ConsentWaiting.tsx";
import { useConnect } from "./use-consent.ts";

interface ConnectDialogProps {
  systems: SystemRecord[];
  /** A system's id, an account's id to reconnect, or anything else: then the person chooses a system first. */
  chosen: string;
  onChoose: (system: string) => void;
  onClose: () => void;
}

const noDraft: ConnectDraft = { instance: "", way: "", label: "", address: "", quota: "" };

export function ConnectDialog({ systems, chosen, onChoose, onClose }: ConnectDialogProps) {
  const isReconnect = chosen.startsWith("con_");
  const existing = useRead(
    "/latest/connections/{connection_id}/get",
    { connection_id: chosen },
    { when: isReconnect, staleTime: 60_000 },
  );
  const account: Account | undefined = isReconnect ? existing.data : undefined;
  const system = systems.find(({ system: id }) => id === (account?.system ?? chosen));
  const connect = useConnect();
  const [draft, setDraft, clearDraft] = useDraft<ConnectDraft>("connect", noDraft);
  const isDone = connect.connectionId !== null;
  useEffect(() => {
    if (isDone) clearDraft();
  }, [isDone, clearDraft]);
  const title = isReconnect
    ? `Reconnect ${account?.label ?? ""}`
    : system
      ? `Connect an account of ${system.title}`
      : "Connect an account";
  return (
    <Modal
      opened
      onClose={() => {
        connect.cancel();
        onClose();
      }}
      title={title}
      size="lg"
      closeOnClickOutside={false}
      closeButtonProps={{ "aria-label": "Close" }}
    >
      <Stack gap="md">
        <ProblemNotice problem={connect.problem ?? existing.error} />
        {isReconnect && existing.isLoading ? <Skeleton height={160} aria-label="Loading" /> : null}
        {connect.connectionId !== null ? (
          <Connected connectionId={connect.connectionId} onClose={onClose} />
        ) : connect.consent !== null ? (
          <ConsentWaiting connect={connect} consent={connect.consent} title={system?.title ?? "the system"} />
        ) : (
          <>
            {account ? (
              <Text size="sm">
                The account keeps its id: tools, agents and schedules that use it work again as soon as it is back.
              </Text>
            ) : null}
            {system || isReconnect ? null : <ChooseSystem systems={systems} onChoose={onChoose} />}
            {system ? (
              <ConnectForm
                key={`${system.system} ${account?.connection_id ?? ""}`}
                system={system}
                account={account}
                connect={connect}
                draft={draft}
                setDraft={setDraft}
              />
            ) : null}
          </>
        )}
      </Stack>
    </Modal>
  );
}
