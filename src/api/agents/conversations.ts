import * as z from "zod";
import { projectOf } from "../../access/scope.ts";
import { requireAgent } from "../../agents/agents.ts";
import {
  listTitledConversations,
  replyOf,
  requireConversationRuns,
  type TitledConversation,
} from "../../agents/conversations.ts";
import { operation } from "../../calls/define-operation.ts";
import { onePageOf, pageInput, pageOutput, toPage } from "../../calls/list-pages.ts";
import { redactAnySize } from "../../transport/redact-in-slices.ts";
import { idField, timeField } from "../shared-fields.ts";
import { runStatus } from "../steps/step-response.ts";
import { agentId } from "./agent-response.ts";

const conversationRecord = z.object({
  conversation_id: z.string(),
  agent_id: z.string(),
  runs: z.int().meta({ description: "How many runs it has" }),
  title: z.string().meta({ description: "The first words of the message that began it, or the name of the event" }),
  last_run_id: z.string().meta({ description: "The newest of them" }),
  last_status: runStatus.nullable().meta({ description: "How that run stands" }),
  created_at: timeField,
  last_at: timeField.meta({ description: "When its newest run began" }),
});
z.globalRegistry.add(conversationRecord, { id: "Conversation" });

const toRecord =
  (agent: string) =>
  (conversation: TitledConversation): z.input<typeof conversationRecord> => ({
    conversation_id: conversation.id,
    agent_id: agent,
    runs: conversation.runs,
    title: conversation.title,
    last_run_id: conversation.lastRunId,
    last_status: conversation.lastStatus,
    created_at: conversation.startedAt,
    last_at: conversation.lastAt,
  });

const shownMax = 100;

export const agentConversationOperations = [
  operation({
    path: "/latest/agents/{agent_id}/conversations/list",
    area: "agents",
    summary: "List an agent's conversations, newest first",
    needs: "project editor",
    audit: null,
    refuses: ["agent_not_found"],
    input: z.object({ agent_id: agentId, ...pageInput }),
    output: pageOutput(conversationRecord),
    example: { agent_id: "agt_us_…" },
    async run(scope, input) {
      const projectId = projectOf(scope);
      const { id } = await requireAgent(scope.db, projectId, input.agent_id);
      const rows = await listTitledConversations(scope.db, projectId, id, onePageOf(input));
      return toPage(rows, input.limit, (row) => row.id, toRecord(id));
    },
  }),
  operation({
    path: "/latest/agents/{agent_id}/conversations/{conversation_id}/get",
    area: "agents",
    summary: "Read the messages of a conversation, oldest first",
    description: `The last ${shownMax} runs of it. \`runs/{run_id}/get\` shows what each of them did.`,
    needs: "project editor",
    audit: null,
    refuses: ["agent_not_found", "conversation_not_found"],
    input: z.object({
      agent_id: agentId,
      conversation_id: idField.meta({ description: "The conversation, from the run's record" }),
    }),
    output: z.object({
      conversation_id: z.string(),
      agent_id: z.string(),
      messages: z
        .array(
          z.object({
            run_id: z.string(),
            status: runStatus,
            params: z.unknown().meta({ description: "The `message` or the `event` that began the run" }),
            reply: z.string().nullable().meta({ description: "The agent's reply; null if there is none yet" }),
            created_at: timeField,
          }),
        )
        .meta({ description: "One for each run" }),
    }),
    example: { agent_id: "agt_us_…", conversation_id: "cnv_us_…" },
    async run(scope, input) {
      const projectId = projectOf(scope);
      const { id } = await requireAgent(scope.db, projectId, input.agent_id);
      const runs = await requireConversationRuns(scope.db, projectId, id, input.conversation_id, shownMax);
      const messages = [];
      for (const run of runs) {
        const params = await redactAnySize(run.params);
        messages.push({ run_id: run.id, status: run.status, params, reply: replyOf(run), created_at: run.createdAt });
      }
      return { conversation_id: input.conversation_id, agent_id: id, messages };
    },
  }),
];
