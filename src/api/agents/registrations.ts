import * as z from "zod";
import { projectOf } from "../../access/scope.ts";
import { readAddress, requireAgent } from "../../agents/agents.ts";
import { refusePrivateAddress } from "../../agents/events/public-address.ts";
import {
  listRegistrations,
  removeRegistration,
  removeReplaced,
  saveRegistration,
} from "../../agents/events/registrations.ts";
import {
  askOrProblem,
  eventsFor,
  problemOf,
  requirePlatform,
  undoRegistration,
  unregisterAt,
} from "../../agents/events/system-webhooks.ts";
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
      const { agent_id: id, connection_id: through } = input;
      const agent = await requireAgent(scope.db, projectOf(scope), id);
      const platform = await requirePlatform(scope, through, rooms.vault);
      const events = eventsFor(agent, input.events, platform.webhooks);
      const url = await readAddress(scope.db, agent, rooms.events);
      if (platform.connection.instance === "live") refusePrivateAddress(url);
      const register = platform.webhooks.register(url, events, input.system_project_ids);
      const made = await askOrProblem(scope, platform, register, rooms.steps);
      const answer = { agent_id: id, connection_id: through, events };
      if ("problem" in made) return { ...answer, system_webhook_id: null, problem: made.problem };
      const createdAt = scope.now().toISOString();
      const registration = { agentId: id, connectionId: through, systemWebhookId: made.done.id, events, createdAt };
      try {
        await scope.change(async ({ db }) => {
          const current = await requireAgent(db, agent.projectId, id);
          await saveRegistration(db, current, { ...registration, secret: made.done.secret }, rooms.events.keys);
          await removeReplaced(db, agent, made.done.replaced, rooms.events.keys);
          return { value: null, target: id, details: { connection_id: through, events } };
        });
      } catch (error) {
        // The agent was deleted or the caller lost the role, so the secret of the new webhook was not stored.
        throw await undoRegistration(scope, registration, rooms, error);
      }
      return { ...answer, system_webhook_id: made.done.id };
    },
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
      const agent = await requireAgent(scope.db, projectOf(scope), id);
      const platform = await requirePlatform(scope, through, rooms.vault);
      const registrations = await listRegistrations(scope.db, id);
      const made = registrations.find(({ connectionId: each }) => each === through);
      const url = await readAddress(scope.db, agent, rooms.events);
      // Also removes by address, so that a second call can finish what the first could not.
      const byAddress = platform.webhooks.unregisterAt(url);
      const problem =
        (made ? await unregisterAt(scope, made, rooms) : null) ??
        problemOf(await askOrProblem(scope, platform, byAddress, rooms.steps));
      await scope.change(async ({ db }) => {
        await removeRegistration(db, await requireAgent(db, agent.projectId, id), through, rooms.events.keys);
        return { value: null, target: id, details: { connection_id: through } };
      });
      return {
        agent_id: id,
        connection_id: through,
        system_webhook_id: made?.systemWebhookId ?? null,
        events: [],
        ...(problem ? { problem } : {}),
      };
    },
  }),
];
