import { Button, Code, Group, Stack, Text, TextInput } from "@mantine/core";
import type { FormEvent, ReactNode } from "react";
import { ProblemNotice } from "../../../shell/ProblemNotice.tsx";
import { useEdits } from "../../../state/use-edits.ts";
import { useProject } from "../../../state/use-project.ts";
import { useRole } from "../../../state/use-who.ts";
import { useWrite } from "../../../state/use-write.ts";
import { Facts } from "../../../ui/Facts.tsx";
import { Copy } from "../../../ui/files/Copy.tsx";
import { Section } from "../../../ui/Section.tsx";
import { StateBadge } from "../../../ui/StateBadge.tsx";
import { Time } from "../../../ui/times/Time.tsx";
import { type Account, accessOf, accountReads, instanceOf, stateOf, wayOf } from "./describe-account.ts";

const selectionNotKnown =
  "Whether it is limited to chosen projects is not known: the integration lacks the permission “Installation” at the platform.";

const namesOf = (named: { name: string }[]) => named.map(({ name }) => name).join(", ") || "none";

/** Who the account is, whether it works, and what it is called. */
export function AccountFacts({ account }: { account: Account }) {
  const { may } = useRole(useProject());
  const { connection_id, health, identity, addresses } = account;
  const check = useWrite("/latest/connections/{connection_id}/check", { changes: [...accountReads] });
  const access = accessOf(account);
  const properties = identity.properties as { property_id: string; display_name: string }[] | undefined;
  const projects = identity.projects as { project_id: string; name: string }[] | undefined;
  const inReach = identity.projects_in_reach as { name: string }[] | undefined;
  const rows: [string, ReactNode][] = [
    ["State", <StateBadge key="state" {...stateOf(account)} />],
    ["Account", <span key="who">{identity.label}</span>],
    ["Where", `${instanceOf(account)}: ${[...new Set(Object.values(addresses))].join(", ")}`],
    ["Access level", access ? `${access.title}. ${access.allows}` : "The system reports no level of access."],
    ["Connected by", wayOf(account)],
    ...(projects?.length
      ? [["Only these projects", projects.map(({ name }) => name).join(", ")] as [string, string]]
      : []),
    ...(inReach ? [["Projects", `It sees ${namesOf(inReach)}. ${selectionNotKnown}`] as [string, string]] : []),
    ...(properties?.length
      ? [
          ["Properties", properties.map((each) => `${each.display_name} (${each.property_id})`).join(", ")] as [
            string,
            string,
          ],
        ]
      : []),
    [
      "Last check",
      <span key="check">
        <Time at={health.checked_at} />
        {health.next_check_at ? (
          <>
            , next <Time at={health.next_check_at} />
          </>
        ) : null}
      </span>,
    ],
    ["Connected", <Time key="since" at={account.created_at} />],
    [
      "Id",
      <Group key="id" gap="xs">
        <Code className="anywhere">{connection_id}</Code>
        <Copy text={connection_id} label="Copy the id" />
      </Group>,
    ],
  ];
  const canCheck = may("editor") && account.state !== "removed";
  return (
    <Section
      title="About"
      actions={
        canCheck ? (
          <Button variant="default" loading={check.isRunning} onClick={() => check.run({ connection_id })}>
            Check now
          </Button>
        ) : null
      }
    >
      <ProblemNotice problem={check.problem} />
      <Facts rows={rows} />
      {canCheck ? <Rename account={account} /> : null}
    </Section>
  );
}

function Rename({ account }: { account: Account }) {
  const { value, edit, isChanged } = useEdits(`account-name.${account.connection_id}`, { label: account.label });
  const update = useWrite("/latest/connections/{connection_id}/update", { changes: [...accountReads] });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const label = value.label.trim();
    edit({ label });
    update.run({ connection_id: account.connection_id, label });
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="xs">
        <ProblemNotice problem={update.problem} />
        <Group align="end" gap="sm">
          <TextInput
            label="Name"
            flex="1 1 14rem"
            value={value.label}
            maxLength={200}
            onChange={(event) => edit({ label: event.currentTarget.value })}
          />
          <Button
            type="submit"
            variant="default"
            loading={update.isRunning}
            disabled={!isChanged || value.label.trim() === ""}
          >
            Rename
          </Button>
        </Group>
        {update.output && !isChanged ? (
          <Text size="sm" role="status">
            Renamed.
          </Text>
        ) : null}
      </Stack>
    </form>
  );
}
