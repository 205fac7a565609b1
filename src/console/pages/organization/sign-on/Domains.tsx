import { Button, Group, Select, Stack, Text, TextInput } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { LoadedList } from "../../../shell/LoadedList.tsx";
import { ProblemNotice } from "../../../shell/ProblemNotice.tsx";
import { useDraft } from "../../../state/use-draft.ts";
import { useList } from "../../../state/use-read.ts";
import { useWrite } from "../../../state/use-write.ts";
import { Confirm } from "../../../ui/dialogs/Confirm.tsx";
import { Empty } from "../../../ui/Empty.tsx";
import { CopyText } from "../../../ui/files/CopyText.tsx";
import { Section } from "../../../ui/Section.tsx";
import { StateBadge } from "../../../ui/StateBadge.tsx";
import { outside } from "../organization.ts";
import { type Domain, type Provider, signOnReads } from "./describe-provider.ts";

/** The domains of the people's addresses, and the record that shows that each is the organization's own. */
export function Domains({ providers }: { providers: Provider[] }) {
  const list = useList("/latest/domains/list", { limit: 100 }, outside);
  const [leaving, setLeaving] = useState<Domain | null>(null);
  const changes = [...signOnReads];
  const verify = useWrite("/latest/domains/{domain_id}/verify", { ...outside, changes });
  const update = useWrite("/latest/domains/{domain_id}/update", { ...outside, changes });
  const remove = useWrite("/latest/domains/{domain_id}/delete", {
    ...outside,
    changes,
    onDone: () => setLeaving(null),
  });
  return (
    <Section
      title="Domains"
      lead="People who type an address of a verified domain are sent to your provider. Verify a domain with a TXT record."
    >
      <AddDomain />
      <ProblemNotice problem={verify.problem ?? update.problem} />
      <LoadedList
        label="Domains"
        list={list}
        keyOf={({ domain_id }) => domain_id}
        empty={<Empty title="No domain yet">Add the domain of your people's addresses, such as example.com.</Empty>}
        columns={[
          {
            title: "Domain",
            cell: (domain) => (
              <Stack gap={4}>
                <Group gap="xs">
                  <Text size="sm" fw={600}>
                    {domain.domain}
                  </Text>
                  <StateBadge
                    tone={domain.verified ? "good" : "warn"}
                    text={domain.verified ? "Verified" : "Not verified"}
                  />
                </Group>
                {domain.verified ? null : (
                  <div>
                    <Text size="xs" c="dimmed">
                      Add this TXT record to the domain, wait until your DNS shows it, then verify:
                    </Text>
                    <CopyText text={domain.record} />
                  </div>
                )}
              </Stack>
            ),
          },
          {
            title: "Provider",
            width: "11rem",
            cell: (domain) => (
              <Select
                aria-label={`Provider of ${domain.domain}`}
                size="xs"
                placeholder="Any of yours"
                clearable
                data={providers.map(({ provider_id, label }) => ({ value: provider_id, label }))}
                value={domain.provider_id}
                disabled={update.isRunning || providers.length === 0}
                onChange={(providerId) => update.run({ domain_id: domain.domain_id, provider_id: providerId })}
              />
            ),
          },
          {
            title: "",
            width: "11rem",
            align: "right",
            cell: (domain) => (
              <Group gap={4} justify="flex-end">
                {domain.verified ? null : (
                  <Button
                    size="compact-sm"
                    variant="light"
                    loading={verify.isRunning}
                    aria-label={`Verify ${domain.domain}`}
                    onClick={() => verify.run({ domain_id: domain.domain_id })}
                  >
                    Verify
                  </Button>
                )}
                <Button
                  size="compact-sm"
                  variant="subtle"
                  color="red"
                  aria-label={`Remove ${domain.domain}`}
                  onClick={() => setLeaving(domain)}
                >
                  Remove
                </Button>
              </Group>
            ),
          },
        ]}
      />
      <Confirm
        opened={leaving !== null}
        title={`Remove ${leaving?.domain ?? ""}?`}
        action="Remove the domain"
        isDangerous
        isRunning={remove.isRunning}
        onConfirm={() => leaving && remove.run({ domain_id: leaving.domain_id })}
        onClose={() => setLeaving(null)}
      >
        <ProblemNotice problem={remove.problem} />
        <Text size="sm">
          People with its addresses are no longer sent to your provider, and single sign-on is no longer required of
          them.
        </Text>
      </Confirm>
    </Section>
  );
}

function AddDomain() {
  const [domain, setDomain, clear] = useDraft("domain", "");
  const create = useWrite("/latest/domains/create", {
    ...outside,
    changes: [...signOnReads],
    onDone: clear,
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    create.run({ domain: domain.trim() });
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="xs">
        <ProblemNotice problem={create.problem} />
        <Group align="end" gap="sm">
          <TextInput
            label="Domain"
            placeholder="example.com"
            required
            value={domain}
            onChange={(event) => setDomain(event.currentTarget.value)}
            flex="1 1 14rem"
            maw="24rem"
          />
          <Button type="submit" variant="default" loading={create.isRunning} disabled={domain.trim() === ""}>
            Add the domain
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
