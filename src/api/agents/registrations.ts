import * as z from "zod";
import { projectOf, type Scope } from "../../access/scope.ts";
import { type Agent, readAddress, requireAgent } from "../../agents/agents.ts";
import { anyEvent } from "../../agents/event-rules.ts";
import { askPlatform } from "../../agents/events/ask-platform.ts";
import { refusePrivateAddress } from "../../agents/events/public-address.ts";
import {
  listRegistrations,
  type Registration,
  removeRegistration,
  removeReplaced,
  saveRegistration,
} from "../../agents/events/registrations.ts";
import { externalOperation, type Rooms } from "../../calls/define.ts";
import { Problem } from "../../kernel/problem.ts";
import { toProblem } from "../../runs/single-step.ts";
import { sendersInText } from "../../systems/event-senders.ts";
import type { SystemWebhooks } from "../../systems/events.ts";
import { eventSenders } from "../../systems/index.ts";
import type { StepProblem } from "../../systems/problems.ts";
import { samples as shown } from "../../systems/samples.ts";
import { StepFailed, type Work } from "../../systems/work.ts";
import type { Connection } from "../../vault/vault.ts";
import { idField } from "../fields.ts";
import { problemField } from "../steps/records.ts";

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

/** A connection, and how its system sends events. */
interface Platform {
  connection: Connection;
  webhooks: SystemWebhooks;
}

const webhooksOf = (connection: Connection): SystemWebhooks | undefined =>
  eventSenders.find(({ system }) => system.id === connection.system)?.webhooks;

async function requirePlatform(scope: Scope, id: string, { vault }: Rooms): Promise<Platform> {
  const connection = await vault.find(projectOf(scope), id);
  if (!connection) throw new Problem("connection_not_found");
  const webhooks = webhooksOf(connection);
  if (webhooks) return { connection, webhooks };
  const senders = eventSenders.map(({ system }) => system.id).join(" or ");
  throw new Problem("validation_failed", `The connection is one to ${connection.system}.`, {
    errors: [{ pointer: "#/connection_id", code: "wrong_system", detail: `Name a connection to ${senders}.` }],
  });
}

/** Calls the platform, and returns its failure as the problem that a run would have. */
const ask = <T>(scope: Scope, { connection, webhooks }: Platform, work: Work<T>, rooms: Rooms) =>
  orProblem(scope, () => askPlatform(work, webhooks.step, connection, scope.actor.keyId, rooms.steps));

async function orProblem<T>(scope: Scope, work: () => Promise<T>): Promise<{ done: T } | { problem: StepProblem }> {
  try {
    return { done: await work() };
  } catch (error) {
    if (!(error instanceof StepFailed)) throw error;
    return { problem: toProblem(error.failure, "", scope.now()) };
  }
}

const problemOf = (result: { problem: StepProblem } | object): StepProblem | null =>
  "problem" in result ? result.problem : null;

/** Returns null if the webhook no longer exists at the platform, otherwise the problem. */
export async function unregisterAt(scope: Scope, made: Registration, rooms: Rooms): Promise<StepProblem | null> {
  const connection = await rooms.vault.find(projectOf(scope), made.connectionId);
  const webhooks = connection ? webhooksOf(connection) : undefined;
  if (!connection || !webhooks) return null;
  const result = await ask(scope, { connection, webhooks }, webhooks.unregister(made.systemWebhookId), rooms);
  return "done" in result || result.problem.code === "not_found_there" ? null : result.problem;
}

/** Removes the webhook of a failed registration. If that fails too, logs it and names the webhook in the problem. */
async function undoRegistration(scope: Scope, made: Registration, rooms: Rooms, error: unknown): Promise<unknown> {
  const { agentId, connectionId, systemWebhookId } = made;
  const failure = await unregisterAt(scope, made, rooms).catch((failed: unknown) => ({ failed }));
  if (failure === null) return error;
  rooms.log.warn(
    { agent_id: agentId, connection_id: connectionId, system_webhook_id: systemWebhookId, err: failure },
    "a webhook at the platform could not be removed",
  );
  if (!(error instanceof Problem)) return error;
  const more = { ...error.extras.more, left_at_system: [systemWebhookId] };
  return new Problem(error.code, error.message, { ...error.extras, more, cause: error });
}

/** The requested events, or those of the agent's rules, or the default ones; in the platform's names. */
function eventsFor(agent: Agent, wanted: readonly string[] | undefined, webhooks: SystemWebhooks): string[] {
  const listened = agent.rules.map(({ on }) => on);
  const meant = wanted ?? (listened.length === 0 || listened.includes(anyEvent) ? webhooks.usualEvents : listened);
  return [...new Set(meant.map(webhooks.systemName))];
}

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
      const platform = await requirePlatform(scope, through, rooms);
      const events = eventsFor(agent, input.events, platform.webhooks);
      const url = await readAddress(scope.db, agent, rooms.webhooks);
      if (platform.connection.instance === "live") refusePrivateAddress(url);
      const register = platform.webhooks.register(url, events, input.system_project_ids);
      const made = await ask(scope, platform, register, rooms);
      const answer = { agent_id: id, connection_id: through, events };
      if ("problem" in made) return { ...answer, system_webhook_id: null, problem: made.problem };
      const createdAt = scope.now().toISOString();
      const registration = { agentId: id, connectionId: through, systemWebhookId: made.done.id, events, createdAt };
      try {
        await scope.change(async ({ db }) => {
          const current = await requireAgent(db, agent.projectId, id);
          await saveRegistration(db, current, { ...registration, secret: made.done.secret }, rooms.webhooks.keys);
          await removeReplaced(db, agent, made.done.replaced, rooms.webhooks.keys);
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
      const platform = await requirePlatform(scope, through, rooms);
      const registrations = await listRegistrations(scope.db, id);
      const made = registrations.find(({ connectionId: each }) => each === through);
      const url = await readAddress(scope.db, agent, rooms.webhooks);
      // Also removes by address, so that a second call can finish what the first could not.
      const byAddress = platform.webhooks.unregisterAt(url);
      const problem =
        (made ? await unregisterAt(scope, made, rooms) : null) ??
        problemOf(await ask(scope, platform, byAddress, rooms));
      await scope.change(async ({ db }) => {
        await removeRegistration(db, await requireAgent(db, agent.projectId, id), through, rooms.webhooks.keys);
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
