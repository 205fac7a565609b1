import { Problem } from "../../kernel/problem.ts";
import { smallCharacters } from "../../kernel/strict-json.ts";
import { turnAlone } from "../../kernel/work-in-slices.ts";
import { senderOf } from "../../systems/event-senders.ts";
import type { SystemId } from "../../systems/index.ts";
import type { DataKeys } from "../../vault/sealing/data-keys.ts";
import { type Agent, findAgentByToken } from "../agents.ts";
import { hashOfToken, isSigned, openAgentSecrets } from "../webhook-secrets.ts";
import { readEvent } from "./read-event.ts";
import type { Refusals } from "./refused-events.ts";
import { type AgentEvent, acceptEvent, type EventPorts, repeatMilliseconds, type StoreEventIn } from "./store-event.ts";

/** A request to an agent's address. */
export interface EventCall {
  agentId: string;
  token: string;
  /** Those that may have a signature; names in lower case. */
  headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Reads the body on behalf of the agent that was found. */
  readBytes(agentId: string): Promise<Buffer>;
}

interface ReceivePorts extends EventPorts {
  keys: DataKeys;
  refusals: Pick<Refusals, "note">;
  /** A system reports that a grant ended which connections share, such as that of an uninstalled integration. */
  onGrantEnded(organizationId: string, system: SystemId, sharedGrant: string): void;
}

/**
 * Checks address, signature and shape in this order: "verify over raw bytes before parsing". Nothing that an unknown
 * sender wrote is parsed or stored.
 */
export async function receiveEvent(call: EventCall, ports: ReceivePorts, storeIn?: StoreEventIn): Promise<AgentEvent> {
  const agent = await findAgentByToken(ports.store, call.agentId, hashOfToken(call.token));
  if (!agent) throw new Problem("agent_not_found", "No agent has this address.");
  const bytes = await call.readBytes(agent.id);
  const sent = senderOf(call.headers);
  const signature = await checkSignature(bytes, sent, agent, ports);
  if (agent.signature === "required" && signature !== "valid") {
    ports.refusals.note(agent, signature);
    throw new Problem("signature_invalid");
  }
  // Megabytes take a few milliseconds at each step. The loop turns between them.
  const isLarge = bytes.length > smallCharacters;
  if (isLarge) await turnAlone();
  const text = bytes.toString();
  const read = await readEvent(text);
  if (isLarge) await turnAlone();
  if (!read) throw new Problem("malformed_request", "An event is a JSON object.");
  const sender = signature === "valid" ? sent?.sender : undefined;
  const isOld = isOlderThanIds(sender?.sentAt(read.value) ?? null, ports.now());
  const signed = isOld ? "old_timestamp" : signature;
  const accepted = await acceptEvent(agent, { text, read, signature: signed }, ports, storeIn);
  const ended = sender?.endedGrant(read.value) ?? null;
  if (sender && ended !== null) ports.onGrantEnded(agent.organizationId, sender.system.id, ended);
  return accepted;
}

async function checkSignature(bytes: Buffer, sent: ReturnType<typeof senderOf>, agent: Agent, ports: ReceivePorts) {
  if (sent === null) return "not_signed";
  const secrets = await openAgentSecrets(ports.store, agent, ports.keys);
  if (bytes.length > smallCharacters) await turnAlone();
  return (await isSigned(bytes, sent.signed, secrets, ports.now())) ? "valid" : "invalid";
}

/** Its id was forgotten if it came before. The time is within the signed bytes. */
const isOlderThanIds = (sentAt: number | null, now: Date): boolean =>
  sentAt !== null && sentAt < now.getTime() - repeatMilliseconds;
