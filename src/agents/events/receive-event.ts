import { Problem } from "../../kernel/problem.ts";
import type { DataKeys } from "../../vault/sealing/data-keys.ts";
import { findAgentByToken } from "../agents.ts";
import { hashOfToken, isSigned, openAgentSecrets } from "../secrets.ts";
import { type AgentEvent, acceptEvent, type EventPorts } from "./events.ts";
import { readEvent } from "./read-event.ts";

/** A request to an agent's address. */
export interface EventCall {
  agentId: string;
  token: string;
  signature: string | undefined;
  /** Reads the body on behalf of the agent that was found. */
  readBytes(agentId: string): Promise<Buffer>;
}

/**
 * Checks address, signature and shape in this order: "verify over raw bytes before parsing". Nothing that an unknown
 * sender wrote is parsed or stored.
 */
export async function receiveEvent(call: EventCall, ports: EventPorts & { keys: DataKeys }): Promise<AgentEvent> {
  const agent = await findAgentByToken(ports.store, call.agentId, hashOfToken(call.token));
  if (!agent) throw new Problem("agent_not_found", "No agent has this address.");
  const bytes = await call.readBytes(agent.id);
  if (agent.signature === "required") {
    const secrets = await openAgentSecrets(ports.store, agent, ports.keys);
    if (!isSigned(bytes, call.signature, secrets, ports.now())) throw new Problem("signature_invalid");
  }
  const text = bytes.toString();
  const read = readEvent(text);
  if (!read) throw new Problem("malformed_request", "An event is a JSON object.");
  return acceptEvent(agent, text, read, ports);
}
