import type { Db } from "../store/db.ts";
import { redact } from "../transport/redact.ts";
import type { Agent } from "./agent.ts";
import type { AgentParams } from "./loop/messages.ts";
import { nameAbilities } from "./loop/plan.ts";
import type { AgentToRun } from "./runs.ts";
import type { ToolDoor } from "./start-run.ts";

/** An agent that will be asked, and with what. */
export interface AskedAgent {
  agent: AgentToRun;
  params: AgentParams;
}

/**
 * The agent that decides about an event which no rule fits; null where it has nothing to decide by. "With no model configured
 * an agent runs its rules instead."
 */
export async function askedAbout(db: Db, agent: Agent, event: unknown, tools: ToolDoor): Promise<AskedAgent | null> {
  if (agent.instructions.trim() === "" || !tools.hasModel(agent.model)) return null;
  return { agent: await agentToRun(db, agent, tools), params: { event: redact(event, []) } };
}

/** As it is now, with its tools as they would run now. Tools that are gone are left out. */
export async function agentToRun(db: Db, agent: Agent, tools: ToolDoor): Promise<AgentToRun> {
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
