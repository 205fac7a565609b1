import { Client as ModernClient, StreamableHTTPClientTransport as ModernTransport } from "@modelcontextprotocol/client";
import { Client as OlderClient } from "mcp-sdk-1.32/client/index.js";
import { StreamableHTTPClientTransport as OlderTransport } from "mcp-sdk-1.32/client/streamableHttp.js";
import type { Platform } from "../platform.ts";
import { cleanUpLater } from "../stores.ts";

/** The protocol's own clients of both generations, with the owner's key. */

export const clientInfo = { name: "test", version: "1" };

export async function mcpAddress({ app }: Platform): Promise<URL> {
  return new URL("/mcp", await app.app.listen({ host: "127.0.0.1", port: 0 }));
}

export const mcpHeaders = ({ owner, projectId }: Pick<Platform, "owner" | "projectId">) => ({
  authorization: `Bearer ${projectId}:${owner.apiKey}`,
});

type Who = Pick<Platform, "owner" | "projectId">;

/** The newest revision, 2026-07-28. */
export async function modernClient(who: Who, at: URL, capabilities = {}): Promise<ModernClient> {
  const client = new ModernClient(clientInfo, { capabilities, versionNegotiation: { mode: "auto" } });
  await client.connect(new ModernTransport(at, { requestInit: { headers: mcpHeaders(who) } }));
  cleanUpLater(() => client.close());
  return client;
}

/** What assistants spoke before: 2025-11-25, and 2025-06-18. */
export async function olderClient(
  who: Who,
  at: URL,
  { capabilities = {}, revision = "2025-11-25" } = {},
): Promise<OlderClient> {
  const client = new OlderClient(clientInfo, { capabilities });
  const askedFor = (url: string | URL, init?: RequestInit) =>
    fetch(url, typeof init?.body === "string" ? { ...init, body: init.body.replace("2025-11-25", revision) } : init);
  await client.connect(new OlderTransport(at, { requestInit: { headers: mcpHeaders(who) }, fetch: askedFor }));
  cleanUpLater(() => client.close());
  return client;
}

/** A published tool of one step; returns its id. */
export async function publish({ call, connections }: Platform, tool: object = {}): Promise<string> {
  const { body } = await call("tools/create", {
    ...exampleTool,
    steps: [
      {
        name: "latest",
        step: "list_deployments",
        connection_id: connections.deployment,
        input: { limit: "{{params.limit}}" },
      },
    ],
    ...tool,
  });
  const { status, text } = await call(`tools/${body.tool_id}/publish`);
  if (status !== 200) throw new Error(text);
  return body.tool_id;
}

export const exampleTool = {
  title: "Déployer: la branche!",
  description: "Lists what was deployed",
  params_schema: { type: "object", properties: { limit: { type: "integer" } }, required: ["limit"] },
};
