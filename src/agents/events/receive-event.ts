import { Problem } from "../../kernel/problem.ts";
import type { DataKeys } from "../../vault/sealing/data-keys.ts";
import { findAgentByToken } from "../agents.ts";
import { hashOfToken, isSigned, openAgentSecrets } from "../secrets.ts";
import { type AgentEvent, type EventPorts, takeEvent } from "./events.ts";
import { readEvent } from "./read-event.ts";

/** A call at an agent's address, as it came. */
export interface EventCall {
  agentId: string;
  token: string;
  signature: string | undefined;
  /** Reads what was sent, on behalf of the agent that it turned out to be for. */
  readBytes(agentId: string): Promise<Buffer>;
}

/**
 * Address, signature, shape, then the event: "verify over raw bytes before parsing". Nothing of what an unknown sender wrote
 * is read, and nothing of it is kept.
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
  return takeEvent(agent, text, read, ports);
}
