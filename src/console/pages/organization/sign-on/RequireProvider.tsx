import { Button, Group, Stack, Text } from "@mantine/core";
import { useState } from "react";
import { ProblemNotice } from "../../../shell/ProblemNotice.tsx";
import { useList } from "../../../state/use-read.ts";
import { useWrite } from "../../../state/use-write.ts";
import { Modal } from "../../../ui/dialogs/Dialog.tsx";
import { Notice } from "../../../ui/Notice.tsx";
import { Section } from "../../../ui/Section.tsx";
import { outside } from "../organization.ts";
import { type Provider, signOnReads } from "./describe-provider.ts";
import { Checks, useProviderTest } from "./test-provider.tsx";

/** "Single sign-on with a test before it is required": the last step opens only after a test of this moment. */
export function RequireProvider({ provider }: { provider: Provider }) {
  const [isOpen, setOpen] = useState(false);
  const domains = useList("/latest/domains/list", { limit: 100 }, outside);
  const update = useWrite("/latest/single_sign_on/{provider_id}/update", {
    ...outside,
    changes: [...signOnReads],
    onDone: () => setOpen(false),
  });
  const concerned =
    domains.rows?.filter(
      ({ verified, provider_id }) => verified && (provider_id === null || provider_id === provider.provider_id),
    ) ?? [];
  const names = concerned.map(({ domain }) => domain).join(", ");
  if (provider.required) {
    return (
      <Section
        title="4. Required"
        lead={`People of ${names || "your verified domains"} sign in here and in no other way. Owners keep their password and passkeys.`}
        actions={
          <Button
            variant="default"
            loading={update.isRunning}
            onClick={() => update.run({ provider_id: provider.provider_id, required: false })}
          >
            No longer require it
          </Button>
        }
      >
        <ProblemNotice problem={update.problem} />
      </Section>
    );
  }
  return (
    <Section
      title="4. Require it"
      lead="People of your verified domains then sign in here and in no other way. Owners keep their password and passkeys, so that nobody is locked out for good."
      actions={
        <Button variant="default" disabled={!provider.enabled} onClick={() => setOpen(true)}>
          Test and require …
        </Button>
      }
    >
      {provider.enabled ? null : <Text size="sm">It is off. Offer it first.</Text>}
      {concerned.length === 0 && domains.rows ? (
        <Text size="sm">
          It concerns nobody yet: no domain of yours is verified. Add one below the list of providers.
        </Text>
      ) : null}
      {isOpen ? (
        <RequireDialog provider={provider} names={names} update={update} onClose={() => setOpen(false)} />
      ) : null}
    </Section>
  );
}

interface RequireDialogProps {
  provider: Provider;
  names: string;
  update: ReturnType<typeof useWrite<"/latest/single_sign_on/{provider_id}/update">>;
  onClose: () => void;
}

function RequireDialog({ provider, names, update, onClose }: RequireDialogProps) {
  const test = useProviderTest(provider.provider_id);
  const isTested = test.result?.ok === true && !test.isRunning;
  return (
    <Modal
      opened
      onClose={onClose}
      title={`Require ${provider.label}?`}
      size="lg"
      centered
      closeButtonProps={{ "aria-label": "Close" }}
    >
      <Stack gap="md">
        <Text size="sm">
          {names
            ? `People with an address at ${names} sign in at ${provider.label} only.`
            : "No domain is verified yet."}{" "}
          Sessions that a password or a passkey has opened end at once, of everyone whom it concerns. API keys and
          owners are not affected.
        </Text>
        <Group justify="space-between">
          <Text size="sm" fw={600}>
            First the provider is tested.
          </Text>
          {test.button}
        </Group>
        <ProblemNotice problem={test.problem ?? update.problem} />
        <Checks result={test.result} />
        {test.result && !test.result.ok ? (
          <Notice tone="warn">Correct what is wrong and test again. Requiring it now would lock people out.</Notice>
        ) : null}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button
            disabled={!isTested}
            loading={update.isRunning}
            onClick={() => update.run({ provider_id: provider.provider_id, required: true })}
          >
            Require it
          </Button>
        </Group>
        {isTested ? null : (
          <Text size="xs" c="dimmed" ta="right">
            Possible once the test has found nothing wrong.
          </Text>
        )}
      </Stack>
    </Modal>
  );
}
