import { Skeleton, Stack } from "@mantine/core";
import { useCallback } from "react";
import { ProblemNotice } from "../../../shell/ProblemNotice.tsx";
import { useRead, useRefresh } from "../../../state/use-read.ts";
import { hasEnded, type RunStatus } from "../../runs/describe-status.ts";
import { useNames } from "../../runs/use-names.ts";
import type { Agent } from "../agent-draft.ts";
import { MessageAndAnswer } from "./MessageAndAnswer.tsx";
import { MessageBox } from "./MessageBox.tsx";

const wholeExchanges = 4;

function busyWith(status: RunStatus): string | null {
  if (hasEnded(status)) return null;
  return status === "outcome_unknown" || status === "waiting"
    ? "It waits, as said above. A conversation continues when its last run has ended."
    : "It is still working. Wait for its reply first.";
}

/** One conversation, oldest first, and the field that continues it. */
export function Conversation({ agent, conversationId }: { agent: Agent; conversationId: string }) {
  const names = useNames();
  const refresh = useRefresh();
  const read = useRead(
    "/latest/agents/{agent_id}/conversations/{conversation_id}/get",
    { agent_id: agent.agent_id, conversation_id: conversationId },
    { every: 5_000 },
  );
  const onEnded = useCallback(
    () =>
      void refresh(
        "/latest/agents/{agent_id}/conversations/{conversation_id}/get",
        "/latest/agents/{agent_id}/conversations/list",
      ),
    [refresh],
  );
  const messages = read.data?.messages ?? [];
  const last = messages.at(-1);
  return (
    <Stack gap="lg">
      <ProblemNotice problem={read.error} onRetry={() => void read.refetch()} />
      {read.data === undefined && !read.error ? (
        <Skeleton height={200} role="status" aria-label="Loading the conversation" />
      ) : null}
      {messages.map((message, index) => (
        <MessageAndAnswer
          key={message.run_id}
          message={message}
          agentName={agent.name}
          names={names}
          isWhole={index >= messages.length - wholeExchanges}
          onEnded={onEnded}
        />
      ))}
      {read.data ? (
        <MessageBox
          agent={agent}
          conversationId={conversationId}
          busy={last ? busyWith(last.status) : null}
          onSent={() => {}}
        />
      ) : null}
    </Stack>
  );
}
