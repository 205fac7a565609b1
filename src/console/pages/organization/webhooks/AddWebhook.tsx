import { MultiSelect, Switch, TextInput } from "@mantine/core";
import { ProblemNotice } from "../../../shell/ProblemNotice.tsx";
import { useDraft } from "../../../state/use-draft.ts";
import { useWrite } from "../../../state/use-write.ts";
import { SecretDialog } from "../../../ui/dialogs/SecretDialog.tsx";
import { type EventName, eventGroups, webhookReads } from "./describe-webhook.ts";

interface AddWebhookProps {
  projectId: string;
  isOwner: boolean;
  onClose: () => void;
}

const empty = { url: "", description: "", events: [] as EventName[], isWhole: false };

export function AddWebhook({ projectId, isOwner, onClose }: AddWebhookProps) {
  const [draft, setDraft, clear] = useDraft(`webhook.${projectId}`, empty);
  const create = useWrite("/latest/webhooks/create", {
    inProject: projectId,
    changes: [...webhookReads],
    onDone: clear,
  });
  const submit = () => {
    const { url, description, events, isWhole } = draft;
    create.run({
      url: url.trim(),
      description,
      events: events.length === 0 ? ["*"] : events,
      whole_organization: isWhole,
    });
  };
  return (
    <SecretDialog
      title="Add a webhook"
      action="Add the webhook"
      isRunning={create.isRunning}
      onSubmit={submit}
      made={create.output && { label: "Secret of the webhook", secret: create.output.webhook_secret }}
      onClose={onClose}
    >
      <ProblemNotice problem={create.problem} />
      <TextInput
        label="Address"
        description="It must accept a POST and respond with 2xx within 15 seconds."
        placeholder="https://example.com/hooks/signalbox"
        type="url"
        required
        data-autofocus
        value={draft.url}
        onChange={(event) => setDraft({ ...draft, url: event.currentTarget.value })}
      />
      <MultiSelect
        label="Hears of"
        description="Nothing chosen: every event, also those added later."
        placeholder={draft.events.length === 0 ? "Every event" : ""}
        data={eventGroups}
        value={draft.events}
        onChange={(events) => setDraft({ ...draft, events: events as EventName[] })}
        searchable
        clearable
        hidePickedOptions
      />
      <TextInput
        label="What it is for"
        value={draft.description}
        maxLength={2000}
        onChange={(event) => setDraft({ ...draft, description: event.currentTarget.value })}
      />
      <Switch
        label="Hear of every project and of the organization itself"
        description={isOwner ? null : "Only an owner of the organization may choose this."}
        disabled={!isOwner}
        checked={draft.isWhole}
        onChange={(event) => setDraft({ ...draft, isWhole: event.currentTarget.checked })}
      />
    </SecretDialog>
  );
}
