import type { SandboxAnswer, SandboxCall } from "../../server/sandbox.ts";
import { clients } from "./clients.ts";
import type { Tokens } from "./tokens.ts";

const headers = {
  "content-type": "application/json;charset=UTF-8",
  "cache-control": "no-store",
  pragma: "no-cache",
};

/** `/identity/oauth/token`: speaks OAuth and not the envelope, and counts against no limit. */
export function answerIdentity(tokens: Tokens, call: SandboxCall): SandboxAnswer {
  if (call.path !== "/identity/oauth/token") return failure(404, "not_found", `No resource at ${call.path}`);
  if (call.method !== "GET" && call.method !== "POST") {
    return failure(405, "method_not_allowed", `Request method '${call.method}' not supported`);
  }
  const parameters = parametersOf(call);
  const grantType = parameters("grant_type");
  const clientId = parameters("client_id");
  if (!grantType) return failure(400, "invalid_request", "Missing grant type");
  if (grantType !== "client_credentials") {
    return failure(400, "unsupported_grant_type", `Unsupported grant type: ${grantType}`);
  }
  if (!clientId) return failure(401, "unauthorized", "Full authentication is required to access this resource");
  const client = clients.get(clientId);
  if (!client) return failure(401, "unauthorized", `No client with requested id: ${clientId}`);
  if (client.secret !== parameters("client_secret")) {
    return { ...failure(401, "invalid_client", "Bad client credentials"), identity: client.id };
  }
  const { token, expiresIn } = tokens.tokenFor(client);
  const body = { access_token: token, token_type: "bearer", expires_in: expiresIn, scope: client.user };
  return { status: 200, headers, body, identity: client.id };
}

/** The parameters stand in the query for both verbs; a POST may also carry them as a form, as OAuth has it. */
function parametersOf(call: SandboxCall): (name: string) => string | null {
  const isForm = (call.headers["content-type"] ?? "").startsWith("application/x-www-form-urlencoded");
  const form = call.method === "POST" && isForm ? new URLSearchParams(call.body.toString()) : null;
  return (name) => call.query.get(name) || form?.get(name) || null;
}

const failure = (status: number, error: string, description: string): SandboxAnswer => ({
  status,
  headers,
  body: { error, error_description: description },
});
