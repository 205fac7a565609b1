import { createHmac } from "node:crypto";
import type { TestAnswer } from "../app.ts";
import type { Team } from "../team.ts";

/** An agent as a sender of events sees it. */
export interface TestAgent {
  id: string;
  url: string;
  secret: string;
}

/** One step that only waits: it needs no connection, and takes its input unchanged. */
export const quickTool = (more: Record<string, unknown> = {}) => ({
  title: "Take note",
  params_schema: { type: "object" },
  steps: [{ name: "rest", step: "wait", input: { seconds: 0 } }],
  output: "{{params}}",
  ...more,
});

export async function newTool(
  team: Pick<Team, "call" | "inProject" | "owner">,
  more: Record<string, unknown> = {},
): Promise<string> {
  const { body, text } = await team.call("tools/create", quickTool(more), team.inProject(team.owner));
  if (!body.tool_id) throw new Error(`No tool: ${text}`);
  return body.tool_id;
}

export async function newAgent(team: Team, more: Record<string, unknown> = {}): Promise<TestAgent> {
  const { body, text } = await team.call("agents/create", { name: "Watch", ...more }, team.inProject(team.owner));
  if (!body.agent_id) throw new Error(`No agent: ${text}`);
  return { id: body.agent_id, url: body.webhook_url, secret: body.webhook_secret };
}

let count = 0;

/** An event in the deployment platform's format, with its own id. */
export const platformEvent = (type: string, more: Record<string, unknown> = {}) => ({
  id: `evt_platform_${count++}`,
  type,
  createdAt: 1_730_000_041_000,
  region: "iad1",
  payload: { team: { id: "team_1" }, project: { id: "prj_A1" }, deployment: { id: "dpl_7Qm2", name: "web", meta: {} } },
  ...more,
});

/** "Lower-case hex HMAC-SHA1 of the raw body with the secret." */
export const signed = (body: string | Buffer, secret: string): string =>
  createHmac("sha1", secret).update(body).digest("hex");

/** Sends bytes to an agent's address, signed with its secret by default. */
export async function sendEvent(
  { app }: Pick<Team, "app">,
  agent: Pick<TestAgent, "url" | "secret">,
  event: unknown,
  headers: Record<string, string> = {},
): Promise<TestAnswer> {
  const payload = typeof event === "string" || Buffer.isBuffer(event) ? event : JSON.stringify(event);
  const response = await app.inject({
    method: "POST",
    url: new URL(agent.url).pathname,
    headers: {
      "content-type": "application/json",
      "x-vercel-signature": signed(payload, agent.secret),
      ...headers,
    },
    payload,
  });
  return { status: response.statusCode, body: response.json(), text: response.body, headers: response.headers };
}
