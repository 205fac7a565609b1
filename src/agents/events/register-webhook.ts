import type { ChangingScope } from "../../access/changing-scope.ts";
import { projectOf } from "../../access/scope.ts";
import type { Log } from "../../kernel/log.ts";
import type { StepProblem } from "../../systems/step-problems.ts";
import { type AgentPorts, readAddress, requireAgent } from "../agents.ts";
import { refusePrivateAddress } from "./public-address.ts";
import { listRegistrations, removeRegistration, removeReplaced, saveRegistration } from "./registrations.ts";
import {
  askOrProblem,
  eventsFor,
  problemOf,
  requirePlatform,
  type UnregisterPorts,
  undoRegistration,
  unregisterAt,
} from "./system-webhooks.ts";

export interface RegistrationWish {
  agentId: string;
  connectionId: string;
  /** By our names or the platform's; undefined for the events of the agent's rules. */
  events: readonly string[] | undefined;
  /** Only these projects of the platform; none for all. */
  systemProjectIds: string[];
}

export interface RegistrationResult {
  /** Null if the platform has no webhook for the agent. */
  systemWebhookId: string | null;
  events: string[];
  problem: StepProblem | null;
}

/** What the reference of a call holds. */
export interface NamedRegistration extends Pick<RegistrationWish, "agentId" | "connectionId"> {
  result: RegistrationResult;
}

export interface RegistrationPorts extends UnregisterPorts {
  events: Pick<AgentPorts, "keys" | "baseUrl">;
  log: Log;
}

/** Creates a webhook at the platform, and stores its secret. A second one replaces the first. */
export async function registerWebhook(
  scope: ChangingScope,
  wish: RegistrationWish,
  ports: RegistrationPorts,
): Promise<RegistrationResult> {
  const { agentId, connectionId } = wish;
  const { keys } = ports.events;
  const agent = await requireAgent(scope.db, projectOf(scope), agentId);
  const platform = await requirePlatform(scope, connectionId, ports.vault);
  const events = eventsFor(agent, wish.events, platform.webhooks);
  const url = await readAddress(scope.db, agent, ports.events);
  if (platform.connection.instance === "live") refusePrivateAddress(url);
  const register = platform.webhooks.register(url, events, wish.systemProjectIds);
  const made = await askOrProblem(scope, platform, register, ports.steps);
  if ("problem" in made) return { systemWebhookId: null, events, problem: made.problem };
  const { id: systemWebhookId, secret, replaced } = made.done;
  const registration = { agentId, connectionId, systemWebhookId, events, createdAt: scope.now().toISOString() };
  const result: RegistrationResult = { systemWebhookId, events, problem: null };
  try {
    return await scope.change(async ({ db }) => {
      const current = await requireAgent(db, agent.projectId, agentId);
      await saveRegistration(db, current, { ...registration, secret }, keys);
      await removeReplaced(db, agent, replaced, keys);
      const details = { connection_id: connectionId, events };
      return { value: result, target: agentId, details, reference: referenceOf(wish, result) };
    });
  } catch (error) {
    // The agent was deleted or the caller lost the role, so the secret of the new webhook was not stored.
    throw await undoRegistration(scope, registration, ports, error);
  }
}

/** Removes the webhook at the platform, and deletes its secret here whether the platform could be reached or not. */
export async function unregisterWebhook(
  scope: ChangingScope,
  wish: Pick<RegistrationWish, "agentId" | "connectionId">,
  ports: RegistrationPorts,
): Promise<RegistrationResult> {
  const { agentId, connectionId } = wish;
  const agent = await requireAgent(scope.db, projectOf(scope), agentId);
  const platform = await requirePlatform(scope, connectionId, ports.vault);
  const registrations = await listRegistrations(scope.db, agentId);
  const made = registrations.find((each) => each.connectionId === connectionId);
  const url = await readAddress(scope.db, agent, ports.events);
  // Also removes by address, so that a second call can finish what the first could not.
  const byAddress = platform.webhooks.unregisterAt(url);
  const problem =
    (made ? await unregisterAt(scope, made, ports) : null) ??
    problemOf(await askOrProblem(scope, platform, byAddress, ports.steps));
  const result: RegistrationResult = { systemWebhookId: made?.systemWebhookId ?? null, events: [], problem };
  return scope.change(async ({ db }) => {
    await removeRegistration(db, await requireAgent(db, agent.projectId, agentId), connectionId, ports.events.keys);
    const details = { connection_id: connectionId };
    return { value: result, target: agentId, details, reference: referenceOf(wish, result) };
  });
}

/** A repeat of the call finds the result by this. */
const referenceOf = (
  { agentId, connectionId }: Pick<RegistrationWish, "agentId" | "connectionId">,
  result: RegistrationResult,
): string => JSON.stringify({ agentId, connectionId, result } satisfies NamedRegistration);
