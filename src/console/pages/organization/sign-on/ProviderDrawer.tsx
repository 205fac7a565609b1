import { Anchor, Button, Switch, Text } from "@mantine/core";
import { useState } from "react";
import { ProblemNotice } from "../../../shell/ProblemNotice.tsx";
import { ReadDrawer } from "../../../shell/ReadDrawer.tsx";
import { useRead } from "../../../state/use-read.ts";
import { useWrite } from "../../../state/use-write.ts";
import { Confirm } from "../../../ui/dialogs/Confirm.tsx";
import { CopyText } from "../../../ui/files/CopyText.tsx";
import { Section } from "../../../ui/Section.tsx";
import { outside } from "../organization.ts";
import { ChangeProvider } from "./ChangeProvider.tsx";
import { type Provider, registeredName, signOnReads } from "./describe-provider.ts";
import { RequireProvider } from "./RequireProvider.tsx";
import { Checks, useProviderTest } from "./test-provider.tsx";

interface ProviderDrawerProps {
  providerId: string;
  onClose: () => void;
}

/** One provider, in the order in which it is set up: register, test, offer, require. */
export function ProviderDrawer({ providerId, onClose }: ProviderDrawerProps) {
  const read = useRead("/latest/single_sign_on/{provider_id}/get", { provider_id: providerId }, outside);
  return (
    <ReadDrawer title={read.data?.label ?? "Identity provider"} size="46rem" read={read} onClose={onClose}>
      {(provider) => <Parts provider={provider} onDeleted={onClose} />}
    </ReadDrawer>
  );
}

function Parts({ provider, onDeleted }: { provider: Provider; onDeleted: () => void }) {
  const test = useProviderTest(provider.provider_id);
  const update = useWrite("/latest/single_sign_on/{provider_id}/update", { ...outside, changes: [...signOnReads] });
  const { provider_id, enabled, just_in_time } = provider;
  return (
    <>
      <Section title="1. Register at the provider" lead="The provider has to know exactly these addresses.">
        {Object.entries(provider.register_at_provider).map(([name, value]) => (
          <div key={name}>
            <Text size="sm" fw={600}>
              {registeredName(name)}
            </Text>
            <CopyText text={value} />
          </div>
        ))}
      </Section>
      <Section
        title="2. Test"
        lead="Asks the provider whether it can be used. Whether the client secret is right shows when a person signs in."
        actions={test.button}
      >
        <ProblemNotice problem={test.problem} />
        <Checks result={test.result} />
        <Text size="sm">
          Then{" "}
          <Anchor href={provider.sign_in_url} target="_blank" rel="noreferrer" size="sm">
            sign in once yourself
          </Anchor>
          , in a private window.
        </Text>
      </Section>
      <Section title="3. Offer it">
        <ProblemNotice problem={update.problem} />
        <Switch
          label="People may sign in here"
          checked={enabled}
          disabled={update.isRunning}
          onChange={(event) => update.run({ provider_id, enabled: event.currentTarget.checked })}
        />
        <Switch
          label="Make accounts for people who have none"
          description="Otherwise they are invited, or come from the directory."
          checked={just_in_time}
          disabled={update.isRunning}
          onChange={(event) => update.run({ provider_id, just_in_time: event.currentTarget.checked })}
        />
      </Section>
      <RequireProvider provider={provider} />
      <ChangeProvider provider={provider} />
      <DeleteProvider provider={provider} onDeleted={onDeleted} />
    </>
  );
}

function DeleteProvider({ provider, onDeleted }: { provider: Provider; onDeleted: () => void }) {
  const [isAsking, setAsking] = useState(false);
  const remove = useWrite("/latest/single_sign_on/{provider_id}/delete", {
    ...outside,
    changes: [...signOnReads],
    onDone: onDeleted,
  });
  return (
    <>
      <div>
        <Button variant="outline" color="red" onClick={() => setAsking(true)}>
          Delete the provider
        </Button>
      </div>
      <Confirm
        opened={isAsking}
        title={`Delete ${provider.label}?`}
        action="Delete the provider"
        isDangerous
        isRunning={remove.isRunning}
        onConfirm={() => remove.run({ provider_id: provider.provider_id })}
        onClose={() => setAsking(false)}
      >
        <ProblemNotice problem={remove.problem} />
        <Text size="sm">
          Nobody can sign in here any more. Accounts stay, but their links to people at the provider are removed. People
          without a password or passkey cannot sign in until they reset their password by mail.
        </Text>
      </Confirm>
    </>
  );
}
