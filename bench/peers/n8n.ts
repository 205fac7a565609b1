import { type SpawnOptions, spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { spawnOnCore, stopProcess } from "../load/child.ts";
import { upstreamOrigin } from "../targets/connected.ts";
import { freePort } from "../targets/signalbox-server.ts";
import type { Target } from "../targets/target.ts";

/**
 * n8n is installed by hand, outside of this folder: it needs native builds and a Node of its own, which is the first one on
 * the path but ours. Its command is `n8n`, or what the variable N8N names.
 */
const command = process.env.N8N ?? "n8n";
const ownPath = (process.env.PATH ?? "").split(":").filter((folder) => !folder.endsWith("/node_modules/.bin"));
const readySeconds = 90;

const settings = {
  N8N_DIAGNOSTICS_ENABLED: "false",
  N8N_VERSION_NOTIFICATIONS_ENABLED: "false",
  N8N_TEMPLATES_ENABLED: "false",
  // Where its isolated-vm could not be built; there is no expression in the flow.
  N8N_EXPRESSION_ENGINE: "legacy",
  N8N_LOG_LEVEL: "error",
};

export const hasN8n = (): boolean =>
  spawnSync(command, ["--version"], { env: { PATH: ownPath.join(":") } }).status === 0;

/** Its flow of a webhook, a request, and the request's answer as its own, with executions kept as it keeps them by itself. */
export async function startN8n(folder: string, upstream: Target, path: string): Promise<Target> {
  const home = join(folder, "n8n");
  mkdirSync(home, { recursive: true });
  const port = await freePort();
  const own = { N8N_USER_FOLDER: home, N8N_PORT: String(port), N8N_LISTEN_ADDRESS: "127.0.0.1" };
  const options: SpawnOptions = {
    env: { PATH: ownPath.join(":"), HOME: home, ...settings, ...own },
    stdio: ["ignore", "ignore", "inherit"],
  };
  const file = join(home, "flow.json");
  writeFileSync(file, JSON.stringify([flow(upstreamOrigin(upstream) + path)]));
  for (const args of [
    ["import:workflow", `--input=${file}`],
    ["update:workflow", "--all", "--active=true"],
  ]) {
    if (spawnSync(command, args, options).status !== 0) throw new Error(`n8n ${args[0]} failed.`);
  }
  const child = spawnOnCore("server", [command, "start"], options);
  for (let tries = 0; tries < readySeconds * 2; tries++) {
    const answer = await fetch(`http://127.0.0.1:${port}${n8nPath}`).catch(() => null);
    if (answer?.ok) return { name: "n8n", port, pid: child.pid ?? 0, stop: () => stopProcess(child) };
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
  throw new Error(`n8n was not ready after ${readySeconds} s.`);
}

export const n8nPath = "/webhook/bench";

const flow = (url: string) => ({
  id: "bench00000000001",
  name: "bench",
  active: true,
  nodes: [
    {
      id: "11111111-1111-4111-8111-111111111111",
      name: "Webhook",
      type: "n8n-nodes-base.webhook",
      typeVersion: 2,
      position: [0, 0],
      webhookId: "bench",
      parameters: { httpMethod: "GET", path: "bench", responseMode: "lastNode", options: {} },
    },
    {
      id: "22222222-2222-4222-8222-222222222222",
      name: "Request",
      type: "n8n-nodes-base.httpRequest",
      typeVersion: 4.2,
      position: [220, 0],
      parameters: { url, options: {} },
    },
  ],
  connections: { Webhook: { main: [[{ node: "Request", type: "main", index: 0 }]] } },
  settings: { executionOrder: "v1" },
});
