import { type Platform, startPlatform } from "../platform.ts";
import type { StoreKind } from "../stores.ts";
import { sendEvent, type TestAgent } from "./agents.ts";
import { type ScriptedModel, startOpenAiModel } from "./models.ts";
import { runOnce } from "./runs.ts";

/** The platform with a model that does what the test says. */
export interface AgentWorld extends Platform {
  model: ScriptedModel;
  agent(more?: Record<string, unknown>): Promise<TestAgent>;
  /** Gives an agent a message. */
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever members it expects.
  ask(agent: TestAgent, message: string, more?: Record<string, unknown>): Promise<any>;
  /** Sends an event to the agent's address; returns the run's id. */
  tell(agent: TestAgent, event: unknown): Promise<string>;
  /** The run once it is in one of these states; if it waits for a time, that time passes. */
  // biome-ignore lint/suspicious/noExplicitAny: likewise.
  once(runId: string, ...states: string[]): Promise<any>;
}

export async function startAgentWorld(
  kind: StoreKind,
  startModel: () => Promise<ScriptedModel> = startOpenAiModel,
  more: Pick<NonNullable<Parameters<typeof startPlatform>[1]>, "runMemory"> = {},
): Promise<AgentWorld> {
  const model = await startModel();
  const platform = await startPlatform(kind, { ...more, models: model.settings, privateOrigins: [model.origin] });
  return {
    ...platform,
    model,
    async agent(more = {}) {
      const connection_id = platform.connections.deployment;
      const { body, text } = await platform.call("agents/create", {
        name: "Release watch",
        instructions: "When a deployment of web fails, look at what was deployed before and deploy that again.",
        steps: ["list_deployments", "create_deployment"].map((step) => ({ step, connection_id })),
        ...more,
      });
      if (!body.agent_id) throw new Error(`No agent: ${text}`);
      return { id: body.agent_id, url: body.webhook_url, secret: body.webhook_secret };
    },
    async ask(agent, message, more = {}) {
      const { status, body } = await platform.call(`agents/${agent.id}/trigger`, { message, ...more });
      if (status !== 200) throw new Error(`The agent is not asked: ${JSON.stringify(body)}`);
      return body;
    },
    async tell(agent, event) {
      const { status, body, text } = await sendEvent(platform.app, agent, event);
      if (status !== 202 || body.run_id === null) throw new Error(`The event started nothing: ${text}`);
      return body.run_id;
    },
    once: (runId, ...states) => runOnce(platform, runId, ...states),
  };
}
