import { JsonInput, Stack, Text, Title } from "@mantine/core";
import { ProblemNotice } from "../../../shell/ProblemNotice.tsx";
import { useDraft } from "../../../state/use-draft.ts";
import { useProject } from "../../../state/use-project.ts";
import { useRole } from "../../../state/use-who.ts";
import { useWrite } from "../../../state/use-write.ts";
import { Confirm } from "../../../ui/dialogs/Confirm.tsx";
import { JsonView } from "../../../ui/JsonView.tsx";
import { Section } from "../../../ui/Section.tsx";
import { Time } from "../../../ui/times/Time.tsx";
import type { Attempt } from "../describe-status.ts";
import { DecisionChoices } from "./DecisionChoices.tsx";
import type { DecisionProps } from "./decision-props.ts";
import { openWriteOf } from "./find-open-write.ts";
import { type Outcome, outcomes } from "./outcome-choices.ts";
import { RequestLine } from "./RequestLine.tsx";
import { runChanges } from "./reads-to-refresh.ts";
import { useChosenAnswer } from "./use-chosen-answer.ts";

/** A write was sent and its answer never came: what was sent, what was seen since, and the three answers. */
export function AskForOutcome({ run, hasKeys = false, onDone }: DecisionProps) {
  const [asked, setAsked] = useChosenAnswer(run.run_id);
  const isEditor = useRole(useProject()).may("editor");
  const [outputText, setOutputText, clear] = useDraft(`outcome.${run.run_id}`, "");
  const open = openWriteOf(run);
  const resolve = useWrite("/latest/runs/{run_id}/resolve", {
    changes: runChanges,
    onDone: () => {
      clear();
      setAsked("");
      onDone?.();
    },
  });
  const output = readOutput(outputText);
  const answer = (outcome: Outcome) =>
    resolve.run({
      run_id: run.run_id,
      outcome,
      ...(open && run.step_id === null ? { step: open.step.name } : {}),
      ...(outcome === "happened" && output.value !== undefined ? { output: output.value } : {}),
    });
  return (
    <Section
      title="Outcome unknown"
      lead="A write was sent, and its response was lost. Check the system, then report what happened. Signalbox never sends it again by itself."
    >
      {run.problem ? <Text size="sm">{run.problem.detail}</Text> : null}
      <Stack gap={6}>
        <Title order={3} size="h6">
          What was sent
        </Title>
        {open?.sent ? <Sent attempt={open.sent} /> : <Text size="sm">The request was not recorded.</Text>}
      </Stack>
      <Stack gap={6}>
        <Title order={3} size="h6">
          What was seen since
        </Title>
        <Probes probes={open?.probes ?? []} />
      </Stack>
      <DecisionChoices
        hasKeys={hasKeys}
        isAsking={asked !== ""}
        refusal={isEditor ? null : "Only an editor of the project can decide."}
        choices={outcomes(run).map(({ outcome, label, key, consequence }) => ({
          key,
          label,
          consequence,
          isMain: outcome === "happened",
          onPress: () => setAsked(key),
        }))}
      />
      {outcomes(run).map(({ outcome, key, title, action, consequence, isDangerous }) => (
        <Confirm
          key={outcome}
          opened={asked === key}
          title={title}
          action={action}
          isDangerous={isDangerous}
          isRunning={resolve.isRunning}
          isDisabled={outcome === "happened" && output.mistake !== null}
          onConfirm={() => answer(outcome)}
          onClose={() => setAsked("")}
        >
          <ProblemNotice problem={resolve.problem} />
          <Text size="sm">{consequence}</Text>
          {outcome === "happened" ? (
            <JsonInput
              label="What the system returned, if you know it (JSON)"
              description="It becomes the output of the step, for the steps after it."
              value={outputText}
              onChange={setOutputText}
              error={output.mistake}
              autosize
              minRows={2}
              maxRows={10}
            />
          ) : null}
        </Confirm>
      ))}
    </Section>
  );
}

function readOutput(text: string): { value?: unknown; mistake: string | null } {
  if (text.trim() === "") return { mistake: null };
  try {
    return { value: JSON.parse(text), mistake: null };
  } catch {
    return { mistake: "This is not JSON yet." };
  }
}

const Sent = ({ attempt: { request, sent_at } }: { attempt: Attempt }) => (
  <>
    <RequestLine method={request.method} url={request.url} />
    {request.body === undefined ? null : <JsonView value={request.body} label="Body that was sent" />}
    <Text size="sm" c="dimmed">
      Sent <Time at={sent_at} exact />
    </Text>
  </>
);

function Probes({ probes }: { probes: Attempt[] }) {
  const last = probes.at(-1);
  if (!last) return <Text size="sm">The system was not asked, or has no way to tell.</Text>;
  return (
    <>
      <Text size="sm">
        The system was asked {probes.length === 1 ? "once" : `${probes.length} times`}, last <Time at={last.sent_at} />:
      </Text>
      <RequestLine method={last.request.method} url={last.request.url} />
      {last.response ? (
        <Text size="sm">
          It returned status {last.response.status}.{last.problem ? ` ${last.problem.detail}` : ""}
        </Text>
      ) : (
        <Text size="sm">{last.problem?.detail ?? "No response came."}</Text>
      )}
      {last.response?.body === undefined ? null : (
        <JsonView value={last.response.body} label="What the system returned" />
      )}
    </>
  );
}
