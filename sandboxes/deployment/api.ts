import type { SandboxAnswer, SandboxCall } from "../server/sandbox.ts";
import { accountRoutes } from "./accounts/account-routes.ts";
import { activityRoutes } from "./accounts/activity.ts";
import { type Caller, refuseBeyondProjects, requireCaller, requireRight, requireScope } from "./accounts/caller.ts";
import { certificateRoutes } from "./accounts/certificates.ts";
import { dnsRoutes } from "./accounts/dns-records.ts";
import type { Tokens } from "./accounts/tokens.ts";
import { tokenRoutes } from "./accounts/user-tokens.ts";
import { aliasRoutes } from "./deployments/alias-routes.ts";
import type { Builds } from "./deployments/builds.ts";
import { fileRoutes } from "./deployments/deployment-files.ts";
import { deploymentRoutes } from "./deployments/deployment-routes.ts";
import { promoteRoutes } from "./deployments/promote.ts";
import { anonymousHeaders } from "./http/anonymous-headers.ts";
import { ApiError } from "./http/api-error.ts";
import type { Route } from "./http/api-request.ts";
import type { RateBuckets } from "./http/rate-buckets.ts";
import { createRouter } from "./http/router.ts";
import { configurationRoutes } from "./integration/configuration-routes.ts";
import type { Installations } from "./integration/installations.ts";
import { projectExtraRoutes } from "./projects/project-extras.ts";
import { projectRoutes } from "./projects/project-routes.ts";
import { webhookRoutes } from "./webhooks/webhook-routes.ts";
import { requireOwner, type World } from "./world.ts";

/** What a reset replaces. */
export interface State {
  world: World;
  builds: Builds;
  buckets: RateBuckets;
}

/** Every call of the API. */
export const routes: Route[] = [
  ...deploymentRoutes,
  ...aliasRoutes,
  ...promoteRoutes,
  ...fileRoutes,
  ...projectRoutes,
  ...projectExtraRoutes,
  ...accountRoutes,
  ...dnsRoutes,
  ...certificateRoutes,
  ...tokenRoutes,
  ...activityRoutes,
  ...webhookRoutes,
  ...configurationRoutes,
];

/** The API: who calls, how often, for whom, with which right; then the endpoint. Every answer carries the rate headers. */
export function createApi(tokens: Tokens, installations: Installations) {
  const router = createRouter(routes);

  return function answer(state: State, call: SandboxCall): SandboxAnswer {
    const { world, builds, buckets } = state;
    const { query } = call;
    let headers: Record<string, string> = {};
    let caller: Caller | null = null;
    try {
      const found = router.find(call.method, call.path);
      const bucket = found?.route?.bucket ?? "other_per_minute";
      caller = requireCaller(world, tokens, call);
      headers = buckets.take(bucket, caller.user.id, world.clock.now());
      if (found?.route?.dayBucket) buckets.take(found.route.dayBucket, caller.user.id, world.clock.now());
      if (!found) throw new ApiError(404, "not_found", "The requested API endpoint does not exist.");
      const { route, params, version } = found;
      if (!route) throw methodUnknown(call, found.methods);
      refuseBeyondProjects(caller, route, query);
      const owner = route.isUnscoped ? requireOwner(world, caller.user.id) : requireScope(world, caller, query);
      if (!route.isUnscoped) requireRight(world, caller, owner, route.resource, route.action);
      const response = route.handle({
        call,
        query,
        version,
        params,
        caller,
        owner,
        world,
        builds,
        installations,
        tokens,
      });
      return finish(response, headers, caller);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (!caller) headers = anonymousHeaders(world);
      const refused = { status: error.status, headers: error.headers, body: error.body() };
      return finish(refused, headers, caller);
    }
  };
}

function finish(answer: SandboxAnswer, headers: Record<string, string>, caller: Caller | null): SandboxAnswer {
  const identity = caller && (caller.token.installation?.id ?? caller.user.username);
  const { stream } = answer;
  if (!stream) return { ...answer, headers: { ...headers, ...answer.headers }, identity };
  return {
    ...answer,
    identity,
    stream(request, response) {
      for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
      stream(request, response);
    },
  };
}

/** The vendor names this error without its status; 405 is assumed. */
const methodUnknown = (call: SandboxCall, methods: string) =>
  new ApiError(405, "method_unknown", `The HTTP method ${call.method} is not supported here.`, {
    headers: { allow: methods },
  });
