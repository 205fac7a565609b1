import * as z from "zod";
import { projectOf } from "../../access/scope.ts";
import { readAddress, requireAgent, rotateAgentSecret, setPaused } from "../../agents/agents.ts";
import { countQueued } from "../../agents/events/events.ts";
import { listRegistrations, type Registration } from "../../agents/events/registrations.ts";
import { operation } from "../../calls/define.ts";
import { timeField } from "../fields.ts";
import { agentId, agentRecord, secretField, toRecord, urlField } from "./records.ts";

/** How an agent receives events: its address, its secret, and whether events wait. */

const registrationRecord = z.object({
  connection_id: z.string(),
  system_webhook_id: z.string().meta({ description: "Its id at the platform" }),
  events: z.array(z.string()).meta({ description: "The events that it sends, by the platform's names" }),
  created_at: timeField,
});

const toRegistrationRecord = (made: Registration): z.input<typeof registrationRecord> => ({
  connection_id: made.connectionId,
  system_webhook_id: made.systemWebhookId,
  events: made.events,
  created_at: made.createdAt,
});

export const agentWebhookOperations = [
  operation({
    path: "/latest/agents/{agent_id}/webhook",
    area: "agents",
    summary: "Where the agent receives events, and which webhooks are registered to send them",
    needs: "project editor",
    audit: null,
    refuses: ["agent_not_found"],
    input: z.object({ agent_id: agentId }),
    output: z.object({
      agent_id: z.string(),
      webhook_url: urlField,
      queued_events: z.int().meta({ description: "How many wait because it is paused" }),
      registrations: z.array(registrationRecord).meta({ description: "Webhooks made for it at the platform" }),
    }),
    example: { agent_id: "agt_us_…" },
    async run(scope, { agent_id: id }, { webhooks }) {
      const agent = await requireAgent(scope.db, projectOf(scope), id);
      return {
        agent_id: id,
        webhook_url: await readAddress(scope.db, agent, webhooks),
        queued_events: await countQueued(scope.db, id),
        registrations: (await listRegistrations(scope.db, id)).map(toRegistrationRecord),
      };
    },
  }),
  operation({
    path: "/latest/agents/{agent_id}/rotate_secret",
    area: "agents",
    summary: "Replace the agent's webhook secret, while the old one is accepted for a while",
    needs: "project editor",
    audit: "agent.secret_rotated",
    answersSecret: true,
    refuses: ["agent_not_found"],
    input: z.object({
      agent_id: agentId,
      overlap_seconds: z
        .int()
        .min(0)
        .max(2_592_000)
        .default(86_400)
        .meta({ description: "How long the old secret is accepted" }),
    }),
    output: z.object({
      agent_id: z.string(),
      webhook_secret: secretField,
      old_expires_at: timeField.meta({ description: "Until when the old secret is accepted" }),
    }),
    example: { agent_id: "agt_us_…" },
    async run(scope, input, { webhooks }) {
      const { secret, oldUntil } = await rotateAgentSecret(scope, input.agent_id, input.overlap_seconds, webhooks);
      return { agent_id: input.agent_id, webhook_secret: secret, old_expires_at: oldUntil };
    },
    auditOf: (input) => ({ target: input.agent_id, details: { overlap_seconds: input.overlap_seconds } }),
  }),
  operation({
    path: "/latest/agents/{agent_id}/pause",
    area: "agents",
    summary: "Pause an agent, so that its events wait",
    description:
      "Up to 1,000 events are queued. Further events are refused with `Retry-After`, so that their sender retries.",
    needs: "project editor",
    audit: "agent.paused",
    refuses: ["agent_not_found"],
    input: z.object({ agent_id: agentId }),
    output: agentRecord,
    example: { agent_id: "agt_us_…" },
    async run(scope, input) {
      return toRecord(await setPaused(scope, input.agent_id, true));
    },
    auditOf: (input) => ({ target: input.agent_id }),
  }),
  operation({
    path: "/latest/agents/{agent_id}/resume",
    area: "agents",
    summary: "Resume an agent, starting with its oldest queued events",
    needs: "project editor",
    audit: "agent.resumed",
    refuses: ["agent_not_found"],
    input: z.object({ agent_id: agentId }),
    output: agentRecord,
    example: { agent_id: "agt_us_…" },
    async run(scope, input, { webhooks }) {
      scope.afterCommit(webhooks.queued.wake);
      return toRecord(await setPaused(scope, input.agent_id, false));
    },
    auditOf: (input) => ({ target: input.agent_id }),
  }),
];
