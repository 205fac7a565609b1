import { Button, Group, Select } from "@mantine/core";
import type { RecordOf } from "../../../../client/wire.ts";
import { paths } from "../../../paths.ts";
import { AppLink } from "../../../shell/AppLink.tsx";
import { useProject } from "../../../state/use-project.ts";
import { useRead } from "../../../state/use-read.ts";

export type Connection = RecordOf<"/latest/connections/list">;

/** The project's accounts, removed ones included. */
export const useConnectionsRead = () => useRead("/latest/connections/list", { limit: 100 }, { staleTime: 10_000 });

export const useConnections = (): Connection[] | undefined => useConnectionsRead().data?.results;

/** The account that a new step acts with: the only usable one of its system. */
export function onlyAccount(
  connections: readonly Connection[] | undefined,
  system: string | undefined,
): string | undefined {
  const usable = connections?.filter((each) => each.system === system && each.state === "connected") ?? [];
  return usable.length === 1 ? usable[0]?.connection_id : undefined;
}

interface AccountSelectProps {
  system: string;
  value: string | undefined;
  onChange: (connectionId: string) => void;
  error?: string | undefined;
  description?: string;
}

/** "A connected account chosen from a dropdown." */
export function AccountSelect({ system, value, onChange, error, description }: AccountSelectProps) {
  const projectId = useProject();
  const connections = useConnections();
  const shown = connections?.filter(
    (each) => each.system === system && (each.state !== "removed" || each.connection_id === value),
  );
  const current = shown?.find(({ connection_id }) => connection_id === value);
  const broken = current && current.state !== "connected" ? stateSentence(current) : undefined;
  return (
    <Group align="end" gap="xs" wrap="wrap">
      <Select
        label="Account"
        {...(description ? { description } : {})}
        placeholder={shown?.length === 0 ? "No account is connected" : "Choose an account"}
        data={(shown ?? []).map((each) => ({ value: each.connection_id, label: accountName(each) }))}
        value={value ?? null}
        onChange={(next) => next && onChange(next)}
        error={broken ?? error}
        allowDeselect={false}
        flex="1 1 16rem"
        required
      />
      <Button
        component={AppLink}
        to={paths.connect(projectId, broken ? current?.connection_id : system)}
        variant="default"
        className="beside-field"
      >
        {broken ? "Reconnect" : "Connect an account"}
      </Button>
    </Group>
  );
}

const accountName = ({ label, instance, state }: Connection): string =>
  `${label} · ${instance}${state === "connected" ? "" : ` (${state === "removed" ? "removed" : "needs reconnecting"})`}`;

const stateSentence = ({ state, state_reason }: Connection): string =>
  state === "removed"
    ? "This account was removed. Choose another, or connect it again."
    : `This account needs to be reconnected. ${state_reason ?? ""}`;
