import type { Catalogue } from "./catalogue.ts";

/** Agents, the events they receive, and outgoing webhooks. */
export const eventProblems = {
  agent_not_found: {
    status: 404,
    title: "Agent not found",
    means: "The project has no agent with this id, or an event was sent to an address that no agent has.",
    remedy:
      "List the project's agents with `agents/list`, or read an agent's address with `agents/{agent_id}/webhook`.",
  },
  model_not_configured: {
    status: 409,
    title: "Model not configured",
    means: "This server has no model for the agent, so it can only follow its rules when an event arrives.",
    remedy:
      "The operator sets `SIGNALBOX_OPENAI_API_KEY` (or `SIGNALBOX_OPENAI_BASE_URL`) or `SIGNALBOX_ANTHROPIC_API_KEY`, and `SIGNALBOX_DEFAULT_MODEL` for agents that name no model.",
  },
  conversation_not_found: {
    status: 404,
    title: "Conversation not found",
    means: "The agent has no conversation with this id.",
    remedy: "List them with `agents/{agent_id}/conversations/list`, or leave `conversation_id` out to begin a new one.",
  },
  conversation_busy: {
    status: 409,
    title: "Conversation busy",
    means: "The last run of the conversation goes on; `run_id` names it.",
    remedy: "Wait until it has ended, answer what it asks, or cancel it with `runs/{run_id}/cancel`.",
  },
  event_not_found: {
    status: 404,
    title: "Event not found",
    means: "The project has no event with this id. They are kept for 30 days.",
    remedy: "List the events with `events/list`.",
  },
  signature_invalid: {
    status: 401,
    title: "Signature invalid",
    means: "The event carries no signature, or one that fits none of the agent's secrets. Nothing was kept.",
    remedy:
      "Sign the bytes of the body: `x-vercel-signature` is their HMAC-SHA1 in hex. Give the agent the sender's secret with `webhook_secrets`.",
  },
  event_queue_full: {
    status: 503,
    title: "Event queue full",
    means: "The agent is paused, and as many events wait as can wait. This one was not kept.",
    remedy: "Send it again after `Retry-After` seconds, or resume the agent with `agents/{agent_id}/resume`.",
  },
  webhook_not_found: {
    status: 404,
    title: "Webhook not found",
    means: "The project has no webhook with this id.",
    remedy: "List the project's webhooks with `webhooks/list`.",
  },
  webhook_disabled: {
    status: 409,
    title: "Webhook disabled",
    means: "The webhook is disabled, so nothing is sent to its address; `status_reason` in its record says why.",
    remedy: "Enable it with `webhooks/{webhook_id}/update`, then replay what was missed.",
  },
  too_many_webhooks: {
    status: 409,
    title: "Too many webhooks",
    means: "The project has as many webhooks as a project can have.",
    remedy: "Delete one that is no longer needed, or let one address hear more events.",
  },
  delivery_not_found: {
    status: 404,
    title: "Delivery not found",
    means: "The webhook has no delivery with this id. They are kept for 30 days.",
    remedy: "List them with `webhooks/{webhook_id}/deliveries`.",
  },
} as const satisfies Catalogue;
