import { type Agent, listAgentSizes, listAgents } from "../../agents/agents.ts";
import { fittingOf } from "../../calls/pages.ts";
import { listScheduleSizes, listSchedules, type Schedule } from "../../schedules/schedules.ts";
import type { Db } from "../../store/db.ts";
import { connectionIdsOf } from "../../tools/mistakes.ts";
import { listToolSizes, listTools, type Tool } from "../../tools/tools.ts";

export interface Impact {
  tools: { tool_id: string; title: string }[];
  agents: { agent_id: string; name: string }[];
  schedules: { schedule_id: string; tool_id: string }[];
}

type Page = { after: string; limit: number };
const pageRows = 100;

/** Tools with a step that names the connection, what would start them by itself, and agents that may use either. */
export async function impactOf(db: Db, projectId: string, connectionId: string): Promise<Impact> {
  const impact: Impact = { tools: [], agents: [], schedules: [] };
  const tools = pagesOf<Tool>({
    sizes: (page) => listToolSizes(db, projectId, page),
    read: (page) => listTools(db, projectId, page),
  });
  for await (const { id, definition } of tools) {
    if (connectionIdsOf(definition).includes(connectionId)) impact.tools.push({ tool_id: id, title: definition.title });
  }
  const toolIds = new Set(impact.tools.map(({ tool_id }) => tool_id));
  const schedules = pagesOf<Schedule>({
    sizes: (page) => listScheduleSizes(db, projectId, undefined, page),
    read: (page) => listSchedules(db, projectId, undefined, page),
  });
  for await (const { id, toolId } of schedules) {
    if (toolIds.has(toolId)) impact.schedules.push({ schedule_id: id, tool_id: toolId });
  }
  const agents = pagesOf<Agent>({
    sizes: (page) => listAgentSizes(db, projectId, page),
    read: (page) => listAgents(db, projectId, page),
  });
  for await (const { id, name, rules, tools: allowed, steps } of agents) {
    const uses = [...rules.map((rule) => rule.tool_id), ...allowed].some((toolId) => toolIds.has(toolId));
    if (uses || steps.some((step) => step.connection_id === connectionId)) impact.agents.push({ agent_id: id, name });
  }
  return impact;
}

/** All of them, a page at a time: between two pages everybody else has a turn. */
async function* pagesOf<T extends { id: string }>(list: {
  sizes(page: Page): Promise<number[]>;
  read(page: Page): Promise<T[]>;
}): AsyncGenerator<T> {
  for (let after = ""; ; ) {
    const sizes = await list.sizes({ after, limit: pageRows });
    if (sizes.length === 0) return;
    const page = await list.read({ after, limit: fittingOf(sizes, pageRows) });
    yield* page;
    after = page.at(-1)?.id ?? "";
    if (after === "") return;
    await new Promise((resolve) => setImmediate(resolve));
  }
}
