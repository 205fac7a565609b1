import { projectOf, type Scope } from "../access/scope.ts";
import { newId } from "../kernel/ids.ts";
import { type FieldError, Problem } from "../kernel/problem.ts";
import { timeOfChange } from "../kernel/times.ts";
import type { Db } from "../store/db.ts";
import { findStep } from "../systems/index.ts";
import type { DataKeys } from "../vault/sealing/data-keys.ts";
import type { Vault } from "../vault/vault.ts";
import type { Agent } from "./agent-record.ts";
import { findAgent, insertAgent, replaceAgentSecrets, updateAgent } from "./agents.store.ts";
import { requireUsableRules } from "./event-rules.ts";
import type { RunStarter } from "./run-starter.ts";
import {
  type AgentSecrets,
  hashOfToken,
  newAgentSecrets,
  openAgentSecrets,
  rotateOwn,
  sealSecrets,
} from "./webhook-secrets.ts";

export type { Agent, AllowedStep } from "./agent-record.ts";
export {
  deleteAgent,
  findAgent,
  findAgentById,
  findAgentByToken,
  isPaused,
  listAgentSizes,
  listAgents,
  lockAgent,
} from "./agents.store.ts";

export type AgentWish = Pick<
  Agent,
  | "name"
  | "instructions"
  | "tools"
  | "steps"
  | "model"
  | "approval"
  | "rules"
  | "signature"
  | "turnsMax"
  | "tokensMax"
  | "minutesMax"
>;

export interface AgentPorts {
  keys: DataKeys;
  tools: RunStarter;
  vault: Pick<Vault, "find">;
  baseUrl: string;
}

/** "Each agent … has a webhook address", with a secret of its own. Events must be signed unless `signature` is off. */
export async function createAgent(
  scope: Scope,
  wanted: AgentWish & { webhookSecrets: readonly string[] },
  ports: AgentPorts,
): Promise<{ agent: Agent; webhookUrl: string; secret: string }> {
  const { webhookSecrets, ...wish } = wanted;
  await requireUsable(scope, wish, ports);
  const owner = { id: newId("agent", scope.region), organizationId: scope.actor.organizationId };
  const secrets = newAgentSecrets(webhookSecrets);
  const sealed = await sealSecrets(scope.db, owner, secrets, ports.keys);
  const now = scope.now().toISOString();
  const agent: Agent = {
    ...wish,
    ...owner,
    projectId: projectOf(scope),
    paused: false,
    sealed: sealed.text,
    runAs: scope.actor.userId,
    createdBy: scope.actor.userId,
    createdAt: now,
    updatedAt: now,
  };
  await insertAgent(scope.db, agent, hashOfToken(secrets.token), sealed.dataKeyId);
  return { agent, webhookUrl: addressOf(agent, secrets, ports.baseUrl), secret: secrets.own[0]?.value ?? "" };
}

export async function requireAgent(db: Db, projectId: string, id: string): Promise<Agent> {
  const agent = await findAgent(db, projectId, id);
  if (!agent) throw new Problem("agent_not_found");
  return agent;
}

export type AgentEdit = { [Member in keyof AgentWish]?: AgentWish[Member] | undefined };

/**
 * Members that are left out stay as they are. `webhookSecrets` replaces the senders' secrets as a whole. The person who
 * changes an agent becomes its owner, so a change never acts on behalf of another person.
 */
export async function editAgent(
  scope: Scope,
  id: string,
  edit: AgentEdit & { webhookSecrets: readonly string[] | undefined },
  ifUpdatedAt: string | undefined,
  ports: AgentPorts,
): Promise<Agent> {
  const { webhookSecrets, ...changes } = edit;
  const before = await requireAgent(scope.db, projectOf(scope), id);
  if (ifUpdatedAt !== undefined && ifUpdatedAt !== before.updatedAt) throw new Problem("agent_changed");
  await requireUsable(scope, changes, ports);
  const given = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
  const after: Agent = {
    ...before,
    ...given,
    runAs: scope.actor.userId,
    updatedAt: timeOfChange(before.updatedAt, scope.now()),
  };
  await updateAgent(scope.db, after);
  if (webhookSecrets) {
    await changeSecrets(scope.db, before, ports.keys, (secrets) => ({ ...secrets, given: [...webhookSecrets] }));
  }
  return after;
}

export async function setPaused(scope: Scope, id: string, paused: boolean): Promise<Agent> {
  const agent = await requireAgent(scope.db, projectOf(scope), id);
  const after = { ...agent, paused, updatedAt: timeOfChange(agent.updatedAt, scope.now()) };
  await updateAgent(scope.db, after);
  return after;
}

/** The old secret is accepted beside the new one for the overlap. */
export async function rotateAgentSecret(
  scope: Scope,
  id: string,
  overlapSeconds: number,
  ports: Pick<AgentPorts, "keys">,
): Promise<{ secret: string; oldUntil: string }> {
  const agent = await requireAgent(scope.db, projectOf(scope), id);
  const oldUntil = new Date(scope.now().getTime() + overlapSeconds * 1000).toISOString();
  let secret = "";
  await changeSecrets(scope.db, agent, ports.keys, (secrets) => {
    const rotated = rotateOwn(secrets, oldUntil);
    secret = rotated.secret;
    return rotated.secrets;
  });
  return { secret, oldUntil };
}

/** Runs in the transaction of a change, behind the organization's other writers. */
export async function changeSecrets(
  db: Db,
  agent: Agent,
  keys: DataKeys,
  change: (secrets: AgentSecrets) => AgentSecrets,
): Promise<void> {
  const sealed = await sealSecrets(db, agent, change(await openAgentSecrets(db, agent, keys)), keys);
  await replaceAgentSecrets(db, agent.id, sealed.text, sealed.dataKeyId);
}

export const addressOf = ({ id }: Pick<Agent, "id">, { token }: AgentSecrets, baseUrl: string): string =>
  `${baseUrl}/latest/agents/${id}/webhook/${token}`;

export const readAddress = async (db: Db, agent: Agent, ports: Pick<AgentPorts, "keys" | "baseUrl">): Promise<string> =>
  addressOf(agent, await openAgentSecrets(db, agent, ports.keys), ports.baseUrl);

/** Everything that an agent names exists, in its own project. */
async function requireUsable(scope: Scope, wish: Partial<AgentEdit>, { tools, vault }: AgentPorts): Promise<void> {
  const { db } = scope;
  const projectId = projectOf(scope);
  const errors: FieldError[] = [];
  for (const [index, id] of (wish.tools ?? []).entries()) {
    if (await tools.find(db, projectId, id)) continue;
    const detail = "The project has no tool with this id.";
    errors.push({ pointer: `#/tools/${index}`, code: "unknown_tool", detail });
  }
  for (const [index, allowed] of (wish.steps ?? []).entries()) {
    const step = findStep(allowed.step);
    const connection = await vault.find(projectId, allowed.connection_id);
    const at = `#/steps/${index}`;
    if (!step) errors.push({ pointer: `${at}/step`, code: "unknown_step", detail: "There is no step with this id." });
    if (!connection) {
      const detail = "The project has no connection with this id.";
      errors.push({ pointer: `${at}/connection_id`, code: "unknown_connection", detail });
    } else if (step && connection.system !== step.system.id) {
      const detail = `Name a connection to ${step.system.id}.`;
      errors.push({ pointer: `${at}/connection_id`, code: "wrong_system", detail });
    }
  }
  if (errors.length > 0)
    throw new Problem("validation_failed", "The agent names something that does not exist.", { errors });
  await requireUsableRules(db, projectId, wish.rules ?? [], tools);
}
