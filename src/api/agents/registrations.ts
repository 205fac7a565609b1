import * as z from "zod";
import {
  type NamedRegistration,
  type RegistrationResult,
  registerWebhook,
  unregisterWebhook,
} from "../../agents/events/register-webhook.ts";
import { externalOperation } from "../../calls/define-operation.ts";
import { sendersInText } from "../../systems/event-senders.ts";
import { samples as shown } from "../../systems/samples.ts";
import { idField } from "../shared-fields.ts";
import { problemField } from "../steps/step-response.ts";

/** Registers an agent's webhook at a system that sends events, through a connection, and removes it. */

const agentId = idField.meta({ description: "The agent" });
const connectionId = idField.meta({ description: `An account of ${sendersInText}` });

const outcome = z.object({
  agent_id: z.string(),
  connection_id: z.string(),
  system_webhook_id: z.string().nullable().meta({ description: "Its id at the platform" }),
  events: z.array(z.string()).meta({ description: "The events that it sends, by the platform's names" }),
  problem: problemField.optional(),
});
z.globalRegistry.add(outcome, { id: "WebhookRegistrationResult" });

const toRecord = (
  agent: string,
  connection: string,
  { systemWebhookId, events, problem }: RegistrationResult,
): z.input<typeof outcome> => ({
  agent_id: agent,
  connection_id: connection,
  system_webhook_id: systemWebhookId,
  events,
  ...(problem ? { problem } : {}),
});

const answerAgain = async (_: unknown, reference: string) => {
  const { agentId, connectionId, result } = JSON.parse(reference) as NamedRegistration;
  return toRecord(agentId, connectionId, result);
};

export const registrationOperations = [
  externalOperation({
    path: "/latest/agents/{agent_id}/register_webhook",
    area: "agents",
    summary: `Have ${sendersInText} send its events to an agent`,
    description:
      "Creates a webhook at the platform, through a connection, and stores the secret that the platform returns. A second call replaces the webhook of the first. If the platform refuses, `problem` says why and `system_webhook_id` is null.",
    needs: "project editor",
    audit: "agent.webhook_registered",
    refuses: ["agent_not_found", "connection_not_found", "address_not_public"],
    input: z.object({
      agent_id: agentId,
      connection_id: connectionId,
      events: z
        .array(z.string().regex(/^[\x21-\x7e]{1,200}$/))
        .min(1)
        .max(100)
        .optional()
        .meta({ description: "By Signalbox's names or the platform's; default: the events of the agent's rules" }),
      system_project_ids: z
        .array(idField)
        .max(50)
        .default([])
        .meta({ description: "Only these projects of the platform; default: all" }),
    }),
    output: outcome,
    example: { agent_id: "agt_us_…", connection_id: "con_us_…", events: [shown.event.name] },
    async run(scope, input, rooms) {
      const { agent_id: id, connection_id: through, events, system_project_ids: systemProjectIds } = input;
      const wish = { agentId: id, connectionId: through, events, systemProjectIds };
      return toRecord(id, through, await registerWebhook(scope, wish, rooms));
    },
    answerAgain,
  }),
  externalOperation({
    path: "/latest/agents/{agent_id}/unregister_webhook",
    area: "agents",
    summary: "Remove the webhook at the platform, and delete its secret",
    description:
      "Events signed with its secret are refused from now on. If the platform could not be reached, `problem` says so, and a second call tries again to remove the webhook there.",
    needs: "project editor",
    audit: "agent.webhook_unregistered",
    refuses: ["agent_not_found", "connection_not_found"],
    input: z.object({ agent_id: agentId, connection_id: connectionId }),
    output: outcome,
    example: { agent_id: "agt_us_…", connection_id: "con_us_…" },
    async run(scope, { agent_id: id, connection_id: through }, rooms) {
      return toRecord(id, through, await unregisterWebhook(scope, { agentId: id, connectionId: through }, rooms));
    },
    answerAgain,
  }),
];
