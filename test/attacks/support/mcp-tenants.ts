import { systemIds } from "../../../src/systems/index.ts";
import { nameFrom } from "../../../src/tools/tool-names.ts";
import { connectionThatOpensNothing } from "../../support/calls/valid-calls.ts";
import { runOnce, worldOf } from "../../support/runs/runs.ts";
import type { StoreKind } from "../../support/stores.ts";
import { startTeam, type Team } from "../../support/team.ts";
import type { Heard } from "./foreign-or-absent.ts";
import { must } from "./tenants.ts";

/** An organization with all that an assistant can reach: accounts, published tools, and runs. */
export interface AssistantTenant {
  team: Team;
  authorization: string;
  connections: string[];
  /** A tool that asks a person, and one whose name the other organization's tool has too. */
  tools: Record<"asks" | "sameName", { id: string; name: string }>;
  /** A run that succeeded, and one of a single step. */
  runs: { ended: string; step: string };
  /** Texts in their tools and runs. */
  texts: string[];
}

export interface AssistantTenants {
  own: AssistantTenant;
  theirs: AssistantTenant;
}

export async function startAssistants(kind: StoreKind): Promise<AssistantTenants> {
  const team = await startTeam(kind);
  const own = await furnish(team, "our");
  const owner = await team.person("owner.7777@their.example");
  const projectId = await team.project(owner, "Abroad");
  const inProject: Team["inProject"] = (as) => ({ as, project: projectId });
  const theirs = await furnish({ ...team, owner, projectId, inProject }, "their");
  // A list that goes on behind something of theirs has something to show.
  await publish(team, "Afterwards", "Later?");
  await startStep(team, own.connections);
  return { own, theirs };
}

async function furnish(team: Team, whose: "our" | "their"): Promise<AssistantTenant> {
  const { call, inProject, owner, projectId } = team;
  const connections: string[] = [];
  for (const system of systemIds) connections.push(await connectionThatOpensNothing(team, system));
  const texts = ["question", "other question", "reference"].map((what) => `${whose} ${what} 7777`);
  const [question = "", other = "", reference = ""] = texts;
  const asks = await publish(team, `Ask ${whose} people 7777`, question);
  const sameName = await publish(team, "Same name", other);
  const { run_id: ended } = await must(
    call(`tools/${asks.id}/trigger_async`, { params: { reference } }, inProject(owner)),
  );
  await runOnce(worldOf(team), ended, "waiting");
  await must(call(`runs/${ended}/approve`, { approved: true }, inProject(owner)));
  await runOnce(worldOf(team), ended, "succeeded");
  return {
    team,
    authorization: `Bearer ${projectId}:${owner.apiKey}`,
    connections,
    tools: { asks, sameName },
    runs: { ended, step: await startStep(team, connections) },
    texts,
  };
}

/** Published; it asks a person, and returns what it was called with. */
async function publish({ call, inProject, owner }: Team, title: string, message: string) {
  const tool = {
    title,
    params_schema: { type: "object", properties: { reference: { type: "string" } } },
    steps: [{ name: "ask", step: "approve", input: { message } }],
    output: "{{params.reference}}",
  };
  const { tool_id: id } = await must(call("tools/create", tool, inProject(owner)));
  await must(call(`tools/${id}/publish`, {}, inProject(owner)));
  return { id: String(id), name: nameFrom(title) };
}

/** Nothing may be sent to the account's address: the run fails at once, and is kept. */
async function startStep({ call, inProject, owner }: Team, connections: string[]): Promise<string> {
  const connection_id = connections[systemIds.indexOf("deployment")];
  const wish = { connection_id, input: { limit: 1 } };
  return (await must(call("steps/list_deployments/run", wish, inProject(owner)))).run_id;
}

export const revisions = ["2025-06-18", "2026-07-28"] as const;
export type Revision = (typeof revisions)[number];

/** One request to /mcp. */
export interface McpRequest {
  method: "POST" | "GET" | "DELETE";
  /** JSON-RPC: without it for GET and DELETE. */
  message?: { method?: string; params?: Record<string, unknown>; [member: string]: unknown };
  revision: Revision;
  session?: string;
  authorization: string;
}

const envelope = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
  "io.modelcontextprotocol/clientCapabilities": {},
};

/** The newest revision tells in headers and in each request what older ones have told in a greeting. */
function inRevision({ message, revision, session, authorization }: McpRequest) {
  const { method, params = {} } = message ?? {};
  const isNewest = revision === "2026-07-28";
  const name = params.name ?? params.uri;
  const headers: Record<string, string> = {
    authorization,
    accept: message ? "application/json, text/event-stream" : "text/event-stream",
    "mcp-protocol-version": revision,
    ...(message && { "content-type": "application/json" }),
    ...(session !== undefined && { "mcp-session-id": session }),
    ...(isNewest && method !== undefined && { "mcp-method": method }),
    ...(isNewest && typeof name === "string" && { "mcp-name": name }),
  };
  const meta = { ...(params._meta as object | undefined), ...(isNewest && envelope) };
  const sent = method === undefined ? message : { ...message, params: { ...params, _meta: meta } };
  return { headers, ...(sent && { payload: JSON.stringify({ jsonrpc: "2.0", ...sent }) }) };
}

/** A response that may not be complete yet. */
export interface OpenResponse extends Omit<Heard, "text"> {
  /** What it says until it contains this text, or to its end. */
  until(text: string | null): Promise<string>;
  /** The client disconnects. */
  leave(): void;
}

export async function open({ app }: Pick<Team, "app">, request: McpRequest): Promise<OpenResponse> {
  const { method } = request;
  const response = await app.inject({ method, url: "/mcp", ...inRevision(request), payloadAsStream: true });
  const chunks = response.stream()[Symbol.asyncIterator]();
  let said = "";
  return {
    status: response.statusCode,
    headers: response.headers,
    async until(text) {
      while (text === null || !said.includes(text)) {
        const { done, value } = await chunks.next();
        if (done) break;
        said += String(value);
      }
      return said;
    },
    leave: () => void response.raw.res.destroy(),
  };
}

/** The whole response; of a stream that stays open, its first event. */
export async function send(team: Pick<Team, "app">, request: McpRequest): Promise<Heard> {
  const { status, headers, until, leave } = await open(team, request);
  const isListening = request.message === undefined || request.message.method === "subscriptions/listen";
  const text = await until(isListening ? "\n\n" : null);
  leave();
  return { status, headers, text };
}
