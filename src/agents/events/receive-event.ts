import { Problem } from "../../kernel/problem.ts";
import { removedInstallation } from "../../systems/deployment/events/events.ts";
import type { DataKeys } from "../../vault/sealing/data-keys.ts";
import { type Agent, findAgentByToken } from "../agents.ts";
import { hashOfToken, isSigned, openAgentSecrets } from "../secrets.ts";
import { type AgentEvent, acceptEvent, type EventPorts, repeatMilliseconds } from "./events.ts";
import { type ReadEvent, readEvent } from "./read-event.ts";
import type { Refusals } from "./refusals.ts";

/** A request to an agent's address. */
export interface EventCall {
  agentId: string;
  token: string;
  signature: string | undefined;
  /** Reads the body on behalf of the agent that was found. */
  readBytes(agentId: string): Promise<Buffer>;
}

interface ReceivePorts extends EventPorts {
  keys: DataKeys;
  refusals: Pick<Refusals, "note">;
  /** The deployment platform reports that our integration was uninstalled. */
  onUninstalled(organizationId: string, installationId: string): void;
}

/**
 * Checks address, signature and shape in this order: "verify over raw bytes before parsing". Nothing that an unknown
 * sender wrote is parsed or stored.
 */
export async function receiveEvent(call: EventCall, ports: ReceivePorts): Promise<AgentEvent> {
  const agent = await findAgentByToken(ports.store, call.agentId, hashOfToken(call.token));
  if (!agent) throw new Problem("agent_not_found", "No agent has this address.");
  const bytes = await call.readBytes(agent.id);
  const signature = await checkSignature(bytes, call.signature, agent, ports);
  if (agent.signature === "required" && signature !== "valid") {
    ports.refusals.note(agent, signature);
    throw new Problem("signature_invalid");
  }
  const text = bytes.toString();
  const read = readEvent(text);
  if (!read) throw new Problem("malformed_request", "An event is a JSON object.");
  const isOld = signature === "valid" && isOlderThanIds(read, ports.now());
  const accepted = await acceptEvent(agent, { text, read, signature: isOld ? "old_timestamp" : signature }, ports);
  const removed = signature === "valid" ? removedInstallation(read.value) : null;
  if (removed !== null) ports.onUninstalled(agent.organizationId, removed);
  return accepted;
}

async function checkSignature(bytes: Buffer, signature: string | undefined, agent: Agent, ports: ReceivePorts) {
  if (signature === undefined) return "not_signed";
  const secrets = await openAgentSecrets(ports.store, agent, ports.keys);
  return isSigned(bytes, signature, secrets, ports.now()) ? "valid" : "invalid";
}

/** Its id was forgotten if it came before. The platform gives the time in milliseconds, within the signed bytes. */
const isOlderThanIds = ({ value: { createdAt } }: ReadEvent, now: Date): boolean =>
  typeof createdAt === "number" && createdAt < now.getTime() - repeatMilliseconds;
