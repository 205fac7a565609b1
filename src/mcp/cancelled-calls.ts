import { randomUUID } from "node:crypto";
import type { ProtocolRequest } from "../calls/protocol.ts";

/**
 * Revisions before 2026-07-28 cancel a call by a second request that names the id of the first. Ids are unique within a session only,
 * so such a client gets a session id. It is a name and no more: nothing is kept for it, and any node serves it.
 */
export interface CancelledCalls {
  /** The signal of a call that can be cancelled so. `end` forgets it. Null without a session. */
  begin(call: CallName): { signal: AbortSignal; end(): void } | null;
  cancel(call: CallName, reason?: Error): void;
}

export interface CallName {
  userId: string;
  sessionId: string | undefined;
  requestId: string | number;
}

export function createCancelledCalls(): CancelledCalls {
  /** Calls under way on this node. */
  const underWay = new Map<string, AbortController>();
  const nameOf = ({ userId, sessionId, requestId }: CallName) => JSON.stringify([userId, sessionId, requestId]);
  return {
    begin(call) {
      if (call.sessionId === undefined) return null;
      const name = nameOf(call);
      const controller = new AbortController();
      underWay.set(name, controller);
      const end = () => {
        if (underWay.get(name) === controller) underWay.delete(name);
      };
      return { signal: controller.signal, end };
    },
    cancel: (call, reason) => underWay.get(nameOf(call))?.abort(reason),
  };
}

const sessionShape = /^[\x21-\x7e]{1,64}$/;

export function sessionOf(request: ProtocolRequest): string | undefined {
  const id = request.header("mcp-session-id");
  return id !== undefined && sessionShape.test(id) ? id : undefined;
}

/** Notices, greetings and answers are short; a longer body is a call. */
const shortMax = 16 * 1024;

/** The message, if it is short and contains this text; otherwise nothing. */
export function messageIn(text: string | null, mark: string): object {
  return text !== null && text.length <= shortMax && text.includes(mark) ? parsed(text) : {};
}

/** Which call a client gives up, or null for every other message. */
export function cancelledIn(text: string | null): string | number | null {
  const message = messageIn(text, "notifications/cancelled");
  const { method, params } = message as { method?: unknown; params?: { requestId?: unknown } };
  const id = method === "notifications/cancelled" ? params?.requestId : null;
  return typeof id === "string" || typeof id === "number" ? id : null;
}

const mayAsk = "ask-";

/** A client says once, in its greeting, that it can ask its person something. Its session id keeps that. */
export const canAskIn = (sessionId: string | undefined): boolean => sessionId?.startsWith(mayAsk) ?? false;

/** Questions are forms. A client that names no mode has forms alone. */
export const hasForms = (capabilities: unknown): boolean => {
  const { elicitation } = (capabilities ?? {}) as { elicitation?: unknown };
  if (typeof elicitation !== "object" || elicitation === null) return false;
  return "form" in elicitation || Object.keys(elicitation).length === 0;
};

/** The session id for the response to a client's greeting; nothing for every other message. */
export function newSessionFor(text: string | null): Record<string, string> {
  const message = messageIn(text, '"initialize"');
  const { method, params } = message as { method?: unknown; params?: { capabilities?: unknown } };
  if (method !== "initialize") return {};
  return { "mcp-session-id": `${hasForms(params?.capabilities) ? mayAsk : ""}${randomUUID()}` };
}

function parsed(text: string): object {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? value : {};
  } catch {
    // The protocol's library refuses it.
    return {};
  }
}
