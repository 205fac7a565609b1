import { isRestricted, projectOf, type Scope } from "../access/scope.ts";
import { newId } from "../kernel/ids.ts";
import { Problem } from "../kernel/problem.ts";
import type { Db } from "../store/db.ts";
import { originsOpenTo, type PrivateHost } from "../transport/private-hosts.ts";
import type { DataKeys, SealContext } from "../vault/sealing/data-keys.ts";
import { newSecret, rotate, type SigningSecret } from "../vault/webhook-signing.ts";
import { everything } from "./event-types.ts";
import { requireUrl } from "./webhook-url.ts";
import {
  countOrganizationWebhooks,
  countWebhooks,
  deleteWebhookRow,
  findWebhook,
  insertWebhook,
  listEnabledInProjects,
  listEnabledWebhooks,
  type OutgoingWebhook,
  replaceSecrets,
  updateWebhook,
  type WebhookStatus,
} from "./webhooks.store.ts";

export {
  disableWebhook,
  findWebhookById,
  listWebhookIds,
  listWebhooks,
  type OutgoingWebhook,
} from "./webhooks.store.ts";

/** The keys that seal secrets, and the private addresses that are allowed. */
export interface WebhookPorts {
  keys: DataKeys;
  privateOrigins: readonly PrivateHost[];
}

export interface WebhookWish {
  url: string;
  events: readonly string[];
  description: string;
  wholeOrganization: boolean;
}

/**
 * Bounds what each event costs: it is queued for the project's webhooks and for those of the whole organization, in
 * whichever projects these were created.
 */
const webhooksMax = 50;

/** The secret is returned once, and stored sealed. */
export async function createWebhook(
  scope: Scope,
  wanted: WebhookWish,
  ports: WebhookPorts,
): Promise<{ webhook: OutgoingWebhook; secret: string }> {
  const { db, actor } = scope;
  if (wanted.wholeOrganization) requireOwner(scope);
  await requireRoom(scope, wanted);
  const url = requireUrl(wanted.url, originsOpenTo(ports.privateOrigins, actor.organizationId));
  const id = newId("webhook", scope.region);
  const secret = newSecret();
  const now = scope.now().toISOString();
  const context = sealContextOf({ id, organizationId: actor.organizationId });
  const sealed = await ports.keys.seal(db, JSON.stringify([{ value: secret, until: null }]), context);
  const webhook: OutgoingWebhook = {
    id,
    organizationId: actor.organizationId,
    projectId: projectOf(scope),
    wholeOrganization: wanted.wholeOrganization,
    url,
    description: wanted.description,
    events: [...new Set(wanted.events)],
    status: "enabled",
    statusReason: null,
    sealed: sealed.text,
    createdBy: actor.userId,
    createdAt: now,
    updatedAt: now,
  };
  await insertWebhook(db, webhook, sealed.dataKeyId);
  return { webhook, secret };
}

async function requireRoom(scope: Scope, { wholeOrganization }: WebhookWish): Promise<void> {
  const { db, actor } = scope;
  if ((await countWebhooks(db, projectOf(scope))) >= webhooksMax) {
    throw new Problem("too_many_webhooks", `A project has at most ${webhooksMax} webhooks.`);
  }
  if (wholeOrganization && (await countOrganizationWebhooks(db, actor.organizationId)) >= webhooksMax) {
    const message = `An organization has at most ${webhooksMax} webhooks for the whole organization, in all its projects together.`;
    throw new Problem("too_many_webhooks", message);
  }
}

/** Only the owner may receive events of the whole organization, and not with a narrowed key. */
function requireOwner({ actor }: Scope): void {
  if (isRestricted(actor)) throw new Problem("key_restricted");
  if (actor.organizationRole !== "owner") throw new Problem("owner_required");
}

export async function requireWebhook(db: Db, projectId: string, id: string): Promise<OutgoingWebhook> {
  const webhook = await findWebhook(db, projectId, id);
  if (!webhook) throw new Problem("webhook_not_found");
  return webhook;
}

/**
 * A webhook that the caller may change and read: an organization's webhook belongs to its owner, in whichever project
 * it was created.
 */
export async function requireOwnWebhook(scope: Scope, id: string): Promise<OutgoingWebhook> {
  const webhook = await requireWebhook(scope.db, projectOf(scope), id);
  if (webhook.wholeOrganization) requireOwner(scope);
  return webhook;
}

export interface WebhookEdit {
  url: string | undefined;
  events: readonly string[] | undefined;
  description: string | undefined;
  status: WebhookStatus | undefined;
}

export async function editWebhook(
  scope: Scope,
  id: string,
  edit: WebhookEdit,
  ports: WebhookPorts,
): Promise<OutgoingWebhook> {
  const before = await requireOwnWebhook(scope, id);
  const status = edit.status ?? before.status;
  const isSame = status === before.status;
  const open = originsOpenTo(ports.privateOrigins, before.organizationId);
  const after: OutgoingWebhook = {
    ...before,
    url: edit.url === undefined ? before.url : requireUrl(edit.url, open),
    events: edit.events === undefined ? before.events : [...new Set(edit.events)],
    description: edit.description ?? before.description,
    status,
    statusReason: isSame ? before.statusReason : status === "disabled" ? "Disabled by a person." : null,
    updatedAt: scope.now().toISOString(),
  };
  await updateWebhook(scope.db, after);
  return after;
}

/** The old secret signs beside the new one for the overlap, so that receivers can switch without a gap. */
export async function rotateSecret(
  scope: Scope,
  id: string,
  overlapSeconds: number,
  { keys }: WebhookPorts,
): Promise<{ secret: string; oldUntil: string }> {
  const webhook = await requireOwnWebhook(scope, id);
  const now = scope.now();
  const oldUntil = new Date(now.getTime() + overlapSeconds * 1000).toISOString();
  const secret = newSecret();
  const secrets = rotate(await openSecrets(scope.db, webhook, keys), secret, oldUntil);
  const sealed = await keys.seal(scope.db, JSON.stringify(secrets), sealContextOf(webhook));
  await replaceSecrets(scope.db, id, sealed.text, sealed.dataKeyId, now.toISOString());
  return { secret, oldUntil };
}

/** `forget` deletes what belongs to it, after the webhook itself. */
export async function removeWebhook(
  scope: Scope,
  id: string,
  forget: (db: Db, owner: { organizationId: string; webhookId: string }) => Promise<void>,
): Promise<void> {
  const { organizationId } = await requireOwnWebhook(scope, id);
  await deleteWebhookRow(scope.db, id);
  await forget(scope.db, { organizationId, webhookId: id });
}

/** The ids of the webhooks that receive events of this type. */
export async function listSubscribers(
  db: Db,
  type: string,
  organizationId: string | null,
  projectId: string | null,
): Promise<string[]> {
  const enabled = await listEnabledWebhooks(db, organizationId, projectId);
  return enabled.filter(wants(type)).map(({ id }) => id);
}

/** The same for the own webhooks of several projects, by project; at most `limit` webhooks. */
export async function listProjectSubscribers(
  db: Db,
  type: string,
  projectIds: readonly string[],
  limit: number,
): Promise<Map<string, string[]>> {
  const enabled = await listEnabledInProjects(db, projectIds, [type, everything], limit);
  const byProject = Map.groupBy(enabled.filter(wants(type)), ({ projectId }) => projectId);
  return new Map([...byProject].map(([projectId, webhooks]) => [projectId, webhooks.map(({ id }) => id)]));
}

const wants =
  (type: string) =>
  ({ events }: { events: readonly string[] }): boolean =>
    events.includes(type) || events.includes(everything);

export async function openSecrets(
  db: Db,
  webhook: Pick<OutgoingWebhook, "id" | "organizationId" | "sealed">,
  keys: DataKeys,
): Promise<SigningSecret[]> {
  return JSON.parse(await keys.open(db, webhook.sealed, sealContextOf(webhook))) as SigningSecret[];
}

const sealContextOf = ({ id, organizationId }: Pick<OutgoingWebhook, "id" | "organizationId">): SealContext => ({
  table: "webhooks",
  row: id,
  organizationId,
});
