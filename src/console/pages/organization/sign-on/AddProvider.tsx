import { Button, PasswordInput, SegmentedControl, Stack, Text, Textarea, TextInput } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { ProblemNotice } from "../../../shell/ProblemNotice.tsx";
import { useDraft } from "../../../state/use-draft.ts";
import { useWrite } from "../../../state/use-write.ts";
import { Modal } from "../../../ui/dialogs/Dialog.tsx";
import { outside } from "../organization.ts";
import { signOnReads } from "./describe-provider.ts";

interface AddProviderProps {
  onClose: () => void;
  onDone: (providerId: string) => void;
}

const empty = { kind: "oidc" as "oidc" | "saml", label: "", issuer: "", client_id: "", metadata_xml: "" };

/** Adding a provider changes nothing for anybody: it is tested and required later. */
export function AddProvider({ onClose, onDone }: AddProviderProps) {
  const [draft, setDraft, clear] = useDraft("identity-provider", empty);
  // A secret is never kept in the browser.
  const [secret, setSecret] = useState("");
  const create = useWrite("/latest/single_sign_on/create", {
    ...outside,
    changes: [...signOnReads],
    onDone: ({ provider_id }) => {
      clear();
      onDone(provider_id);
    },
  });
  const { kind, label, issuer, client_id, metadata_xml } = draft;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (kind === "saml") create.run({ kind, label, metadata_xml });
    else create.run({ kind, label, issuer, client_id, ...(secret === "" ? {} : { client_secret: secret }) });
  };
  const field = (name: "label" | "issuer" | "client_id") => ({
    value: draft[name],
    onChange: (event: { currentTarget: { value: string } }) =>
      setDraft({ ...draft, [name]: event.currentTarget.value }),
  });
  return (
    <Modal
      opened
      onClose={onClose}
      title="Add an identity provider"
      size="lg"
      centered
      closeButtonProps={{ "aria-label": "Close" }}
    >
      <form onSubmit={submit}>
        <Stack gap="md">
          <ProblemNotice problem={create.problem} />
          <SegmentedControl
            aria-label="Protocol"
            fullWidth
            value={kind}
            onChange={(value) => setDraft({ ...draft, kind: value as "oidc" | "saml" })}
            data={[
              { value: "oidc", label: "OpenID Connect" },
              { value: "saml", label: "SAML 2.0" },
            ]}
          />
          <TextInput
            label="Name"
            description="What people read on the sign-in page: Entra ID, Okta …"
            required
            maxLength={200}
            data-autofocus
            {...field("label")}
          />
          {kind === "oidc" ? (
            <>
              <TextInput
                label="Issuer"
                description="The provider's own address, such as https://login.microsoftonline.com/your-tenant/v2.0"
                type="url"
                required
                {...field("issuer")}
              />
              <TextInput
                label="Client ID"
                description="What the provider calls Signalbox."
                required
                {...field("client_id")}
              />
              <PasswordInput
                label="Client secret"
                description="Kept sealed, never shown again. Leave it empty for a public client."
                autoComplete="off"
                value={secret}
                onChange={(event) => setSecret(event.currentTarget.value)}
              />
            </>
          ) : (
            <Textarea
              label="Metadata of the provider"
              description="The XML that the provider offers for download. It holds its address and its certificates."
              required
              autosize
              minRows={6}
              maxRows={14}
              className="mono-input"
              value={metadata_xml}
              onChange={(event) => setDraft({ ...draft, metadata_xml: event.currentTarget.value })}
            />
          )}
          <Text size="sm" c="dimmed">
            Next you are shown what to register at the provider, and you can test it. Nobody has to use it until you
            require it.
          </Text>
          <Button type="submit" loading={create.isRunning}>
            Add the provider
          </Button>
        </Stack>
      </form>
    </Modal>
  );
}
