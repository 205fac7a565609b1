import { Button, Skeleton, Text, UnstyledButton } from "@mantine/core";
import { ProblemNotice } from "../../../shell/ProblemNotice.tsx";
import { useOnceTrue } from "../../../state/use-once-true.ts";
import { useList, useRead } from "../../../state/use-read.ts";
import { useSearchState } from "../../../state/use-search-state.ts";
import { Section } from "../../../ui/Section.tsx";
import { Time } from "../../../ui/times/Time.tsx";
import { StatusBadge } from "../../runs/StatusBadge.tsx";
import type { Agent } from "../agent-draft.ts";
import { NoModel } from "../NoModel.tsx";
import { Conversation } from "./Conversation.tsx";
import { MessageBox } from "./MessageBox.tsx";

/** The agent's conversations beside the one that is open. `?conversation=` names it. */
export function TalkTab({ agent }: { agent: Agent }) {
  const [open, setOpen] = useSearchState("conversation");
  return (
    <div className="talk">
      <Section
        title={open === "" ? "New conversation" : "Conversation"}
        actions={
          open === "" ? null : (
            <Button variant="default" size="compact-sm" onClick={() => setOpen("")}>
              New conversation
            </Button>
          )
        }
      >
        {open === "" ? (
          <NewConversation agent={agent} onSent={setOpen} />
        ) : (
          <Conversation key={open} agent={agent} conversationId={open} />
        )}
      </Section>
      <Conversations agent={agent} open={open} onOpen={setOpen} />
    </div>
  );
}

/** The field for the first message, with a word where no model would answer it. */
function NewConversation({ agent, onSent }: { agent: Agent; onSent: (conversationId: string) => void }) {
  const { data, error } = useRead("/latest/agents/models", {}, { staleTime: 60_000 });
  const isKnown = useOnceTrue(data !== undefined || error !== null);
  if (!isKnown) return <Skeleton height={140} role="status" aria-label="Loading" />;
  return (
    <>
      {agent.model === null && data?.problem ? (
        <NoModel missing={data.problem}>Rules for events work without a model.</NoModel>
      ) : null}
      <MessageBox agent={agent} conversationId="" busy={null} onSent={onSent} />
    </>
  );
}

interface ConversationsProps {
  agent: Agent;
  open: string;
  onOpen: (conversationId: string) => void;
}

function Conversations({ agent, open, onOpen }: ConversationsProps) {
  const list = useList(
    "/latest/agents/{agent_id}/conversations/list",
    { agent_id: agent.agent_id, limit: 50 },
    { every: 5_000 },
  );
  return (
    <Section title="Conversations">
      <ProblemNotice problem={list.problem} onRetry={() => void list.refetch()} />
      {list.rows === undefined && !list.problem ? <Skeleton height={120} aria-label="Loading conversations" /> : null}
      {list.rows?.length === 0 ? (
        <Text size="sm" c="dimmed">
          None yet. A message or an event begins one.
        </Text>
      ) : null}
      <ul className="short-list" aria-label="Conversations">
        {list.rows?.map((row) => (
          <li key={row.conversation_id}>
            <UnstyledButton
              className="talk-row"
              aria-current={row.conversation_id === open ? "true" : undefined}
              onClick={() => onOpen(row.conversation_id)}
            >
              <Text size="sm" fw={600} lineClamp={2} dir="auto" className="anywhere">
                {row.title}
              </Text>
              <span className="talk-facts">
                {row.last_status ? <StatusBadge status={row.last_status} /> : null}
                <Text span size="xs" c="dimmed">
                  <Time at={row.last_at} />
                  {row.runs > 1 ? `, ${row.runs} runs` : ""}
                </Text>
              </span>
            </UnstyledButton>
          </li>
        ))}
      </ul>
      {list.hasMore ? (
        <Button variant="default" size="compact-sm" onClick={list.loadMore} loading={list.isLoadingMore}>
          Show more
        </Button>
      ) : null}
    </Section>
  );
}
