import type { Deal } from "./deal.ts";
import { type Attack, attacksIn, inAddress, jsonOf, shapesFrom, targetAt, textsFrom } from "./texts.ts";
import type { Place } from "./values.ts";
import type { HostileWorld } from "./world.ts";

/** What is not an operation and comes as a body: SCIM, assistants (MCP and OAuth), and events for agents. */

const largeBytes = 4 * 1024 * 1024;
const mcpBytes = 1024 * 1024;
const oauthBytes = 16 * 1024;
const json = { "content-type": "application/json" };

/** A request with a body of JSON, and the places in it that take anything. */
interface JsonRequest {
  method: string;
  path: string;
  base: Record<string, unknown>;
  places: Place["path"][];
}

export function* attacksOnProtocols(world: HostileWorld, deal: Deal): Generator<Attack> {
  const scim = { "content-type": "application/scim+json", authorization: `Bearer ${world.scimToken}` };
  for (const request of scimRequests(world)) yield* attacksInRequest(request, scim, largeBytes, deal);
  const assistant = { ...world.headers, accept: "application/json, text/event-stream" };
  for (const request of assistantRequests) {
    // The newest revision names the method in a header; older ones go another way through the code.
    const { method = "", params } = request.base as { method?: string; params?: { name?: string } };
    const newest = { "mcp-protocol-version": "2026-07-28", "mcp-method": method, "mcp-name": params?.name ?? "" };
    yield* attacksInRequest(request, assistant, mcpBytes, deal);
    yield* attacksInRequest(request, { ...assistant, ...newest }, mcpBytes, deal);
  }
  for (const shape of shapesFrom(deal, 2)) {
    const request = { method: "POST", path: "/mcp", headers: assistant };
    yield { name: `/mcp, ${shape}`, ...request, body: jsonOf(shape, mcpBytes - 4096) };
  }
  yield* attacksOnAuthorization(deal);
  yield* attacksInRequest(eventFor(world), json, largeBytes, deal);
}

function* attacksInRequest(
  { method, path, base, places }: JsonRequest,
  headers: Record<string, string>,
  bytesMax: number,
  deal: Deal,
): Generator<Attack> {
  for (const [name, body] of attacksIn(places.map(targetAt), { base, bytesMax }, deal)) {
    yield { name: `${method} ${path} ${name}`, method, path, headers, body };
  }
}

const scimRequests = ({ scimUser, scimGroup }: HostileWorld): JsonRequest[] => [
  ...(["POST", "PUT"] as const).map((method) => ({
    method,
    path: method === "POST" ? "/scim/v2/Users" : `/scim/v2/Users/${scimUser}`,
    base: { userName: "a@example.com", emails: [{ value: "a@example.com" }], name: { givenName: "A" } },
    places: [
      ...[["userName"], ["emails"], ["emails", 0], ["emails", 0, "value"], ["emails", 0, "type"], ["name"]],
      ...[["name", "givenName"], ["displayName"], ["externalId"], ["active"], ["schemas"], ["another"]],
    ],
  })),
  {
    method: "POST",
    path: "/scim/v2/Groups",
    base: { displayName: "G", members: [] },
    places: [["displayName"], ["externalId"], ["members"], ["members", 0, "value"]],
  },
  ...["/scim/v2/.search", "/scim/v2/Users/.search", "/scim/v2/Groups/.search"].map((path) => ({
    method: "POST",
    path,
    base: { schemas: ["urn:ietf:params:scim:api:messages:2.0:SearchRequest"], filter: 'userName eq "a"' },
    places: [["filter"], ["attributes"], ["attributes", 0], ["excludedAttributes", 0], ["sortBy"], ["schemas"]],
  })),
  ...[`/scim/v2/Users/${scimUser}`, `/scim/v2/Groups/${scimGroup}`].map((path) => ({
    method: "PATCH",
    path,
    base: { Operations: [{ op: "replace", path: "displayName", value: "G" }] },
    places: [
      ...[["Operations"], ["Operations", 0], ["Operations", 0, "op"], ["Operations", 0, "path"]],
      ...[["Operations", 0, "value"], ["schemas"]],
    ],
  })),
];

const message = (method: string, params: object, places: Place["path"][]): JsonRequest => ({
  method: "POST",
  path: "/mcp",
  base: { jsonrpc: "2.0", id: 1, method, params },
  places: [...places.map((place) => ["params", ...place]), ["params"]],
});

const assistantRequests: JsonRequest[] = [
  message("tools/call", { name: "list_deployments", arguments: {} }, [
    ...[["name"], ["arguments"], ["arguments", "unknown"], ["arguments", "limit"], ["_meta"]],
    ["_meta", "signalbox/idempotency-key"],
    ["_meta", "progressToken"],
  ]),
  message("initialize", { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "a", version: "1" } }, [
    ...[["protocolVersion"], ["capabilities"], ["clientInfo", "name"], ["clientInfo", "version"]],
  ]),
  message("resources/read", { uri: "signalbox://runs/none" }, [["uri"]]),
  message("resources/list", { cursor: "none" }, [["cursor"]]),
  message("tools/list", { cursor: "none" }, [["cursor"]]),
  message("notifications/cancelled", { requestId: "1", reason: "none" }, [["requestId"], ["reason"]]),
];

/** The authorization server takes JSON and forms. */
function* attacksOnAuthorization(deal: Deal): Generator<Attack> {
  const requests: [path: string, base: Record<string, unknown>][] = [
    ["/oauth/register", { client_name: "a", redirect_uris: ["https://a.example.com/callback"] }],
    [
      "/oauth/token",
      { grant_type: "authorization_code", code: "a", code_verifier: "a", client_id: "a", redirect_uri: "a" },
    ],
    ["/oauth/token", { grant_type: "refresh_token", refresh_token: "a", client_id: "a" }],
    ["/oauth/revoke", { token: "a" }],
  ];
  for (const [path, base] of requests) {
    const places = [
      ...Object.keys(base).map((name) => [name]),
      ...("redirect_uris" in base ? [["redirect_uris", 0]] : []),
    ];
    yield* attacksInRequest({ method: "POST", path, base, places }, json, oauthBytes, deal);
    for (const name of Object.keys(base)) {
      for (const text of textsFrom(deal)) {
        const form = new URLSearchParams(base as Record<string, string>);
        form.delete(name);
        const body = `${form}&${name}=${inAddress(text, oauthBytes - 1024)}`;
        const headers = { "content-type": "application/x-www-form-urlencoded" };
        yield { name: `${path}, a form with ${name}: ${text.name}`, method: "POST", path, headers, body };
      }
    }
  }
}

/** The platform's own event, at the address of an agent that takes it unsigned. */
const eventFor = ({ webhookPath }: HostileWorld): JsonRequest => ({
  method: "POST",
  path: webhookPath,
  base: { id: "evt_1", type: "deployment.created", createdAt: 1, payload: { deployment: { id: "dpl_1", meta: {} } } },
  places: [
    ...[["id"], ["type"], ["createdAt"], ["payload"], ["payload", "deployment"], ["payload", "deployment", "id"]],
    ...[["payload", "deployment", "meta"], ["unknown"]],
  ],
});
