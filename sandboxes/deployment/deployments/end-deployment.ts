import type { SandboxAnswer } from "../../server/sandbox.ts";
import { badRequest } from "../http/api-error.ts";
import { type ApiRequest, ok, param } from "../http/api-request.ts";
import { say } from "./builds.ts";
import { viewDeployment } from "./deployment-view.ts";
import { requireDeployment } from "./find-deployment.ts";

/** Only what is not over can be cancelled. Near the end the answer may say CANCELED while the build still finishes. */
export function cancelDeployment(request: ApiRequest): SandboxAnswer {
  const { builds, world } = request;
  const deployment = requireDeployment(request, param(request, 0));
  if (builds.isTooLateToCancel(deployment)) {
    return ok(viewDeployment(world, { ...deployment, readyState: "CANCELED", canceledAt: world.clock.now() }));
  }
  if (!builds.cancel(deployment)) {
    throw badRequest(`The deployment cannot be canceled because its state is ${deployment.readyState}.`);
  }
  return ok(viewDeployment(world, deployment));
}

/** `url` in the query overrides the id in the path. */
export function deleteDeployment(request: ApiRequest): SandboxAnswer {
  const { builds, world, query } = request;
  const deployment = requireDeployment(request, query.get("url") || param(request, 0));
  builds.abandon(deployment);
  deployment.deletedAt = world.clock.now();
  for (const host of [deployment.url, ...deployment.alias]) {
    if (world.deploymentIdOfHost.get(host) === deployment.id) world.deploymentIdOfHost.delete(host);
  }
  say(world, "deployment.cleanup", deployment);
  return ok({ uid: deployment.id, state: "DELETED" });
}
