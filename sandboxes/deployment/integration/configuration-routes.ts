import type { SandboxAnswer } from "../../server/sandbox.ts";
import { notFound } from "../http/api-error.ts";
import { type ApiRequest, noContent, ok, type Route } from "../http/api-request.ts";
import { readWord } from "../http/read-query.ts";
import type { Installation } from "../records.ts";
import type { World } from "../world.ts";
import type { Installations } from "./installations.ts";

function listConfigurations(request: ApiRequest): SandboxAnswer {
  const { installations, owner, query } = request;
  const view = readWord(query, "view", ["account", "project"] as const);
  const wanted = query.get("integrationIdOrSlug");
  const { id, slug, name } = installations.registration;
  const shown = installations
    .all()
    .filter((installation) => installation.ownerId === owner.id && (!wanted || wanted === id || wanted === slug))
    .map((installation) => viewConfiguration(installations, installation));
  const integration = { name, icon: "", isLegacy: false };
  return ok(view === "project" ? shown.map((each) => ({ ...each, integration })) : shown);
}

function readConfiguration(request: ApiRequest): SandboxAnswer {
  const installation = requireConfiguration(request);
  return ok(viewConfiguration(request.installations, installation));
}

/** Uninstalls: the grant ends at once, and the integration is told. */
function deleteConfiguration(request: ApiRequest): SandboxAnswer {
  const { world, installations, caller } = request;
  uninstall(world, installations, requireConfiguration(request), caller.user.id);
  return noContent;
}

export function uninstall(
  world: World,
  installations: Installations,
  installation: Installation,
  userId: string,
): void {
  installations.remove(installation);
  const { id, ownerId, projects } = installation;
  // "The configuration and all of its resources will be removed. This includes Webhooks."
  for (const webhook of [...world.webhooks.newestFirst()]) {
    if (webhook.configurationId === id) world.webhooks.remove(webhook);
  }
  world.announce({
    type: "integration-configuration.removed",
    at: world.clock.now(),
    ownerId,
    userId,
    project: null,
    deployment: null,
    details: { configuration: { id, projects: projects ?? [] } },
  });
}

function requireConfiguration({ installations, owner, caller, params }: ApiRequest): Installation {
  const installation = installations.find(params[0] ?? "");
  const own = caller.token.installation;
  if (!installation || installation.ownerId !== owner.id || (own && own.id !== installation.id)) {
    throw notFound("Integration configuration");
  }
  return installation;
}

export function viewConfiguration({ registration }: Installations, installation: Installation): object {
  const { projects, disabledAt, createdAt, updatedAt } = installation;
  return {
    id: installation.id,
    type: "integration-configuration",
    integrationId: registration.id,
    slug: registration.slug,
    ownerId: installation.ownerId,
    userId: installation.userId,
    teamId: installation.teamId,
    projectSelection: projects ? "selected" : "all",
    ...(projects && { projects }),
    scopes: installation.scopes,
    source: installation.source,
    installationType: "external",
    status: disabledAt === null ? "ready" : "suspended",
    ...(disabledAt !== null && { disabledAt, disabledReason: "disabled-by-owner" }),
    createdAt,
    updatedAt,
    completedAt: createdAt,
    deletedAt: null,
  };
}

const configuration = { resource: "integrationConfiguration", bucket: "other_per_minute" } as const;
const one = "/integrations/configuration/{id}";

export const configurationRoutes: Route[] = [
  {
    ...configuration,
    method: "GET",
    path: "/integrations/configurations",
    action: "list",
    handle: listConfigurations,
  },
  { ...configuration, method: "GET", path: one, action: "read", handle: readConfiguration },
  { ...configuration, method: "DELETE", path: one, action: "delete", handle: deleteConfiguration },
];
