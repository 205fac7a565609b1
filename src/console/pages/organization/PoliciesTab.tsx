import { Button, Group, Radio, Skeleton, Stack, Text } from "@mantine/core";
import { type ReactNode, useState } from "react";
import type { InputOf } from "../../../client/wire.ts";
import { ProblemNotice } from "../../shell/ProblemNotice.tsx";
import { useEdits } from "../../state/use-edits.ts";
import { useWrite } from "../../state/use-write.ts";
import { Confirm } from "../../ui/dialogs/Confirm.tsx";
import { Section } from "../../ui/Section.tsx";
import { organizationReads, outside, useOrganization } from "./organization.ts";

type Change = InputOf<"/latest/organizations/update">;

interface Policy {
  name: "project_creation" | "second_factor" | "keys_on_reactivation";
  title: string;
  lead: string;
  choices: { value: string; label: string; description: string }[];
  /** Asked before this value is saved. */
  asks?: { value: string; title: string; text: ReactNode; action: string };
}

const policies: Policy[] = [
  {
    name: "second_factor",
    title: "Second factor",
    lead: "Whether a password alone is enough to sign in. Single sign-on and passkeys are not affected.",
    choices: [
      { value: "optional", label: "Optional", description: "Each person decides." },
      {
        value: "required",
        label: "Required",
        description:
          "A password needs a one-time code beside it. People with neither a code nor a passkey set one up first.",
      },
    ],
    asks: {
      value: "required",
      title: "Require a second factor?",
      text: "Sessions that a password alone has opened end at once, or can only set up a second factor. That may be your own.",
      action: "Require it",
    },
  },
  {
    name: "project_creation",
    title: "New projects",
    lead: "Who may create a project in this organization.",
    choices: [
      { value: "members", label: "Everyone", description: "Every person of the organization." },
      { value: "owners", label: "Owners only", description: "Others ask an owner." },
    ],
  },
  {
    name: "keys_on_reactivation",
    title: "API keys of reactivated people",
    lead: "What happens to the old keys of a person who was deactivated and is reactivated.",
    choices: [
      {
        value: "stay_off",
        label: "They stay off",
        description: "The person turns each one on again, or makes new ones.",
      },
      { value: "restore", label: "They work again", description: "At once, as before." },
    ],
  },
];

export function PoliciesTab() {
  const { data, error, refetch } = useOrganization();
  return (
    <Stack gap="lg">
      <ProblemNotice problem={error} onRetry={() => void refetch()} />
      {data === undefined && error === null ? <Skeleton height={400} aria-label="Loading" /> : null}
      {data
        ? policies.map((policy) => (
            <PolicyForm key={`${policy.name} ${data[policy.name]}`} policy={policy} value={data[policy.name]} />
          ))
        : null}
    </Stack>
  );
}

function PolicyForm({ policy, value }: { policy: Policy; value: string }) {
  const { value: draft, edit } = useEdits(`policy.${policy.name}`, { chosen: value });
  const { chosen } = draft;
  const [isAsking, setAsking] = useState(false);
  const update = useWrite("/latest/organizations/update", {
    ...outside,
    changes: [...organizationReads],
    onDone: () => setAsking(false),
  });
  const { asks } = policy;
  const save = () => update.run({ [policy.name]: chosen } as Change);
  return (
    <Section title={policy.title} lead={policy.lead}>
      <ProblemNotice problem={update.problem} />
      <Radio.Group value={chosen} onChange={(next) => edit({ chosen: next })} aria-label={policy.title}>
        <Stack gap="sm">
          {policy.choices.map((choice) => (
            <Radio key={choice.value} {...choice} />
          ))}
        </Stack>
      </Radio.Group>
      <Group gap="sm">
        <Button
          disabled={chosen === value}
          loading={update.isRunning}
          onClick={() => (asks?.value === chosen ? setAsking(true) : save())}
          aria-label={`Save: ${policy.title}`}
        >
          Save
        </Button>
        {chosen === value ? null : (
          <Text size="sm" c="dimmed">
            Not saved yet.
          </Text>
        )}
      </Group>
      {asks ? (
        <Confirm
          opened={isAsking}
          title={asks.title}
          action={asks.action}
          isRunning={update.isRunning}
          onConfirm={save}
          onClose={() => setAsking(false)}
        >
          <ProblemNotice problem={update.problem} />
          <Text size="sm">{asks.text}</Text>
        </Confirm>
      ) : null}
    </Section>
  );
}
