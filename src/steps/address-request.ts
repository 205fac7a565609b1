import type { Query, StepRequest } from "../systems/work.ts";
import type { Principal } from "../transport/private-hosts.ts";
import type { Connection } from "../vault/vault.ts";

/** A request with its address, ready to be sent but for the credential. */
export interface Envelope {
  /** On whose behalf it is sent. */
  principal: Principal;
  origin: string;
  target: string;
  headers: Record<string, string>;
  body?: string;
}

/**
 * The host comes from the connection, never from the step: a caller can only choose the path. `json` is the body's JSON
 * if it was serialized before.
 */
export function envelopeOf(request: StepRequest, connection: Connection, json?: string): Envelope {
  const origin = connection.addresses[request.api];
  if (origin === undefined) throw new Error(`The connection ${connection.id} has no address for ${request.api}.`);
  const query = queryText(request.query);
  const envelope: Envelope = {
    principal: connection,
    origin,
    target: query === "" ? request.path : `${request.path}?${query}`,
    headers: { accept: "application/json", ...request.headers },
  };
  if (request.body === undefined) return envelope;
  if (request.form) {
    envelope.body = queryText(request.body as Query);
    envelope.headers["content-type"] = "application/x-www-form-urlencoded";
  } else {
    envelope.body = json ?? JSON.stringify(request.body);
    envelope.headers["content-type"] = "application/json";
  }
  return envelope;
}

function queryText(query: Query | undefined): string {
  if (query === undefined || Object.keys(query).length === 0) return "";
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (Array.isArray(value)) for (const each of value) parameters.append(name, String(each));
    else parameters.append(name, String(value));
  }
  return parameters.toString();
}
