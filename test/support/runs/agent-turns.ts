import type { AgentWorld } from "./agent-world.ts";
import { newTool } from "./agents.ts";
import type { Turn } from "./models.ts";

/** Turns of scripted models, and their effects. */

export const looks: Turn = { calls: [{ name: "list_deployments", input: { limit: 1 } }] };
export const creates: Turn = { calls: [{ name: "create_deployment", input: { project: "web", branch: "main" } }] };
export const done: Turn = { text: "Done." };
const createPath = "/v13/deployments";

/** How many deployments were requested. */
export const created = async (world: AgentWorld) =>
  (await world.sandboxes.deployment.requests(createPath)).filter(({ method }) => method === "POST").length;

export const tool = (world: AgentWorld, more: Record<string, unknown>) =>
  newTool(
    { call: world.app.call, owner: world.owner, inProject: () => ({ as: world.owner, project: world.projectId }) },
    more,
  );
