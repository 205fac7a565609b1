import { Agent, request } from "node:http";
import { fileURLToPath } from "node:url";
import { createCaller } from "../../../support/http-caller.ts";
import { idpMetadata, ownCertificate } from "../../../support/saml-provider.ts";
import { firstRunOf, runProgram, startServer } from "../../../support/server-process.ts";
import type { LoopMeasure } from "../measure-loop.ts";

export interface HostileRequest {
  method: string;
  path: string;
  headers: Record<string, string>;
  body?: string | Buffer;
}

/** A real server whose loop is measured, an attacker with a project in which there is one of everything, and a neighbour. */
export interface HostileWorld {
  /** Ids of existing records, by the name of the field that takes them. */
  values: Record<string, unknown>;
  connections: Record<string, string>;
  headers: Record<string, string>;
  scimToken: string;
  scimUser: string;
  scimGroup: string;
  /** One that signs people in, and one whose metadata the attacker changes. */
  samlProvider: string;
  changedSamlProvider: string;
  webhookPath: string;
  /** Sends, and reads the answer to its end; 0 where the connection broke. */
  send(hostile: HostileRequest): Promise<number>;
  exchange(hostile: HostileRequest): Promise<Exchanged>;
  call(operation: string, body: unknown): Promise<{ status: number; body: Record<string, string> }>;
  /** A call of another tenant. */
  neighbour(): Promise<number>;
  measure(): Promise<LoopMeasure>;
  close(): Promise<void>;
}

export interface Exchanged {
  status: number;
  location: string;
  /** Of a short answer. */
  text: string;
}

const json = { "content-type": "application/json" };

/** How many requests an attacker has under way. */
export const atOnce = 16;
const shortBytes = 16 * 1024;

/** In an empty folder. */
export async function openHostileWorld(home: string, settings: NodeJS.ProcessEnv = {}): Promise<HostileWorld> {
  const preload = fileURLToPath(new URL("../measure-loop.ts", import.meta.url));
  const server = await startServer(home, { SIGNALBOX_SANDBOXES: "own", ...settings }, preload);
  const first = firstRunOf(home);
  const agent = new Agent({ keepAlive: true, maxSockets: atOnce });
  const caller = createCaller(server.port, 2);
  const asNeighbour = createCaller(server.port);
  const close = async () => {
    for (const each of [caller, asNeighbour]) each.close();
    agent.destroy();
    await server.kill();
  };
  const headers = { ...json, authorization: `Bearer ${first.project_id}:${first.api_key}` };
  const call: HostileWorld["call"] = (operation, body) => caller.call(operation, body, headers);
  // Pages are at the name and not at the number, which only leads there.
  const host = `localhost:${server.port}`;

  const exchange = (hostile: HostileRequest): Promise<Exchanged> =>
    new Promise((resolve) => {
      const { method, path, headers: own, body = "" } = hostile;
      const always = { host, "content-length": String(Buffer.byteLength(body)) };
      const [port, text] = [server.port, [] as string[]];
      const broken = () => resolve({ status: 0, location: "", text: "" });
      const sent = request({ agent, port, host: "127.0.0.1", method, path, headers: { ...always, ...own } });
      sent.setTimeout(60_000, () => sent.destroy());
      sent.on("response", (response) => {
        const isShort = Number(response.headers["content-length"]) <= shortBytes;
        response.on("data", (chunk: Buffer) => isShort && text.push(chunk.toString()));
        const { location = "" } = response.headers;
        response.on("close", () => resolve({ status: response.statusCode ?? 0, location, text: text.join("") }));
        response.on("error", broken);
      });
      sent.on("error", broken);
      sent.end(body);
    });

  try {
    const made = await makeOneOfEach(call, first.connections?.deployment ?? "");
    const scimToken = first.scim_token ?? "";
    const other = ["users", "create", "--email", "neighbour@example.net", "--region", "us", "--home", home, "--json"];
    const apiKey: string = JSON.parse((await runProgram(other)).output).api_key;
    return {
      values: { ...made.values, organization_id: first.organization_id, project_id: first.project_id },
      connections: { ...first.connections } as Record<string, string>,
      headers,
      scimToken,
      scimUser: await makeResource(exchange, scimToken, "Users", { userName: "scim@example.com" }),
      scimGroup: await makeResource(exchange, scimToken, "Groups", { displayName: "A group" }),
      samlProvider: made.samlProviders[0] ?? "",
      changedSamlProvider: made.samlProviders[1] ?? "",
      webhookPath: made.webhookPath,
      send: async (hostile) => (await exchange(hostile)).status,
      exchange,
      call,
      neighbour: async () => (await asNeighbour.call("auth/info", {}, { authorization: `Bearer :${apiKey}` })).status,
      measure: () => server.ask("measure") as Promise<LoopMeasure>,
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

async function makeResource(
  exchange: HostileWorld["exchange"],
  token: string,
  type: string,
  body: object,
): Promise<string> {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/scim+json" };
  const request = { method: "POST", path: `/scim/v2/${type}`, headers, body: JSON.stringify(body) };
  const { status, text } = await exchange(request);
  if (status !== 201) throw new Error(`SCIM ${type}: ${status} ${text}`);
  return JSON.parse(text).id;
}

/** One record of each kind that an id in a path or a body can name. */
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
  const saml = { kind: "saml", label: "SAML", metadata_xml: idpMetadata(ownCertificate().pem) };
  const samlProviders = [
    await idOf("single_sign_on/create", saml, "provider_id"),
    await idOf("single_sign_on/create", { ...saml, label: "More SAML" }, "provider_id"),
  ];
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
  return { values, webhookPath, samlProviders };
}
