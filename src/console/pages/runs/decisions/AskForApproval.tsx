import { Stack, Text } from "@mantine/core";
import { useState } from "react";
import { ProblemNotice } from "../../../shell/ProblemNotice.tsx";
import { useProject } from "../../../state/use-project.ts";
import { useRole } from "../../../state/use-who.ts";
import { useWrite } from "../../../state/use-write.ts";
import { Confirm } from "../../../ui/dialogs/Confirm.tsx";
import { JsonView } from "../../../ui/JsonView.tsx";
import { Notice } from "../../../ui/Notice.tsx";
import { Section } from "../../../ui/Section.tsx";
import { DecisionChoices } from "./DecisionChoices.tsx";
import type { DecisionProps } from "./decision-props.ts";
import { RequestLine } from "./RequestLine.tsx";
import { runChanges } from "./reads-to-refresh.ts";
import { fingerprintOf } from "./request-fingerprint.ts";
import { useChosenAnswer } from "./use-chosen-answer.ts";
import { whatApprovalSends } from "./what-approval-sends.ts";

/** A run that asks before it sends. The answer names the request that is shown: where it is another by now, it is refused. */
export function AskForApproval({ run, hasKeys = false, onDone }: DecisionProps) {
  const shown = fingerprintOf(run.waiting_for?.request);
  const [firstShown] = useState(shown);
  const [asked, setAsked] = useChosenAnswer(`${run.run_id}.${run.waiting_for?.step ?? ""}.${shown}`);
  const isEditor = useRole(useProject()).may("editor");
  const approve = useWrite("/latest/runs/{run_id}/approve", {
    changes: runChanges,
    onDone: () => {
      setAsked("");
      onDone?.();
    },
  });
  const wait = run.waiting_for;
  if (!wait) return null;
  const afterRefusal =
    run.agent_id === null
      ? "Nothing is sent, and the run ends as failed."
      : "Nothing is sent. The agent learns that you refused, and may try something else.";
  const answer = (approved: boolean) =>
    approve.run({
      run_id: run.run_id,
      approved,
      ...(wait.step === undefined ? {} : { step: wait.step }),
      ...(wait.request === undefined ? {} : { request: wait.request }),
    });
  return (
    <Section title="Approval needed" lead={<span dir="auto">{wait.detail}</span>}>
      {shown === firstShown ? null : (
        <Notice tone="warn">The request has changed since you opened it. Read it again before you decide.</Notice>
      )}
      <ShownRequest request={wait.request} />
      <DecisionChoices
        hasKeys={hasKeys}
        isAsking={asked !== ""}
        refusal={isEditor ? null : "Only an editor of the project can decide."}
        choices={[
          {
            key: "y",
            label: "Approve",
            consequence: `${whatApprovalSends(wait.request)} The audit log names you.`,
            isMain: true,
            onPress: () => setAsked("y"),
          },
          { key: "n", label: "Refuse", consequence: afterRefusal, onPress: () => setAsked("n") },
        ]}
      />
      <Confirm
        opened={asked === "y"}
        title="Approve this request?"
        action="Approve and send"
        isRunning={approve.isRunning}
        onConfirm={() => answer(true)}
        onClose={() => setAsked("")}
      >
        <ProblemNotice problem={approve.problem} />
        <Text size="sm">
          {whatApprovalSends(wait.request)} The audit log names you.
          {wait.request ? " If it would be something else by then, the run fails, and nothing is sent." : ""}
        </Text>
      </Confirm>
      <Confirm
        opened={asked === "n"}
        title="Refuse this request?"
        action="Refuse"
        isDangerous
        isRunning={approve.isRunning}
        onConfirm={() => answer(false)}
        onClose={() => setAsked("")}
      >
        <ProblemNotice problem={approve.problem} />
        <Text size="sm">{afterRefusal}</Text>
      </Confirm>
    </Section>
  );
}

function ShownRequest({ request }: { request: unknown }) {
  if (request === undefined || request === null) {
    return <Text size="sm">Nothing is sent by the next step; the run continues after it.</Text>;
  }
  const { requests, count } = request as { requests?: unknown[]; count?: number };
  if (!Array.isArray(requests)) return <OneRequest request={request} />;
  return (
    <Stack gap="sm">
      <Text size="sm">
        {count} requests are sent
        {count !== undefined && count > requests.length ? `; the first ${requests.length} are` : ", as"} shown here.
      </Text>
      {requests.map((each, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the requests of one approval never change.
        <OneRequest key={index} request={each} />
      ))}
    </Stack>
  );
}

function OneRequest({ request }: { request: unknown }) {
  const { method, url, body } = request as { method?: unknown; url?: unknown; body?: unknown };
  if (typeof method !== "string" || typeof url !== "string")
    return <JsonView value={request} label="What will be done" />;
  return (
    <Stack gap={6}>
      <RequestLine method={method} url={url} />
      {body === undefined ? null : <JsonView value={body} label="Body that will be sent" />}
    </Stack>
  );
}
