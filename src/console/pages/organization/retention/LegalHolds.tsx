import { Button, Group, Select, Stack, Text, TextInput } from "@mantine/core";
import { type FormEvent, useState } from "react";
import type { RecordOf } from "../../../../client/wire.ts";
import { LoadedList } from "../../../shell/LoadedList.tsx";
import { ProblemNotice } from "../../../shell/ProblemNotice.tsx";
import { useDraft } from "../../../state/use-draft.ts";
import { useList } from "../../../state/use-read.ts";
import { useWrite } from "../../../state/use-write.ts";
import { Confirm } from "../../../ui/dialogs/Confirm.tsx";
import { Empty } from "../../../ui/Empty.tsx";
import { Section } from "../../../ui/Section.tsx";
import { StateBadge } from "../../../ui/StateBadge.tsx";
import { Time } from "../../../ui/times/Time.tsx";
import { outside } from "../organization.ts";

type Hold = RecordOf<"/latest/organizations/holds/list">;

const reads = ["/latest/organizations/holds/list"] as const;

/** While a hold is open, nothing of it is deleted by policy. */
export function LegalHolds() {
  const list = useList("/latest/organizations/holds/list", { limit: 100 }, outside);
  const projects = useList("/latest/projects/list", { limit: 100 }, outside);
  const [releasing, setReleasing] = useState<Hold | null>(null);
  const [reason, setReason, clearReason] = useDraft("release-hold", "");
  const close = () => {
    clearReason();
    setReleasing(null);
  };
  const release = useWrite("/latest/organizations/holds/release", { ...outside, changes: [...reads], onDone: close });
  const nameOf = (id: string | null): string =>
    id === null ? "The whole organization" : (projects.rows?.find(({ project_id }) => project_id === id)?.name ?? id);
  return (
    <Section title="Legal holds" lead="Nothing that is on hold is deleted by policy, until an owner releases it.">
      <AddHold projects={(projects.rows ?? []).map(({ project_id, name }) => ({ value: project_id, label: name }))} />
      <LoadedList
        label="Legal holds"
        list={list}
        keyOf={({ hold_id }) => hold_id}
        empty={<Empty title="Nothing is on hold">Records are deleted as the policy above says.</Empty>}
        columns={[
          {
            title: "What",
            cell: (hold) => (
              <Group gap="xs">
                <Text size="sm" fw={600}>
                  {nameOf(hold.project_id)}
                </Text>
                <StateBadge
                  tone={hold.released_at ? "info" : "warn"}
                  text={hold.released_at ? "Released" : "On hold"}
                />
              </Group>
            ),
          },
          { title: "Reason", cell: (hold) => hold.release_reason ?? hold.reason },
          {
            title: "By",
            isExtra: true,
            cell: (hold) => <span className="mono">{hold.released_by ?? hold.created_by}</span>,
          },
          { title: "Since", width: "9rem", cell: (hold) => <Time at={hold.released_at ?? hold.created_at} /> },
          {
            title: "",
            width: "6rem",
            align: "right",
            cell: (hold) =>
              hold.released_at ? null : (
                <Button
                  size="compact-sm"
                  variant="subtle"
                  aria-label={`Release the hold: ${hold.reason}`}
                  onClick={() => setReleasing(hold)}
                >
                  Release
                </Button>
              ),
          },
        ]}
      />
      <Confirm
        opened={releasing !== null}
        title="Release this hold?"
        action="Release"
        isDangerous
        isRunning={release.isRunning}
        onConfirm={() => releasing && release.run({ hold_id: releasing.hold_id, reason })}
        onClose={close}
      >
        <ProblemNotice problem={release.problem} />
        <Text size="sm">The retention policy then applies again: older records are deleted within a day.</Text>
        <TextInput
          label="Why it is released"
          required
          value={reason}
          onChange={(event) => setReason(event.currentTarget.value)}
        />
      </Confirm>
    </Section>
  );
}

interface HoldDraft {
  reason: string;
  /** Null: the whole organization. */
  project: string | null;
}

const noHold: HoldDraft = { reason: "", project: null };

function AddHold({ projects }: { projects: { value: string; label: string }[] }) {
  const [{ reason, project }, setDraft, clear] = useDraft<HoldDraft>("hold", noHold);
  const create = useWrite("/latest/organizations/holds/create", { ...outside, changes: [...reads], onDone: clear });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    create.run({ reason: reason.trim(), ...(project === null ? {} : { project_id: project }) });
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="xs">
        <ProblemNotice problem={create.problem} />
        <Group align="end" gap="sm">
          <Select
            label="What is on hold"
            placeholder="The whole organization"
            clearable
            data={projects}
            value={project}
            onChange={(chosen) => setDraft({ reason, project: chosen })}
            flex="1 1 12rem"
            maw="18rem"
          />
          <TextInput
            label="Reason"
            placeholder="Case 2026-114"
            required
            value={reason}
            onChange={(event) => setDraft({ reason: event.currentTarget.value, project })}
            flex="1 1 14rem"
            maw="24rem"
          />
          <Button type="submit" variant="default" loading={create.isRunning} disabled={reason.trim() === ""}>
            Put on hold
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
