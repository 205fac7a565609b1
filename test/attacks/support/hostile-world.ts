import { Agent, request } from "node:http";
import { fileURLToPath } from "node:url";
import { createCaller } from "../../support/http-caller.ts";
import { firstRunOf, runProgram, type ServerProcess, startServer } from "../../support/server-process.ts";
import { cleanUpLater, temporaryFolder } from "../../support/stores.ts";
import type { LoopMeasure } from "./measure-loop.ts";

export interface HostileRequest {
  method: string;
  path: string;
  headers: Record<string, string>;
  body?: string | Buffer;
}

/** A real server whose loop is measured, an attacker with a project in which there is one of everything, and a neighbour. */
export interface HostileWorld {
  server: ServerProcess;
  port: number;
  /** What members of calls are called by their names, with values that are there. */
  values: Record<string, unknown>;
  connections: Record<string, string>;
  headers: Record<string, string>;
  scimToken: string;
  webhookPath: string;
  /** Sends, and reads the answer to its end; 0 where the connection broke. */
  send(hostile: HostileRequest): Promise<number>;
  call(operation: string, body: unknown): Promise<{ status: number; body: Record<string, string> }>;
  /** A call of another tenant. */
  neighbour(): Promise<number>;
  measure(): Promise<LoopMeasure>;
}

const json = { "content-type": "application/json" };

export async function startHostileWorld(settings: NodeJS.ProcessEnv = {}): Promise<HostileWorld> {
  const home = temporaryFolder();
  const preload = fileURLToPath(new URL("./measure-loop.ts", import.meta.url));
  const server = await startServer(home, { SIGNALBOX_SANDBOXES: "own", ...settings }, preload);
  cleanUpLater(() => server.kill());
  const first = firstRunOf(home);
  const agent = new Agent({ keepAlive: true, maxSockets: 4 });
  const caller = createCaller(server.port, 2);
  cleanUpLater(async () => {
    caller.close();
    agent.destroy();
  });
  const headers = { ...json, authorization: `Bearer ${first.project_id}:${first.api_key}` };
  const call: HostileWorld["call"] = (operation, body) => caller.call(operation, body, headers);

  const send = (hostile: HostileRequest): Promise<number> =>
    new Promise((resolve) => {
      const { method, path, headers: own, body = "" } = hostile;
      const length = { "content-length": String(Buffer.byteLength(body)) };
      const sent = request({
        agent,
        port: server.port,
        host: "127.0.0.1",
        method,
        path,
        headers: { ...length, ...own },
      });
      sent.setTimeout(60_000, () => sent.destroy());
      sent.on("response", (response) => {
        response.resume();
        response.on("close", () => resolve(response.statusCode ?? 0));
        response.on("error", () => resolve(0));
      });
      sent.on("error", () => resolve(0));
      sent.end(body);
    });

  const made = await makeOneOfEach(call, first.connections?.deployment ?? "");
  const other = await runProgram([
    "users",
    "create",
    "--email",
    "neighbour@example.net",
    "--region",
    "us",
    "--home",
    home,
    "--json",
  ]);
  const apiKey: string = JSON.parse(other.output).api_key;
  const asNeighbour = createCaller(server.port);
  cleanUpLater(async () => asNeighbour.close());
  return {
    server,
    port: server.port,
    values: { ...made.values, organization_id: first.organization_id, project_id: first.project_id },
    connections: { ...first.connections } as Record<string, string>,
    headers,
    scimToken: first.scim_token ?? "",
    webhookPath: made.webhookPath,
    send,
    call,
    neighbour: async () => (await asNeighbour.call("auth/info", {}, { authorization: `Bearer :${apiKey}` })).status,
    measure: () => server.ask("measure") as Promise<LoopMeasure>,
  };
}

/** What ids in paths and bodies can name. Calls that delete leave it to others to make what they find. */
async function makeOneOfEach(call: HostileWorld["call"], connectionId: string) {
  const idOf = async (operation: string, body: unknown, name: string): Promise<string> => {
    const { status, body: answer } = await call(operation, body);
    if (status !== 200) throw new Error(`${operation}: ${JSON.stringify(answer)}`);
    return answer[name] ?? "";
  };
  const pause = { name: "pause", step: "wait", input: { seconds: 1 } };
  const tool = { title: "A tool", steps: [pause, { ...pause, name: "rest" }] };
  const toolId = await idOf("tools/create", tool, "tool_id");
  await call(`tools/${toolId}/publish`, {});
  const agent = { name: "An agent", webhook_signature: "off", tools: [toolId] };
  const { body: made } = await call("agents/create", agent);
  const agentId = made.agent_id ?? "";
  const webhookPath = new URL(made.webhook_url ?? "").pathname;
  const hook = { url: "https://nobody.invalid/hooks", events: ["run.failed"] };
  const provider = { kind: "oidc", label: "A provider", issuer: "https://nobody.invalid", client_id: "signalbox" };
  const directory = await call("directory/create", {});
  const values: Record<string, unknown> = {
    tool_id: toolId,
    agent_id: agentId,
    run_id: await idOf(`tools/${toolId}/trigger_async`, { params: {} }, "run_id"),
    schedule_id: await idOf("schedules/create", { tool_id: toolId, cron: "0 9 1 1 *" }, "schedule_id"),
    webhook_id: await idOf("webhooks/create", hook, "webhook_id"),
    user_id: await idOf("auth/service_users/create", { name: "automation" }, "user_id"),
    key_id: await idOf("auth/keys/create", { label: "spare" }, "key_id"),
    provider_id: await idOf("single_sign_on/create", provider, "provider_id"),
    domain_id: await idOf("domains/create", { domain: "hostile.example.com" }, "domain_id"),
    directory_id: directory.body.directory_id,
    token_id: directory.body.token_id,
    connection_id: connectionId,
    step_id: "list_deployments",
  };
  return { values, webhookPath };
}
