import type { Db } from "../store/db.ts";
import { redactAnySize } from "../transport/redact-in-slices.ts";
import type { Agent } from "./agent-record.ts";
import type { AgentToRun } from "./conversations.ts";
import type { AgentParams } from "./loop/messages.ts";
import { nameAbilities } from "./loop/plan.ts";
import type { RunStarter } from "./run-starter.ts";

/** An agent to start, and its params. */
export interface EventAgent {
  agent: AgentToRun;
  params: AgentParams;
}

/**
 * The agent whose model decides about an event that no rule matches; null if it has no instructions or model. "With no
 * model configured an agent runs its rules instead."
 */
export async function findEventAgent(
  db: Db,
  agent: Agent,
  event: unknown,
  tools: RunStarter,
): Promise<EventAgent | null> {
  if (agent.instructions.trim() === "" || !tools.hasModel(agent.model)) return null;
  return { agent: await agentToRun(db, agent, tools), params: { event: await redactAnySize(event) } };
}

/** The agent and its tools as they are now. Deleted tools are left out. */
export async function agentToRun(db: Db, agent: Agent, tools: RunStarter): Promise<AgentToRun> {
  const found = [];
  for (const id of agent.tools) {
    const tool = await tools.find(db, agent.projectId, id);
    if (tool) found.push(tool);
  }
  const steps = agent.steps.map(({ step, connection_id: connectionId }) => ({ step, connectionId }));
  return {
    agentId: agent.id,
    name: agent.name,
    instructions: agent.instructions,
    model: agent.model,
    approval: agent.approval,
    turnsMax: agent.turnsMax,
    tokensMax: agent.tokensMax,
    minutesMax: agent.minutesMax,
    abilities: nameAbilities(steps, found),
  };
}
