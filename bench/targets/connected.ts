import { cpSync } from "node:fs";
import { answerTo } from "../calls.ts";
import { startChild } from "../load/child.ts";
import type { CallToMake } from "../load/requests.ts";
import { type SeededAccount, seed } from "./seed.ts";
import { type Signalbox, startSignalbox } from "./signalbox-server.ts";
import type { Target } from "./target.ts";

/** Signalbox with an account connected to the bench's own system. */
export interface Connected {
  signalbox: Target;
  /** The call that runs an API Call step with this input. */
  callWith(input: Record<string, unknown>): CallToMake;
  /** Asks what was loaded into its process before it. */
  ask: Signalbox["ask"];
}

export const upstreamOrigin = (upstream: Target): string => `http://127.0.0.1:${upstream.port}`;

/** The system that all proxies stand before. It runs on the load's core, so that the server has its own to itself. */
export async function startUpstream(): Promise<Target> {
  const child = startChild("load", new URL("./upstream-server.ts", import.meta.url));
  const { port } = (await child.ready) as { port: number };
  return { name: "upstream", port, pid: child.pid, stop: () => child.stop() };
}

export async function startConnected(
  home: string,
  upstream: Target,
  nodeOptions: string[] = [],
  checkout?: string,
): Promise<Connected> {
  const { home: seeded, accounts } = await seed(0);
  cpSync(seeded, home, { recursive: true });
  const { project_id, api_key } = accounts[0] as SeededAccount;
  const headers = { authorization: `Bearer ${project_id}:${api_key}` };
  const origin = upstreamOrigin(upstream);
  const signalbox = await startSignalbox(home, nodeOptions, { SIGNALBOX_PRIVATE_HOSTS: origin }, checkout);
  const wish = { system: "deployment", instance: origin, credentials: { token: "a-token-of-the-bench" } };
  const answer = await answerTo({ path: "/latest/connections/connect", headers, body: wish }, signalbox.port);
  const { connection_id } = JSON.parse(answer) as { connection_id: string };
  return {
    signalbox,
    ask: signalbox.ask,
    callWith: (input) => ({ path: "/latest/steps/deployment_api_call/run", headers, body: { connection_id, input } }),
  };
}

/** Publishes a tool of the one step that `stepCall` runs, and returns the call that triggers it. */
export async function triggerOfOneStep(signalbox: Target, { headers, body }: CallToMake): Promise<CallToMake> {
  const { connection_id, input } = body as { connection_id: string; input: unknown };
  const steps = [{ name: "ask", step: "deployment_api_call", connection_id, input }];
  const wish = { title: "One call", params_schema: { type: "object" }, steps };
  const made = await answerTo({ path: "/latest/tools/create", headers, body: wish }, signalbox.port);
  const { tool_id } = JSON.parse(made) as { tool_id: string };
  // As users run one: a draft is for trying out, and is kept with each of its runs.
  await answerTo({ path: `/latest/tools/${tool_id}/publish`, headers, body: {} }, signalbox.port);
  return { path: `/latest/tools/${tool_id}/trigger`, headers, body: { params: {} } };
}
