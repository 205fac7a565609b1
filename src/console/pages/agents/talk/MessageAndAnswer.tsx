import { Anchor, Button, Group, Loader, Skeleton, Stack, Text } from "@mantine/core";
import { useEffect, useState } from "react";
import type { OutputOf } from "../../../../client/wire.ts";
import { paths } from "../../../paths.ts";
import { AppLink } from "../../../shell/AppLink.tsx";
import { ProblemNotice } from "../../../shell/ProblemNotice.tsx";
import { useProject } from "../../../state/use-project.ts";
import { useRead } from "../../../state/use-read.ts";
import { JsonView } from "../../../ui/JsonView.tsx";
import { Time } from "../../../ui/times/Time.tsx";
import { Decision } from "../../runs/decisions/Decision.tsx";
import { hasEnded, type RunRecord } from "../../runs/describe-status.ts";
import { AutomaticWaitNotice } from "../../runs/detail/AutomaticWaitNotice.tsx";
import { StatusBadge } from "../../runs/StatusBadge.tsx";
import type { Names } from "../../runs/use-names.ts";
import { CallCard } from "./CallCard.tsx";
import { turnsOf } from "./turns.ts";

export type Message = OutputOf<"/latest/agents/{agent_id}/conversations/{conversation_id}/get">["messages"][number];

interface MessageAndAnswerProps {
  message: Message;
  agentName: string;
  names: Names;
  /** Older ones are shown by what was said; what was done is read when somebody asks for it. */
  isWhole: boolean;
  onEnded: () => void;
}

/** One run of a conversation: what began it, what the agent did and said, and what a person has to decide. */
export function MessageAndAnswer({ message, agentName, names, isWhole, onEnded }: MessageAndAnswerProps) {
  const [isOpen, setOpen] = useState(isWhole);
  return (
    <Stack gap="sm" component="article" aria-label={`Message of ${new Date(message.created_at).toLocaleString()}`}>
      <Opening message={message} />
      {isOpen ? (
        <WholeRun runId={message.run_id} agentName={agentName} names={names} onEnded={onEnded} />
      ) : (
        <>
          <Bubble name={agentName} text={message.reply ?? "It ended without a reply."} />
          <div>
            <Button variant="subtle" size="compact-sm" onClick={() => setOpen(true)}>
              Show what it did
            </Button>
          </div>
        </>
      )}
    </Stack>
  );
}

function Opening({ message }: { message: Message }) {
  const params = message.params as { message?: unknown; event?: { on?: unknown; type?: unknown } };
  if (typeof params.message === "string") {
    return (
      <div className="said said-person">
        <Text size="xs" c="dimmed">
          Message, <Time at={message.created_at} />
        </Text>
        <div className="said-text" dir="auto">
          {params.message}
        </div>
      </div>
    );
  }
  return (
    <div className="said said-person">
      <Text size="xs" c="dimmed">
        Event, <Time at={message.created_at} />
      </Text>
      <details>
        <summary className="summary">{String(params.event?.on ?? params.event?.type ?? "What was sent")}</summary>
        <JsonView value={params.event} label="Event" />
      </details>
    </div>
  );
}

const Bubble = ({ name, text }: { name: string; text: string }) => (
  <div className="said said-agent">
    <Text size="xs" c="dimmed" dir="auto">
      {name}
    </Text>
    <div className="said-text" dir="auto">
      {text}
    </div>
  </div>
);

interface WholeRunProps {
  runId: string;
  agentName: string;
  names: Names;
  onEnded: () => void;
}

function WholeRun({ runId, agentName, names, onEnded }: WholeRunProps) {
  const projectId = useProject();
  const [every, setEvery] = useState<number | false>(1000);
  const { data: run, error, refetch } = useRead("/latest/runs/{run_id}/get", { run_id: runId }, { every });
  const isOver = run !== undefined && hasEnded(run.status);
  useEffect(() => {
    if (!isOver) return;
    setEvery(false);
    onEnded();
  }, [isOver, onEnded]);
  if (!run) {
    return error ? (
      <ProblemNotice problem={error} onRetry={() => void refetch()} />
    ) : (
      <Skeleton height={80} role="status" aria-label="Loading what it did" />
    );
  }
  return (
    <>
      {turnsOf(run).map(({ step, text, calls }) => (
        <Stack key={step.name} gap={6}>
          {text === "" ? null : <Bubble name={agentName} text={text} />}
          {calls.map((call, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a call is its position in the turn.
            <CallCard key={index} call={call} run={run} names={names} />
          ))}
        </Stack>
      ))}
      <Decision run={run} />
      <AutomaticWaitNotice run={run} />
      <ProblemNotice problem={run.problem} />
      <RunLine run={run} to={paths.run(projectId, runId)} isOver={isOver} />
    </>
  );
}

const RunLine = ({ run, to, isOver }: { run: RunRecord; to: string; isOver: boolean }) => (
  <Group gap="sm" role="status" aria-live="polite">
    <StatusBadge status={run.status} />
    {isOver || run.status === "waiting" || run.status === "outcome_unknown" ? null : (
      <Loader size={14} role="status" aria-label="It works" />
    )}
    {run.usage ? (
      <Text size="sm" c="dimmed">
        {run.usage.turns === 1 ? "1 turn" : `${run.usage.turns} turns`}, {run.usage.total_tokens.toLocaleString()}{" "}
        tokens
      </Text>
    ) : null}
    <Anchor component={AppLink} to={to} size="sm">
      Open the run
    </Anchor>
  </Group>
);
