import { projectOf, type Scope } from "../access/scope.ts";
import { Problem } from "../kernel/problem.ts";
import type { RunStart } from "../runs/queue/start-run.ts";
import type { Db } from "../store/db.ts";
import { redact } from "../transport/redact.ts";
import { agentToRun } from "./agent-snapshot.ts";
import { requireAgent } from "./agents.ts";
import { agentRunStart, requireConversation, requireUnchanged } from "./conversations.ts";
import type { AgentPlan } from "./loop/plan.ts";
import type { Models } from "./models/model.ts";
import type { RunStarter } from "./run-starter.ts";

/** A person's message to an agent, which begins a conversation or continues one. */
export interface AgentMessage {
  agentId: string;
  text: string;
  conversationId: string | undefined;
}

export interface MessageStart {
  start: RunStart;
  plan: AgentPlan;
  /** For the transaction that stores the run: the agent may be deleted by then, or the conversation continued. */
  requireStill(db: Db): Promise<void>;
}

/** The run that answers a message. It needs a configured model and, to continue, a conversation that is not busy. */
export async function messageStart(
  scope: Scope,
  { agentId, text, conversationId }: AgentMessage,
  { models, tools }: { models: Pick<Models, "find">; tools: RunStarter },
): Promise<MessageStart> {
  const projectId = projectOf(scope);
  const agent = await requireAgent(scope.db, projectId, agentId);
  const found = models.find(agent.model);
  if ("missing" in found) throw new Problem("model_not_configured", found.missing);
  const conversation =
    conversationId === undefined ? null : await requireConversation(scope.db, projectId, agent.id, conversationId);
  const { start, plan } = agentRunStart({
    region: scope.region,
    organizationId: agent.organizationId,
    projectId,
    agent: await agentToRun(scope.db, agent, tools),
    // The same redacted text is stored, shown and sent to the model.
    params: { message: String(redact(text, [])) },
    conversation,
    source: { kind: "call" },
    startedBy: scope.actor.userId,
    keyId: scope.actor.keyId,
    now: scope.now(),
  });
  return {
    start,
    plan,
    async requireStill(db) {
      await requireAgent(db, projectId, agent.id);
      if (conversation) await requireUnchanged(db, projectId, agent.id, conversation);
    },
  };
}
