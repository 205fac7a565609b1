import { inspectorUrl } from "../deployments/deployment-view.ts";
import { newId } from "../ids.ts";
import { requireOwner, type World } from "../world.ts";
import type { Happening } from "./happening.ts";

/** One event as it is sent. The error event carries no error text: the receiver reads the deployment. */
export function eventBody(world: World, happening: Happening, type: string): { id: string; json: string } {
  const { ownerId, userId, project, deployment, details, at } = happening;
  const owner = requireOwner(world, ownerId);
  const id = newId(world.chance, "evt_", 24);
  const payload = {
    user: { id: userId },
    team: owner.team && { id: owner.team.id },
    ...(project && { project: { id: project.id } }),
    ...(deployment && deploymentPayload(world, happening, owner.slug)),
    ...details,
  };
  return { id, json: JSON.stringify({ id, type, createdAt: at, region: "iad1", payload }) };
}

function deploymentPayload(world: World, { type, project, deployment }: Happening, slug: string): object {
  if (!deployment) return {};
  const { id, name, url, meta, target, ownerId } = deployment;
  const page = inspectorUrl(world, deployment);
  return {
    deployment: { id, name, url, inspectorUrl: page, meta },
    links: { deployment: page, project: `https://vercel.com/${slug}/${project?.name ?? name}` },
    target,
    plan: requireOwner(world, ownerId).plan,
    regions: ["iad1"],
    ...(type === "deployment.created" && { alias: deployment.alias }),
    // Flat repetitions of before, still sent.
    name,
    url,
    type: "LAMBDAS",
  };
}
