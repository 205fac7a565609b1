import { Button, Group, Skeleton, Stack, Text, TextInput } from "@mantine/core";
import type { FormEvent } from "react";
import { ProblemNotice } from "../../../shell/ProblemNotice.tsx";
import { useEdits } from "../../../state/use-edits.ts";
import { useOnceTrue } from "../../../state/use-once-true.ts";
import { useList } from "../../../state/use-read.ts";
import { useWrite } from "../../../state/use-write.ts";
import { Facts } from "../../../ui/Facts.tsx";
import { CopyText } from "../../../ui/files/CopyText.tsx";
import { Section } from "../../../ui/Section.tsx";
import { Time } from "../../../ui/times/Time.tsx";
import { organizationReads, outside, useIsOwner, useOrganization } from "../organization.ts";
import { OrganizationPeople } from "./OrganizationPeople.tsx";
import { OrganizationProjects } from "./OrganizationProjects.tsx";

const regions: Record<string, string> = { us: "United States", eu: "Europe", au: "Australia" };

export function GeneralTab() {
  const { data, error, refetch } = useOrganization();
  const isOwner = useIsOwner();
  // The parts appear together, so that none of them moves.
  const projects = useList("/latest/projects/list", { limit: 100 }, outside);
  const people = useList("/latest/organizations/users/list", { limit: 100 }, { ...outside, when: isOwner });
  const lists = isOwner ? [projects, people] : [projects];
  const isKnown = useOnceTrue(
    data !== undefined && lists.every(({ rows, problem }) => rows !== undefined || problem !== null),
  );
  return (
    <Stack gap="lg">
      <ProblemNotice problem={error} onRetry={() => void refetch()} />
      {isKnown || error ? null : <Skeleton height={480} aria-label="Loading" />}
      {isKnown && data ? (
        <Section title="About">
          <NameForm name={data.name} isOwner={isOwner} />
          <Facts
            rows={[
              ["Id", <CopyText key="id" text={data.organization_id} />],
              ["Data is kept in", regions[data.region] ?? data.region],
              ["Since", <Time key="since" at={data.created_at} exact />],
            ]}
          />
        </Section>
      ) : null}
      {isKnown || error ? <OrganizationProjects /> : null}
      {isOwner && (isKnown || error) ? <OrganizationPeople /> : null}
    </Stack>
  );
}

function NameForm({ name, isOwner }: { name: string; isOwner: boolean }) {
  const { value, edit, isChanged } = useEdits("organization-name", { name });
  const update = useWrite("/latest/organizations/update", { ...outside, changes: [...organizationReads] });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    edit({ name: value.name.trim() });
    update.run({ name: value.name.trim() });
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="xs">
        <ProblemNotice problem={update.problem} />
        <Group align="end" gap="sm">
          <TextInput
            label="Name"
            description={isOwner ? "People see it when they are invited." : "Only an owner can change the name."}
            value={value.name}
            onChange={(event) => edit({ name: event.currentTarget.value })}
            maxLength={200}
            required
            disabled={!isOwner}
            flex="1 1 16rem"
            maw="28rem"
            dir="auto"
          />
          <Button
            type="submit"
            disabled={!isOwner || value.name.trim() === "" || !isChanged}
            loading={update.isRunning}
          >
            Save the name
          </Button>
        </Group>
        {isChanged ? (
          <Text size="sm" c="dimmed">
            Not saved yet.
          </Text>
        ) : update.output ? (
          <Text size="sm" role="status">
            The name is saved.
          </Text>
        ) : null}
      </Stack>
    </form>
  );
}
