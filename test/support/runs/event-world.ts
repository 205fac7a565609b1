import type { StoreKind } from "../stores.ts";
import { startTeam, type Team } from "../team.ts";
import { newAgent, newTool, type TestAgent } from "./agents.ts";

/** A team with a tool, and an agent whose rule starts it when a deployment fails. */
export interface World {
  team: Team;
  toolId: string;
  agent: TestAgent;
}

export async function startWorld(kind: StoreKind, rule: object = {}): Promise<World> {
  const team = await startTeam(kind);
  const toolId = await newTool(team);
  const agent = await newAgent(team, { rules: [{ on: "deployment.failed", tool_id: toolId, ...rule }] });
  return { team, toolId, agent };
}

export const runsIn = ({ store }: Team) => store.query<{ id: string }>("select id from runs order by id");
export const eventsIn = ({ store }: Team) => store.query<{ id: string }>("select id from events order by id");
export const change = (team: Team, operation: string, body: object = {}) =>
  team.call(operation, body, team.inProject(team.owner));
