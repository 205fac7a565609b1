import { Button, Group, NumberInput, Progress, Skeleton, Stack, Text } from "@mantine/core";
import type { FormEvent } from "react";
import type { RecordOf } from "../../../../client/wire.ts";
import type { Presentation } from "../../../../systems/presentation.ts";
import { ProblemNotice } from "../../../shell/ProblemNotice.tsx";
import { presentationOf } from "../../../state/systems.ts";
import { useEdits } from "../../../state/use-edits.ts";
import { useProject } from "../../../state/use-project.ts";
import { useRead } from "../../../state/use-read.ts";
import { useRole } from "../../../state/use-who.ts";
import { useWrite } from "../../../state/use-write.ts";
import { Section } from "../../../ui/Section.tsx";
import { Time } from "../../../ui/times/Time.tsx";
import { titleOf } from "../../limits/describe-limit.ts";
import { type Account, accountReads } from "./describe-account.ts";

type LimitSettings = NonNullable<Presentation["limitSettings"]>;
type Limit = RecordOf<"/latest/limits/list">;

/** What is left of the account's limits at its system. */
export function AccountLimits({ account }: { account: Account }) {
  const { may } = useRole(useProject());
  const { data, error, refetch } = useRead("/latest/limits/list", { limit: 100 }, { every: 10_000 });
  const settings = presentationOf(account.system)?.limitSettings;
  const limits = data?.results.filter(({ connection_id }) => connection_id === account.connection_id);
  return (
    <Section title="Limits" lead="Everyone in your organization who uses this account at the system shares them.">
      <ProblemNotice problem={error} onRetry={() => void refetch()} />
      {limits === undefined && error === null ? <Skeleton height={60} aria-label="Loading" /> : null}
      {limits?.length === 0 ? <Text size="sm">The system reports its limits with the first call.</Text> : null}
      <Stack gap="sm">
        {limits?.map((limit) => (
          <LimitRow key={`${limit.subject} ${limit.name}`} limit={limit} />
        ))}
      </Stack>
      {settings && may("editor") ? <Settings account={account} {...settings} /> : null}
    </Section>
  );
}

const number = new Intl.NumberFormat();

function LimitRow({ limit: { name, max, used, left, resets_at } }: { limit: Limit }) {
  const share = max ? Math.min(100, (used / max) * 100) : 0;
  return (
    <div>
      <Group justify="space-between" gap="xs">
        <Text size="sm" fw={600}>
          {titleOf({ name })}
        </Text>
        <Text size="sm">
          {left === null || max === null
            ? `${number.format(used)} used`
            : `${number.format(left)} of ${number.format(max)} left`}
          {resets_at ? (
            <>
              , resets <Time at={resets_at} />
            </>
          ) : null}
        </Text>
      </Group>
      {max === null ? null : (
        <Progress
          value={share}
          aria-label={`${titleOf({ name })}: used`}
          color={share > 80 ? "red" : "accent"}
          mt={4}
        />
      )}
    </div>
  );
}

/** "Daily quota varies by subscription": a person tells what theirs is. What was typed survives a reload. */
function Settings({ account, lead, fields }: { account: Account } & LimitSettings) {
  const saved: Record<string, string | number> = Object.fromEntries(
    fields.map(({ name }) => [name, account.settings[name] ?? ""]),
  );
  const { value: values, edit, undo, isChanged } = useEdits(`limits.${account.connection_id}`, saved);
  const update = useWrite("/latest/connections/{connection_id}/update", { changes: [...accountReads] });
  const isAdmin = useRole(useProject()).may("admin");
  const canSet = (name: string) => isAdmin || name !== "daily_quota";
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const open = fields.filter(({ name }) => canSet(name));
    const given = open.map(({ name }) => [name, values[name] === "" ? null : Number(values[name])]);
    update.run({ connection_id: account.connection_id, settings: Object.fromEntries(given) });
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="xs">
        <Text size="sm">{lead}</Text>
        <Group align="end" gap="sm">
          {fields.map(({ name, label, standard }) => (
            <NumberInput
              key={name}
              label={label}
              placeholder={number.format(standard)}
              disabled={!canSet(name)}
              description={canSet(name) ? undefined : "An admin of the project sets it."}
              min={1}
              max={10_000_000}
              allowDecimal={false}
              thousandSeparator=","
              hideControls
              flex="1 1 8rem"
              value={values[name] ?? ""}
              onChange={(value) => edit({ [name]: value })}
            />
          ))}
          <Button type="submit" variant="default" loading={update.isRunning} disabled={!isChanged}>
            Save the limits
          </Button>
        </Group>
        <ProblemNotice problem={update.problem} />
        {isChanged ? (
          <Group gap="xs">
            <Text size="sm" c="dimmed">
              Not saved yet.
            </Text>
            <Button variant="subtle" size="compact-sm" onClick={undo}>
              Undo the changes
            </Button>
          </Group>
        ) : update.output ? (
          <Text size="sm" role="status">
            Saved.
          </Text>
        ) : null}
      </Stack>
    </form>
  );
}
