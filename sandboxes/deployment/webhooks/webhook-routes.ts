import type { SandboxAnswer } from "../../server/sandbox.ts";
import { missingRight } from "../accounts/rights.ts";
import { badRequest, forbidden, notFound } from "../http/api-error.ts";
import { type ApiRequest, noContent, ok, param, type Route } from "../http/api-request.ts";
import { type Fields, readBody } from "../http/read-body.ts";
import { newId } from "../ids.ts";
import { requireProject } from "../projects/find-project.ts";
import type { Webhook } from "../records.ts";
import type { World } from "../world.ts";
import { eventNames } from "./event-names.ts";

const webhookFields: Fields = {
  url: { type: "string", required: true },
  events: { type: "array", required: true, items: { type: "string", oneOf: eventNames } },
  projectIds: { type: "array", lengthMax: 50, items: { type: "string" } },
};

/** The answer to the create is the only one that shows the secret. */
function createWebhook(request: ApiRequest): SandboxAnswer {
  const { call, world, owner, caller } = request;
  if (caller.token.installation && world.limits.installation_webhooks === 0) throw missingRight("webhook", "create");
  if (owner.plan === "hobby") throw forbidden("Webhooks are available for teams on the pro and enterprise plans.");
  const body = readBody(call, webhookFields);
  const url = String(body.url);
  const events = [...new Set(body.events as string[])];
  if (!/^https?:\/\//.test(url) || !URL.canParse(url))
    throw badRequest("Invalid request: `url` should match format url.");
  if (events.length === 0) throw badRequest("Invalid request: `events` should NOT have fewer than 1 items.");
  const projectIds = (body.projectIds as string[] | undefined)?.map((id) => requireProject(request, id).id);
  if (webhooksOf(request).length >= world.limits.webhooks_per_team) {
    throw badRequest(`A team has at most ${world.limits.webhooks_per_team} webhooks.`);
  }
  const createdAt = world.webhooks.freeMoment(world.clock.now());
  const webhook = world.webhooks.add({
    id: newId(world.chance, "account_hook_", 24),
    createdAt,
    updatedAt: createdAt,
    ownerId: owner.id,
    url,
    events,
    projectIds: projectIds?.length ? projectIds : null,
    secret: newId(world.chance, "", 40),
    configurationId: caller.token.installation?.id ?? null,
  });
  return ok({ ...viewWebhook(webhook), secret: webhook.secret });
}

/** A bare array. */
function listWebhooks(request: ApiRequest): SandboxAnswer {
  const { world, query } = request;
  const projectId = query.get("projectId");
  const shown = webhooksOf(request).filter(
    ({ projectIds }) => !projectId || !projectIds || projectIds.includes(projectId),
  );
  return ok(shown.map((webhook) => ({ ...viewWebhook(webhook), projectsMetadata: projectsOf(world, webhook) })));
}

function readWebhook(request: ApiRequest): SandboxAnswer {
  return ok(viewWebhook(requireWebhook(request)));
}

function deleteWebhook(request: ApiRequest): SandboxAnswer {
  request.world.webhooks.remove(requireWebhook(request));
  return noContent;
}

const webhooksOf = ({ world, owner }: ApiRequest) =>
  [...world.webhooks.newestFirst()].filter(({ ownerId }) => ownerId === owner.id);

function requireWebhook(request: ApiRequest): Webhook {
  const webhook = request.world.webhooks.find(param(request, 0));
  if (webhook?.ownerId !== request.owner.id) throw notFound("Webhook");
  return webhook;
}

function viewWebhook({ secret: _shownOnce, projectIds, configurationId: _own, ...webhook }: Webhook): object {
  return { ...webhook, ...(projectIds && { projectIds }) };
}

function projectsOf(world: World, { projectIds }: Webhook): object[] | null {
  return projectIds?.map((id) => ({ id, name: world.projects.find(id)?.name ?? id })) ?? null;
}

const webhook = { resource: "webhook", bucket: "other_per_minute" } as const;

export const webhookRoutes: Route[] = [
  {
    ...webhook,
    method: "POST",
    path: "/webhooks",
    action: "create",
    bucket: "webhooks_created_per_minute",
    handle: createWebhook,
  },
  { ...webhook, method: "GET", path: "/webhooks", action: "list", handle: listWebhooks },
  { ...webhook, method: "GET", path: "/webhooks/{id}", action: "read", handle: readWebhook },
  { ...webhook, method: "DELETE", path: "/webhooks/{id}", action: "delete", handle: deleteWebhook },
];
