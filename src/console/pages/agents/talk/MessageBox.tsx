import { Button, Group, Stack, Text, Textarea } from "@mantine/core";
import type { FormEvent, KeyboardEvent } from "react";
import { ProblemNotice } from "../../../shell/ProblemNotice.tsx";
import { useDraft } from "../../../state/use-draft.ts";
import { useWrite } from "../../../state/use-write.ts";
import type { Agent } from "../agent-draft.ts";

interface MessageBoxProps {
  agent: Agent;
  /** Empty: a new conversation begins. */
  conversationId: string;
  /** Why no message can be sent now. */
  busy: string | null;
  onSent: (conversationId: string) => void;
}

/** What a person wants of the agent. */
export function MessageBox({ agent, conversationId, busy, onSent }: MessageBoxProps) {
  const [text, setText, clear] = useDraft(`message.${agent.agent_id}.${conversationId}`, "");
  const send = useWrite("/latest/agents/{agent_id}/trigger", {
    changes: [
      "/latest/agents/{agent_id}/conversations/list",
      "/latest/agents/{agent_id}/conversations/{conversation_id}/get",
    ],
    onDone: ({ conversation_id }) => {
      clear();
      onSent(conversation_id ?? "");
    },
  });
  const submit = (event?: FormEvent) => {
    event?.preventDefault();
    if (text.trim() === "" || busy !== null) return;
    send.run({
      agent_id: agent.agent_id,
      message: text,
      wait_seconds: 0,
      ...(conversationId === "" ? {} : { conversation_id: conversationId }),
    });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) submit();
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="xs">
        <ProblemNotice problem={send.problem} />
        <Textarea
          label={conversationId === "" ? "Ask it something" : "Go on"}
          placeholder={conversationId === "" ? "Did the last deployment of web succeed?" : ""}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          onKeyDown={onKeyDown}
          maxLength={100_000}
          autosize
          minRows={2}
          maxRows={12}
          dir="auto"
        />
        <Group justify="flex-end" gap="sm">
          <Text size="sm" c="dimmed">
            {busy ?? "Ctrl Enter sends it."}
          </Text>
          <Button type="submit" loading={send.isRunning} disabled={text.trim() === "" || busy !== null}>
            Send
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
