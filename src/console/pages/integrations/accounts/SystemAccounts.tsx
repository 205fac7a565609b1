import { Button, Group, Text } from "@mantine/core";
import { presentationOf } from "../../../state/systems.ts";
import { useOpenState } from "../../../state/use-search-state.ts";
import { Empty } from "../../../ui/Empty.tsx";
import { RowList } from "../../../ui/rows/RowList.tsx";
import { Section } from "../../../ui/Section.tsx";
import { StateBadge } from "../../../ui/StateBadge.tsx";
import { Time } from "../../../ui/times/Time.tsx";
import { type Account, accessOf, instanceOf, type SystemRecord, stateOf, wayOf } from "./describe-account.ts";

interface SystemAccountsProps {
  system: SystemRecord;
  accounts: Account[] | undefined;
  /** Why the person may not connect an account, or null. */
  whyNot: string | null;
  /** Takes a system's id, or an account's id to reconnect. */
  onConnect: (chosen: string) => void;
}

/** One system and its accounts. Those that cannot be used stay listed, so that a person sees why tools stopped. */
export function SystemAccounts({ system, accounts, whyNot, onConnect }: SystemAccountsProps) {
  const [, openAccount] = useOpenState("account");
  const help = presentationOf(system.system);
  const connect = (
    <Button
      variant="default"
      onClick={() => onConnect(system.system)}
      disabled={whyNot !== null}
      title={whyNot ?? undefined}
      aria-label={`Connect an account of ${system.title}`}
    >
      Connect
    </Button>
  );
  const rows = accounts?.toSorted((a, b) => Number(a.state === "removed") - Number(b.state === "removed"));
  return (
    <Section title={system.title} lead={`Works with ${system.vendor}. ${help?.purpose ?? ""}`} actions={connect}>
      {whyNot !== null ? (
        <Text size="sm" c="dimmed">
          {whyNot}
        </Text>
      ) : null}
      <RowList
        label={`Accounts of ${system.title}`}
        rows={rows}
        keyOf={(account) => account.connection_id}
        onOpen={(account) => openAccount(account.connection_id)}
        empty={
          <Empty title="No account yet">
            Steps of this system need one. Connect a live account, or the sandbox to try things without consequences.
          </Empty>
        }
        columns={[
          {
            title: "Account",
            cell: (account) => (
              <>
                <Group gap="xs">
                  <Text fw={600} dir="auto" className="anywhere">
                    {account.label}
                  </Text>
                  <StateBadge tone="info" text={instanceOf(account)} />
                </Group>
                {account.identity.label !== account.label ? (
                  <Text size="sm" c="dimmed" dir="auto" className="anywhere">
                    {account.identity.label}
                  </Text>
                ) : null}
              </>
            ),
          },
          {
            title: "State",
            width: "10rem",
            cell: (account) => <StateBadge {...stateOf(account)} />,
          },
          {
            title: "Access",
            width: "11rem",
            isExtra: true,
            cell: (account) => accessOf(account)?.title ?? wayOf(account),
          },
          {
            title: "Checked",
            width: "8.5rem",
            isExtra: true,
            cell: ({ health }) => <Time at={health.checked_at} />,
          },
          {
            title: "",
            width: "7rem",
            align: "right",
            cell: (account) => (
              <Group gap={4} justify="flex-end">
                {account.state !== "connected" && whyNot === null ? (
                  <Button
                    size="compact-sm"
                    aria-label={`Reconnect ${account.label}`}
                    onClick={() => onConnect(account.connection_id)}
                  >
                    Reconnect
                  </Button>
                ) : null}
                <Button
                  variant="subtle"
                  size="compact-sm"
                  aria-label={`Manage ${account.label}`}
                  onClick={() => openAccount(account.connection_id)}
                >
                  Manage
                </Button>
              </Group>
            ),
          },
        ]}
      />
    </Section>
  );
}
