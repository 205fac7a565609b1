import { Stack, Text, UnstyledButton } from "@mantine/core";
import { useId } from "react";
import { ProblemNotice } from "../../../shell/ProblemNotice.tsx";
import { useSearchState } from "../../../state/use-search-state.ts";
import { CodeWords } from "../../../ui/CodeWords.tsx";
import { Empty } from "../../../ui/Empty.tsx";
import { Notice } from "../../../ui/Notice.tsx";
import { duration } from "../../../ui/times/duration.ts";
import { hasEnded, type RunRecord, type StepOfRun, toneOf, toolWords } from "../describe-status.ts";
import { StatusBadge } from "../StatusBadge.tsx";
import type { Names } from "../use-names.ts";
import { Attempts } from "./Attempts.tsx";
import { OutputView } from "./OutputView.tsx";
import { noticedMs, noticedWaits } from "./request-waits.ts";
import { type Span, spanOf } from "./timeline-span.ts";
import { WaitSentence } from "./WaitSentence.tsx";

/** The steps of a run in their order, each with when it ran, what it waited for and what it sent. */
export function RunTimeline({ run, names }: { run: RunRecord; names: Names }) {
  const [chosen, setChosen] = useSearchState("step");
  const [, setAttempt] = useSearchState("attempt");
  if (run.steps.length === 0) {
    return (
      <Empty title={hasEnded(run.status) ? "No step ran" : "No step has begun yet"}>
        Each step appears here when it begins.
      </Empty>
    );
  }
  const open = chosen === "" ? interestingStep(run.steps) : Number(chosen) - 1;
  return (
    <ol className="timeline" aria-label="Steps">
      {run.steps.map((step, index) => (
        <StepItem
          // biome-ignore lint/suspicious/noArrayIndexKey: a step is its position.
          key={index}
          run={run}
          step={step}
          title={names.find(step.step) ?? toolWords[step.step] ?? null}
          span={spanOf(run, step, Date.now())}
          isOpen={index === open}
          onToggle={() => {
            setAttempt("");
            setChosen(index === open ? "0" : String(index + 1));
          }}
        />
      ))}
    </ol>
  );
}

/** Without a choice in the address: the step that needs a look, or the only one. */
function interestingStep(steps: StepOfRun[]): number {
  const needsLook = steps.findIndex(({ status }) => status === "outcome_unknown" || status === "failed");
  return needsLook >= 0 ? needsLook : steps.length === 1 ? 0 : -1;
}

interface StepItemProps {
  run: RunRecord;
  step: StepOfRun;
  title: string | null;
  span: Span | null;
  isOpen: boolean;
  onToggle: () => void;
}

function StepItem({ run, step, title, span, isOpen, onToggle }: StepItemProps) {
  const id = useId();
  const wait = run.waiting_for;
  return (
    <li className={`timeline-step status-${toneOf(step.status)}`}>
      <span className="timeline-dot" aria-hidden="true" />
      <UnstyledButton className="timeline-head" aria-expanded={isOpen} aria-controls={id} onClick={onToggle}>
        <span className="timeline-name">
          <Text span fw={600} dir="auto" className="anywhere">
            {step.name}
          </Text>
          <Text span size="sm" c="dimmed">
            {" "}
            {title ?? step.step}
          </Text>
        </span>
        <StatusBadge status={step.status} />
        <Text span size="sm" c="dimmed" className="timeline-took">
          {[requestsOf(step), waitedOf(step), span ? duration(span.milliseconds) : ""].filter(Boolean).join(" · ")}
        </Text>
      </UnstyledButton>
      {step.status === "waiting" && wait?.step === step.name ? (
        <Text size="sm" className="timeline-now">
          <WaitSentence wait={wait} />
        </Text>
      ) : null}
      {span ? (
        <div className="timeline-bar" aria-hidden="true">
          <div style={barStyle(span)} />
          {span.waits.map((wait) => (
            <div key={wait.left} className="timeline-wait" style={barStyle(wait)} />
          ))}
        </div>
      ) : null}
      <div id={id} hidden={!isOpen}>
        {isOpen ? <StepBody run={run} step={step} /> : null}
      </div>
    </li>
  );
}

const barStyle = ({ left, width }: { left: number; width: number }) => ({ left: `${left}%`, width: `${width}%` });

function waitedOf(step: StepOfRun): string {
  const waited = noticedWaits(step).reduce((sum, { milliseconds }) => sum + milliseconds, 0);
  return waited === 0 ? "" : `waited ${duration(waited)}`;
}

const requestsOf = ({ attempts }: StepOfRun): string =>
  attempts.length === 0 ? "" : attempts.length === 1 ? "1 request" : `${attempts.length.toLocaleString()} requests`;

function StepBody({ run, step }: { run: RunRecord; step: StepOfRun }) {
  const waited = step.attempts.reduce((sum, { waited_ms }) => sum + waited_ms, 0);
  return (
    <Stack gap="md" py="sm" px={8}>
      <ProblemNotice problem={step.problem} tone={step.status === "outcome_unknown" ? "warn" : "bad"} />
      {step.warnings?.map((warning) => (
        <Notice key={warning} tone="warn">
          <CodeWords text={warning} />
        </Notice>
      ))}
      {waited >= noticedMs ? <Text size="sm">Waited {duration(waited)} for limits in all.</Text> : null}
      <Attempts step={step} />
      <Stack gap={6}>
        <Text size="sm" fw={600}>
          Output
        </Text>
        <OutputView runId={run.run_id} value={step.output} large={step.large_output} label={`Output of ${step.name}`} />
      </Stack>
    </Stack>
  );
}
