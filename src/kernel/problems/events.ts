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
  agent_changed: {
    status: 409,
    title: "Agent changed",
    means: "Someone has changed the agent since the `if_updated_at` that the call names. Nothing was changed.",
    remedy:
      "Read it with `agents/{agent_id}/get`, apply your change to it, and send its `updated_at` as `if_updated_at`.",
  },
  model_not_configured: {
    status: 409,
    title: "Model not configured",
    means: "This server has no model for the agent. Without a model, an agent can only apply its rules to events.",
    remedy:
      "Ask the operator to set `SIGNALBOX_OPENAI_API_KEY` (or `SIGNALBOX_OPENAI_BASE_URL`) or `SIGNALBOX_ANTHROPIC_API_KEY`, and `SIGNALBOX_DEFAULT_MODEL` for agents that name no model.",
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
    means: "The last run of the conversation has not ended; `run_id` names it.",
    remedy: "Wait until it ends, approve or reject what it asks for, or cancel it with `runs/{run_id}/cancel`.",
  },
  event_not_found: {
    status: 404,
    title: "Event not found",
    means:
      "The project has no event with this id. Events are kept for 30 days, unless the retention policy says otherwise.",
    remedy: "List the events with `events/list`.",
  },
  signature_invalid: {
    status: 401,
    title: "Signature invalid",
    means: "The event has no signature, or its signature matches none of the agent's secrets. It was not stored.",
    remedy:
      "Sign the bytes of the body with one of the agent's secrets, as `agents/create` describes. Give the agent the sender's secret with `webhook_secrets`.",
  },
  address_not_public: {
    status: 409,
    title: "Address not public",
    means:
      "The platform sends events over the internet, and this server's own address is not one that it can reach by https. Nothing was registered.",
    remedy:
      "Ask the operator to set a public https address as `SIGNALBOX_BASE_URL_<REGION>`. Then register again. Or create the webhook at the platform by hand: use the agent's address from `agents/{agent_id}/webhook`, and give its secret to the agent in `webhook_secrets`.",
  },
  event_queue_full: {
    status: 503,
    title: "Event queue full",
    means: "The agent is paused, and its event queue is full. This event was not stored.",
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
    means:
      "The project has reached the maximum number of webhooks, or the organization that of webhooks for the whole organization.",
    remedy: "Delete one that is no longer used, or subscribe one webhook to more events.",
  },
  delivery_not_found: {
    status: 404,
    title: "Delivery not found",
    means:
      "The webhook has no delivery with this id. Deliveries are kept for 30 days, unless the retention policy says otherwise.",
    remedy: "List them with `webhooks/{webhook_id}/deliveries`.",
  },
} as const satisfies Catalogue;
