import { projectOf, type Scope } from "../../access/scope.ts";
import type { Log } from "../../kernel/log.ts";
import { Problem } from "../../kernel/problem.ts";
import { toProblem } from "../../steps/to-problem.ts";
import { withWebhooks } from "../../systems/event-senders.ts";
import type { SystemWebhooks } from "../../systems/events.ts";
import type { StepProblem } from "../../systems/step-problems.ts";
import { StepFailed, type Work } from "../../systems/work.ts";
import type { Connection, Vault } from "../../vault/vault.ts";
import type { Agent } from "../agents.ts";
import { anyEvent } from "../event-rules.ts";
import { askPlatform, type PlatformPorts } from "./call-system.ts";
import type { Registration } from "./registrations.ts";

/** A connection, and how its system sends events. */
export interface Platform {
  connection: Connection;
  webhooks: SystemWebhooks;
}

const webhooksOf = (connection: Connection): SystemWebhooks | null =>
  withWebhooks.find(({ system }) => system.id === connection.system)?.webhooks ?? null;

export async function requirePlatform(scope: Scope, id: string, vault: Pick<Vault, "find">): Promise<Platform> {
  const connection = await vault.find(projectOf(scope), id);
  if (!connection) throw new Problem("connection_not_found");
  const webhooks = webhooksOf(connection);
  if (webhooks) return { connection, webhooks };
  const senders = withWebhooks.map(({ system }) => system.id).join(" or ");
  throw new Problem("validation_failed", `The connection is one to ${connection.system}.`, {
    errors: [{ pointer: "#/connection_id", code: "wrong_system", detail: `Name a connection to ${senders}.` }],
  });
}

/** Calls the platform, and returns its failure as the problem that a run would have. */
export const askOrProblem = <T>(
  scope: Scope,
  { connection, webhooks }: Platform,
  work: Work<T>,
  ports: PlatformPorts,
) => orProblem(scope, () => askPlatform(work, webhooks.step, connection, scope.actor.keyId, ports));

async function orProblem<T>(scope: Scope, work: () => Promise<T>): Promise<{ done: T } | { problem: StepProblem }> {
  try {
    return { done: await work() };
  } catch (error) {
    if (!(error instanceof StepFailed)) throw error;
    return { problem: toProblem(error.failure, "", scope.now()) };
  }
}

export const problemOf = (result: { problem: StepProblem } | object): StepProblem | null =>
  "problem" in result ? result.problem : null;

export interface UnregisterPorts {
  vault: Pick<Vault, "find">;
  steps: PlatformPorts;
}

/** Returns the ids of the webhooks that could not be removed at their platforms. */
export async function unregisterAll(
  scope: Scope,
  webhooks: readonly Registration[],
  ports: UnregisterPorts,
): Promise<string[]> {
  const left: string[] = [];
  for (const made of webhooks) if (await unregisterAt(scope, made, ports)) left.push(made.systemWebhookId);
  return left;
}

/** Returns null if the webhook no longer exists at the platform, otherwise the problem. */
export async function unregisterAt(
  scope: Scope,
  made: Registration,
  ports: UnregisterPorts,
): Promise<StepProblem | null> {
  const connection = await ports.vault.find(projectOf(scope), made.connectionId);
  const webhooks = connection && webhooksOf(connection);
  if (!connection || !webhooks) return null;
  const result = await askOrProblem(
    scope,
    { connection, webhooks },
    webhooks.unregister(made.systemWebhookId),
    ports.steps,
  );
  return "done" in result || result.problem.code === "not_found_there" ? null : result.problem;
}

/** Removes the webhook of a failed registration. If that fails too, logs it and names the webhook in the problem. */
export async function undoRegistration(
  scope: Scope,
  made: Registration,
  ports: UnregisterPorts & { log: Log },
  error: unknown,
): Promise<unknown> {
  const { agentId, connectionId, systemWebhookId } = made;
  const failure = await unregisterAt(scope, made, ports).catch((failed: unknown) => ({ failed }));
  if (failure === null) return error;
  ports.log.warn(
    { agent_id: agentId, connection_id: connectionId, system_webhook_id: systemWebhookId, err: failure },
    "a webhook at the platform could not be removed",
  );
  if (!(error instanceof Problem)) return error;
  const more = { ...error.extras.more, left_at_system: [systemWebhookId] };
  return new Problem(error.code, error.message, { ...error.extras, more, cause: error });
}

/** The requested events, or those of the agent's rules, or the default ones; in the platform's names. */
export function eventsFor(agent: Agent, wanted: readonly string[] | undefined, webhooks: SystemWebhooks): string[] {
  const listened = agent.rules.map(({ on }) => on);
  const meant = wanted ?? (listened.length === 0 || listened.includes(anyEvent) ? webhooks.usualEvents : listened);
  return [...new Set(meant.map(webhooks.systemName))];
}
