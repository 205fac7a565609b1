import * as z from "zod";
import { projectOf } from "../../access/scope.ts";
import { readAddress, requireAgent, rotateAgentSecret, setPaused } from "../../agents/agents.ts";
import { listRegistrations, type Registration } from "../../agents/events/registrations.ts";
import { countQueued, requireEvent } from "../../agents/events/store-event.ts";
import { testCall } from "../../agents/events/test-event.ts";
import { externalOperation, operation } from "../../calls/define-operation.ts";
import { anyObject } from "../../kernel/any-object.ts";
import { samples as shown } from "../../systems/samples.ts";
import { timeField } from "../shared-fields.ts";
import { agentId, agentRecord, secretField, toRecord, urlField } from "./agent-response.ts";
import { eventRecord, toRecord as toEventRecord } from "./events.ts";

/** How an agent receives events: its address, its secret, and whether events wait. */

const registrationRecord = z.object({
  connection_id: z.string(),
  system_webhook_id: z.string().meta({ description: "Its id at the platform" }),
  events: z.array(z.string()).meta({ description: "The events that it sends, by the platform's names" }),
  created_at: timeField,
});
z.globalRegistry.add(registrationRecord, { id: "WebhookRegistration" });

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
      refused_signatures: z
        .object({ count: z.int(), last_at: timeField.meta({ description: "When the last one came" }) })
        .nullable()
        .meta({
          description:
            "Requests to the address that were refused because of their signature, counted by this node since it started; null where there was none",
        }),
      refused_events: z
        .array(
          z.object({
            at: timeField.meta({ description: "When it came" }),
            reason: z
              .enum(["invalid", "not_signed"])
              .meta({ description: "`invalid`: no accepted secret made its signature. `not_signed`: it has none" }),
          }),
        )
        .meta({
          description:
            "The last 20 requests that were refused because of their signature, newest first, kept for 30 days. Nothing else of them is kept. Another node's appear within seconds",
        }),
      queued_events: z.int().meta({ description: "How many wait because it is paused" }),
      registrations: z.array(registrationRecord).meta({ description: "Webhooks made for it at the platform" }),
    }),
    example: { agent_id: "agt_us_…" },
    async run(scope, { agent_id: id }, { events }) {
      const agent = await requireAgent(scope.db, projectOf(scope), id);
      const refused = events.refusals.of(id);
      return {
        agent_id: id,
        webhook_url: await readAddress(scope.db, agent, events),
        refused_signatures: refused && { count: refused.count, last_at: refused.lastAt },
        refused_events: (await events.refusals.recent(scope.db, id)).map(({ at, reason }) => ({ at, reason })),
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
    async run(scope, input, { events }) {
      const { secret, oldUntil } = await rotateAgentSecret(scope, input.agent_id, input.overlap_seconds, events);
      return { agent_id: input.agent_id, webhook_secret: secret, old_expires_at: oldUntil };
    },
    auditOf: (input) => ({ target: input.agent_id, details: { overlap_seconds: input.overlap_seconds } }),
  }),
  externalOperation({
    path: "/latest/agents/{agent_id}/test_event",
    area: "agents",
    summary: "Send an agent a test event, signed with its secret",
    description:
      "It takes the way of every event: its signature is checked, it is kept, and it starts what the rules or the model say. Its body has `test: true`.",
    needs: "project editor",
    audit: "agent.tested",
    countsAs: "run",
    refuses: ["agent_not_found", "event_queue_full", "compute_exhausted"],
    input: z.object({
      agent_id: agentId,
      type: z
        .string()
        .regex(/^[\x20-\x7e]{1,200}$/)
        .default("test")
        .meta({ description: `The event's name, such as \`${shown.event.name}\`` }),
      payload: anyObject().default({}).meta({ description: "What the event tells" }),
    }),
    output: eventRecord,
    example: { agent_id: "agt_us_…", type: shown.event.name, payload: shown.event.payloadShort },
    async run(scope, { agent_id: id, type, payload }, { events }) {
      const agent = await requireAgent(scope.db, projectOf(scope), id);
      const call = await testCall(scope.db, agent, { type, payload }, { keys: events.keys, now: scope.now() });
      const received = await events.receive(call, (store) =>
        scope.change(async ({ db }) => {
          const value = await store(db);
          return { value, target: id, details: { type }, reference: value.id };
        }),
      );
      return toEventRecord(scope.db, received);
    },
    answerAgain: async (scope, reference) =>
      toEventRecord(scope.db, await requireEvent(scope.db, projectOf(scope), reference)),
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
    async run(scope, input, { events }) {
      scope.afterCommit(events.queued.wake);
      return toRecord(await setPaused(scope, input.agent_id, false));
    },
    auditOf: (input) => ({ target: input.agent_id }),
  }),
];
