import { Anchor, Button, NumberInput, Radio, Stack, Text, TextInput } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { presentationOf, type SystemId } from "../../../state/systems.ts";
import { useProject } from "../../../state/use-project.ts";
import { useRole } from "../../../state/use-who.ts";
import type { Account, SystemRecord } from "../accounts/describe-account.ts";
import { CredentialFields } from "./CredentialFields.tsx";
import { type InstanceChoice, instancesOf, waysOf } from "./connect-choices.ts";
import type { useConnect } from "./use-consent.ts";

interface ConnectFormProps {
  system: SystemRecord;
  /** The account that is reconnected. */
  account: Account | undefined;
  connect: ReturnType<typeof useConnect>;
  draft: ConnectDraft;
  setDraft: (draft: ConnectDraft) => void;
}

/** What a reload keeps. Secrets are not in it. */
export interface ConnectDraft {
  instance: string;
  way: string;
  label: string;
  address: string;
  /** Calls a day; empty: not known. */
  quota: string;
}

/** Where the account lives, how it is connected, and what it is called here. */
export function ConnectForm({ system, account, connect, draft, setDraft }: ConnectFormProps) {
  const { may } = useRole(useProject());
  const [secrets, setSecrets] = useState<Record<string, string>>({});
  const instances = instancesOf(system, may("admin"));
  const wanted = account?.instance ?? draft.instance;
  const instance: InstanceChoice = instances.find(({ value }) => value === wanted) ?? firstOf(instances);
  const ways = waysOf(system, instance.value);
  const way = ways.find(({ value }) => value === draft.way) ?? ways[0];
  const fields = (way?.form?.fields ?? []).filter(({ isLiveOnly }) => !isLiveOnly || instance.value !== "sandbox");
  // An account that a person signs in gets its settings afterwards.
  const takesQuota = !account && way?.value !== "oauth" && may("admin");
  const quotaHelp = takesQuota ? presentationOf(system.system)?.dailyQuota : undefined;
  const quota = quotaHelp === undefined ? 0 : Number(draft.quota ?? "");
  const isComplete = fields.every(({ name, isOptional }) => isOptional || (secrets[name] ?? "").trim() !== "");
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const given = fields.flatMap(({ name }) => {
      const text = (secrets[name] ?? "").trim();
      return text === "" ? [] : [[name, text] as const];
    });
    const wish = {
      system: system.system as SystemId,
      instance: instance.value === "custom" && !account ? draft.address.trim() : instance.value,
      ...(draft.label.trim() === "" ? {} : { label: draft.label.trim() }),
      ...(account ? { connection_id: account.connection_id } : {}),
      ...(fields.length === 0 ? {} : { credentials: Object.fromEntries(given) }),
      ...(quota > 0 ? { settings: { daily_quota: quota } } : {}),
    };
    if (way?.value === "oauth") connect.signIn(wish);
    else connect.paste(wish);
  };
  const set = (name: keyof ConnectDraft) => (value: string) => setDraft({ ...draft, [name]: value });
  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        {account ? (
          <Text size="sm">
            {system.title}, {instance.label.toLowerCase()}
          </Text>
        ) : (
          <Radio.Group label="Where is the account?" value={instance.value} onChange={set("instance")}>
            <Stack gap="xs" mt="xs">
              {instances.map(({ value, label, description, whyNot }) => (
                <Radio
                  data-autofocus={value === instance.value || undefined}
                  key={value}
                  value={value}
                  label={label}
                  description={whyNot ?? description}
                  disabled={whyNot !== null}
                />
              ))}
            </Stack>
          </Radio.Group>
        )}
        {system.guide ? (
          <Anchor href={system.guide} target="_blank" size="sm" underline="always">
            How to connect {system.vendor}, step by step (opens a new tab)
          </Anchor>
        ) : null}
        {instance.value === "custom" && !account ? (
          <TextInput
            label="Address"
            description="Of a server with the same interface, for example https://deploy.example.com"
            type="url"
            value={draft.address}
            onChange={(event) => set("address")(event.currentTarget.value)}
            required
          />
        ) : null}
        {instance.missing ? (
          <div>
            <Text size="sm">
              Signing in through a pop-up is not set up on this server. Paste credentials, or ask its operator.
            </Text>
            <details>
              <summary className="summary">For the operator</summary>
              <div className="more-line anywhere">{instance.missing}</div>
            </details>
          </div>
        ) : null}
        {ways.length > 1 ? (
          <Radio.Group label="How?" value={way?.value ?? ""} onChange={set("way")}>
            <Stack gap="xs" mt="xs">
              {ways.map(({ value, label }) => (
                <Radio key={value} value={value} label={label} />
              ))}
            </Stack>
          </Radio.Group>
        ) : null}
        {way?.value === "oauth" ? (
          <Text size="sm">
            A window opens, where you sign in and grant access. {presentationOf(system.system)?.grants}
          </Text>
        ) : null}
        {way?.form ? (
          <CredentialFields
            form={way.form}
            fields={fields}
            values={secrets}
            problem={connect.problem}
            onChange={(name, value) => setSecrets({ ...secrets, [name]: value })}
          />
        ) : null}
        {account ? null : (
          <TextInput
            label="Name"
            description="What the account is called here. Empty: as the system calls it."
            value={draft.label}
            maxLength={200}
            onChange={(event) => set("label")(event.currentTarget.value)}
          />
        )}
        {quotaHelp ? (
          <NumberInput
            label="Calls a day (optional)"
            description={quotaHelp}
            placeholder={quotaStandard}
            min={1}
            max={10_000_000}
            allowDecimal={false}
            thousandSeparator=","
            hideControls
            value={draft.quota ?? ""}
            error={connect.problem?.errors.find(({ pointer }) => pointer === "#/settings/daily_quota")?.detail}
            onChange={(value) => set("quota")(String(value))}
          />
        ) : null}
        <Button type="submit" loading={connect.isRunning} disabled={!isComplete}>
          {way?.value === "oauth" ? `Sign in at ${system.title}` : "Connect the account"}
        </Button>
        {isComplete ? null : (
          <Text size="sm" c="dimmed">
            Fill in every field that is not optional.
          </Text>
        )}
      </Stack>
    </form>
  );
}

const quotaStandard = new Intl.NumberFormat().format(50_000);

function firstOf(instances: InstanceChoice[]): InstanceChoice {
  const first = instances.find(({ whyNot }) => whyNot === null) ?? instances[0];
  if (first === undefined) throw new Error("Every system has a live instance.");
  return first;
}
