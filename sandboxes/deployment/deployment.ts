import { createClock } from "../server/clock.ts";
import type { CreateSandbox, SandboxCall } from "../server/sandbox.ts";
import { createTokens } from "./accounts/tokens.ts";
import { createApi } from "./api.ts";
import { credentials, listCredentials, registration, signInClient } from "./credentials.ts";
import { createBuilds } from "./deployments/builds.ts";
import { createRateBuckets } from "./http/rate-buckets.ts";
import { answerPage } from "./integration/browser-routes.ts";
import { isAllowedRedirect } from "./integration/install-page.ts";
import { createInstallations } from "./integration/installations.ts";
import { changeLimits, defaultLimits } from "./limits.ts";
import { seedWorld } from "./seed.ts";
import { createSignIn } from "./sign-in/sign-in.ts";
import { createDeliveries } from "./webhooks/deliveries.ts";
import { tellWebhooks } from "./webhooks/tell-webhooks.ts";

const day = 86_400_000;

/** A stand-in for the deployment platform, compatible with the Vercel REST API. */
export const createDeploymentSandbox: CreateSandbox = (baseUrl) => {
  const machineClock = createClock();
  // The vendor's times are whole milliseconds, also after the clock was moved by a fraction of one.
  const clock = { ...machineClock, now: () => Math.floor(machineClock.now()) };
  const limits = { ...defaultLimits };
  const today = Math.floor(clock.now() / day) * day;
  const tokens = createTokens();
  const installations = createInstallations(registration(), tokens);
  const deliveries = createDeliveries(clock, limits);

  function begin() {
    const { world, ids } = seedWorld(clock, limits, today);
    const builds = createBuilds(world);
    tellWebhooks(world, installations, deliveries);
    return { world, ids, builds, buckets: createRateBuckets(limits) };
  }
  let state = begin();
  listCredentials(tokens, state.ids);
  const { userId } = state.ids;
  const signIn = createSignIn(
    {
      issuer: baseUrl,
      clock,
      client: signInClient,
      findUser: (id) => state.world.users.find(id),
      isAllowedRedirect: (uri) => isAllowedRedirect(installations, uri),
    },
    userId,
  );
  const answerApi = createApi(tokens, installations);

  return {
    system: "deployment",
    clock,
    takeOver: (_method, path) => signIn(path),
    handle(call: SandboxCall) {
      const flow = { world: state.world, installations, baseUrl, userId, tokens };
      return answerPage(flow, call) ?? answerApi(state, call);
    },
    describe: () => ({
      credentials: credentials(state.ids, installations.registration, baseUrl),
      ids: describeIds(state.ids),
      limits,
    }),
    reset() {
      Object.assign(limits, defaultLimits);
      installations.enableAll();
      deliveries.giveUp();
      state.world.end();
      state = begin();
    },
    setLimits: (wanted) => changeLimits(limits, wanted),
    stop() {
      clock.stop();
      deliveries.giveUp();
      state.world.end();
    },
  };
};

function describeIds(ids: ReturnType<typeof seedWorld>["ids"]): object {
  return {
    project_id: ids.projectId,
    project_name: "web",
    unlinked_project_id: ids.unlinkedProjectId,
    personal_project_id: ids.personalProjectId,
    deployment_id: ids.deploymentId,
    failed_deployment_id: ids.failedDeploymentId,
    team_id: ids.teamId,
    other_team_id: ids.otherTeamId,
    user_id: ids.userId,
    domain: ids.domain,
    env_id: ids.variableId,
  };
}
