import { listScheduleSizes, listSchedules, type Schedule } from "../schedules/schedules.ts";
import type { Db } from "../store/db.ts";
import { rowsThatFit } from "../store/page-rows.ts";
import { connectionIdsOf } from "../tools/find-mistakes.ts";
import { listToolSizes, listTools, type Tool } from "../tools/tools.ts";
import { type Agent, listAgentSizes, listAgents } from "./agents.ts";

export interface Impact {
  tools: { id: string; title: string }[];
  agents: { id: string; name: string }[];
  schedules: { id: string; toolId: string }[];
}

type Page = { after: string; limit: number };
const pageRows = 100;

/**
 * Tools with a step that names the connection, their schedules, and agents that may use such a tool or the connection.
 */
export async function impactOf(db: Db, projectId: string, connectionId: string): Promise<Impact> {
  const impact: Impact = { tools: [], agents: [], schedules: [] };
  const tools = pagesOf<Tool>({
    sizes: (page) => listToolSizes(db, projectId, page),
    read: (page) => listTools(db, projectId, page),
  });
  for await (const { id, definition } of tools) {
    if (connectionIdsOf(definition).includes(connectionId)) impact.tools.push({ id, title: definition.title });
  }
  const toolIds = new Set(impact.tools.map(({ id }) => id));
  const schedules = pagesOf<Schedule>({
    sizes: (page) => listScheduleSizes(db, projectId, undefined, page),
    read: (page) => listSchedules(db, projectId, undefined, page),
  });
  for await (const { id, toolId } of schedules) {
    if (toolIds.has(toolId)) impact.schedules.push({ id, toolId });
  }
  const agents = pagesOf<Agent>({
    sizes: (page) => listAgentSizes(db, projectId, page),
    read: (page) => listAgents(db, projectId, page),
  });
  for await (const { id, name, rules, tools: allowed, steps } of agents) {
    const uses = [...rules.map((rule) => rule.tool_id), ...allowed].some((toolId) => toolIds.has(toolId));
    if (uses || steps.some((step) => step.connection_id === connectionId)) impact.agents.push({ id, name });
  }
  return impact;
}

/** Reads all rows, a page at a time: between two pages the event loop serves other callers. */
async function* pagesOf<T extends { id: string }>(list: {
  sizes(page: Page): Promise<number[]>;
  read(page: Page): Promise<T[]>;
}): AsyncGenerator<T> {
  for (let after = ""; ; ) {
    const sizes = await list.sizes({ after, limit: pageRows });
    if (sizes.length === 0) return;
    const page = await list.read({ after, limit: rowsThatFit(sizes, pageRows) });
    yield* page;
    after = page.at(-1)?.id ?? "";
    if (after === "") return;
    await new Promise((resolve) => setImmediate(resolve));
  }
}
