import { listSchedules } from "../runs/schedules.ts";
import { connectionIdsOf } from "../runs/tool-mistakes.ts";
import { listTools, type Tool } from "../runs/tools.ts";
import type { Db } from "../store/db.ts";
import { listAgents } from "../webhooks/agents.ts";

export interface Impact {
  tools: { tool_id: string; title: string }[];
  agents: { agent_id: string; name: string }[];
  schedules: { schedule_id: string; tool_id: string }[];
}

const pageRows = 100;

/** Tools with a step that names the connection, what would start them by itself, and agents that may use either. */
export async function impactOf(db: Db, projectId: string, connectionId: string): Promise<Impact> {
  const tools = (await all((page) => listTools(db, projectId, page))).filter((tool) => names(tool, connectionId));
  const toolIds = new Set(tools.map(({ id }) => id));
  const schedules = await all((page) => listSchedules(db, projectId, undefined, page));
  const agents = await all((page) => listAgents(db, projectId, page));
  return {
    tools: tools.map(({ id, definition }) => ({ tool_id: id, title: definition.title })),
    agents: agents
      .filter(
        ({ rules, tools: allowed, steps }) =>
          [...rules.map((rule) => rule.tool_id), ...allowed].some((id) => toolIds.has(id)) ||
          steps.some((step) => step.connection_id === connectionId),
      )
      .map(({ id, name }) => ({ agent_id: id, name })),
    schedules: schedules
      .filter(({ toolId }) => toolIds.has(toolId))
      .map(({ id, toolId }) => ({ schedule_id: id, tool_id: toolId })),
  };
}

const names = ({ definition }: Tool, connectionId: string): boolean =>
  connectionIdsOf(definition).includes(connectionId);

async function all<T extends { id: string }>(
  read: (page: { after: string; limit: number }) => Promise<T[]>,
): Promise<T[]> {
  const found: T[] = [];
  for (let after = ""; ; after = found.at(-1)?.id ?? "") {
    const page = await read({ after, limit: pageRows });
    found.push(...page);
    if (page.length < pageRows) return found;
  }
}
