import { Button, Group, PasswordInput, Stack, Text, Textarea, TextInput } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { ProblemNotice } from "../../../shell/ProblemNotice.tsx";
import { useEdits } from "../../../state/use-edits.ts";
import { useWrite } from "../../../state/use-write.ts";
import { Section } from "../../../ui/Section.tsx";
import { outside } from "../organization.ts";
import { type Provider, signOnReads } from "./describe-provider.ts";

/** Corrects what was typed when the provider was added. Secrets and metadata that are left empty stay as they are. A reload keeps all but the secret. */
export function ChangeProvider({ provider }: { provider: Provider }) {
  const { provider_id, kind } = provider;
  const saved = {
    label: provider.label,
    issuer: provider.issuer ?? "",
    client_id: provider.client_id ?? "",
    metadata: "",
  };
  const { value: typed, edit, undo, isChanged } = useEdits(`provider.${provider_id}`, saved);
  // A secret is never kept in the browser.
  const [secret, setSecret] = useState("");
  const update = useWrite("/latest/single_sign_on/{provider_id}/update", {
    ...outside,
    changes: [...signOnReads],
    onDone: () => {
      setSecret("");
      edit({ metadata: "" });
    },
  });
  const isSame = !isChanged && secret === "";
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const [label, issuer, client_id] = [typed.label.trim(), typed.issuer.trim(), typed.client_id.trim()];
    edit({ label, issuer, client_id });
    const ofKind =
      kind === "oidc"
        ? { issuer, client_id, ...(secret === "" ? {} : { client_secret: secret }) }
        : typed.metadata === ""
          ? {}
          : { metadata_xml: typed.metadata };
    update.run({ provider_id, label, ...ofKind });
  };
  const field = (name: keyof typeof saved) => ({
    value: typed[name],
    onChange: (event: { currentTarget: { value: string } }) => edit({ [name]: event.currentTarget.value }),
    required: true,
  });
  return (
    <Section title="Settings">
      <form onSubmit={submit}>
        <Stack gap="sm">
          <ProblemNotice problem={update.problem} />
          <TextInput label="Name" maxLength={200} {...field("label")} />
          {kind === "oidc" ? (
            <>
              <TextInput label="Issuer" type="url" {...field("issuer")} />
              <TextInput label="Client ID" {...field("client_id")} />
              <PasswordInput
                label="New client secret"
                description={provider.has_client_secret ? "Empty: the one that is kept stays." : "None is kept."}
                autoComplete="off"
                value={secret}
                onChange={(event) => setSecret(event.currentTarget.value)}
              />
            </>
          ) : (
            <Textarea
              label="New metadata of the provider"
              description="Its address and certificates. Empty: they stay as they are."
              autosize
              minRows={2}
              maxRows={10}
              className="mono-input"
              value={typed.metadata}
              onChange={(event) => edit({ metadata: event.currentTarget.value })}
            />
          )}
          <Group gap="sm">
            <Button type="submit" variant="default" loading={update.isRunning} disabled={isSame}>
              Save the settings
            </Button>
            {isChanged ? (
              <Button variant="subtle" onClick={undo}>
                Undo the changes
              </Button>
            ) : null}
            {update.output && isSame ? (
              <Text size="sm" role="status">
                Saved. Test it again.
              </Text>
            ) : null}
          </Group>
        </Stack>
      </form>
    </Section>
  );
}
