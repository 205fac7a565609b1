import type { StoreKind } from "../stores.ts";
import { startTeam } from "../team.ts";

/** Needs no connection, and sends nothing. */
export const pause = { name: "pause", step: "wait", input: { seconds: 1 } };
export const waiting = { title: "Waits", params_schema: { type: "object" }, steps: [pause] };

export async function startWithTool(kind: StoreKind) {
  const team = await startTeam(kind);
  const options = team.inProject(team.owner);
  const call = (operation: string, body: unknown = {}) => team.call(operation, body, options);
  const { body } = await call("tools/create", waiting);
  const toolId: string = body.tool_id;
  return { team, call, toolId, options };
}

/** The contract's example, with a connection of the team. */
export const redeploy = (connectionId: string) => ({
  title: "Redeploy a branch",
  params_schema: { type: "object", properties: { branch: { type: "string" } }, required: ["branch"] },
  steps: [
    { name: "latest", step: "list_deployments", connection_id: connectionId, input: { limit: 5 } },
    {
      name: "again",
      step: "create_deployment",
      connection_id: connectionId,
      input: { project: "web", branch: "{{params.branch}}" },
      if: "{{ $count(steps.latest.output.deployments) > 0 }}",
    },
  ],
  output: "{{steps.again.output}}",
});
