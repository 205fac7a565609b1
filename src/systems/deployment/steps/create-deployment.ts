import type * as z from "zod";
import type { Identity } from "../../account.ts";
import { step } from "../../define.ts";
import { failed } from "../../fail-step.ts";
import { segment } from "../../paths.ts";
import { pageRowsIn } from "../../read-pages.ts";
import { type Answer, type Done, type StepContext, StepFailed, type StepRequest, send, type Work } from "../../work.ts";
import { branchOptions, projectOptions, redeployOptions } from "../options/options.ts";
import { apiRequest } from "../protocol/api-request.ts";
import { isRecord, metaOf, readDeployment, textIn } from "../protocol/platform-records.ts";
import { deployment } from "../system.ts";
import { CreateInput, type DeploymentWish, projectSettingsOf } from "./create-input.ts";
import { gitSourceOf } from "./deployment-source.ts";
import { Deployment } from "./fields.ts";
import { nearestProjects } from "./unknown-project.ts";
import { type Waited, waitUntilReady } from "./wait-until-ready.ts";

/** Stored in every deployment that we create, to find it again if its answer is lost. */
const marker = "signalboxIntent";

type Output = z.input<typeof Deployment>;

export const createDeployment = step({
  id: "create_deployment",
  title: "Create Deployment",
  summary: "Creates a deployment of a project: from a branch or commit, from an earlier deployment, or from files.",
  forModels:
    "Deploys a project on the deployment platform. Name the project by id or name. Give branch (and commit_sha) for linked repositories, " +
    "or redeploy_of to repeat an earlier deployment with today's settings, or files for a few files without a repository; with none of them the " +
    "project's production branch is deployed. environment is preview unless you say production, which goes live. Set wait_until_ready to get the " +
    "final state; of a failed build it then returns the last lines of the log. Not for changing variables or domains: use deployment_api_call.",
  words: [
    "deploy",
    "redeploy",
    "release",
    "publish",
    "ship",
    "build",
    "go live",
    "preview deployment",
    "production deployment",
    "vercel",
  ],
  system: deployment,
  effect: "create",
  needsLevel: null,
  input: CreateInput,
  output: Deployment,
  examples: [
    { title: "A preview of a branch", input: { project: "web", branch: "feature/checkout" } },
    {
      title: "Deploy the production branch, and wait until it is live",
      input: {
        project: "docs",
        environment: "production",
        wait_until_ready: true,
        metadata: { requestedBy: "release agent" },
      },
    },
    {
      title: "A page without a repository",
      input: { project: "landing", files: [{ file: "index.html", data: "<h1>Hello</h1>" }] },
    },
  ],
  options: { project: projectOptions, branch: branchOptions, redeploy_of: redeployOptions },
  *work(input, context) {
    const request = yield* buildCreate(input, context);
    const { body } = yield* send(request);
    return yield* finish(input, body);
  },
  readsFirst: "the project's id and repository, and for a redeployment the environment of the earlier one",
  /** What is read first is shown by placeholders, or by the name that was given. */
  preview(input, context) {
    const { branch = "(the project's production branch)", commit_sha: sha } = input;
    const fromGit = input.redeploy_of === undefined && input.files === undefined;
    const gitSource = { type: "(as the project's link says)", ref: branch, ...(sha !== undefined && { sha }) };
    const usual = input.redeploy_of === undefined ? "preview" : "(as in the earlier deployment)";
    const known = { name: input.project, project: input.project, environment: input.environment ?? usual };
    return createRequest(input, context, { ...known, ...(fromGit && { gitSource }) });
  },
  *reconcile(input, context) {
    const found = yield* findMarked(input, context);
    return found === null ? "did not" : yield* finish(input, found);
  },
  cost: (input) => ({
    calls: 2 + (input.redeploy_of === undefined ? 0 : 1),
    note: input.wait_until_ready
      ? "One deployment of the account's plan, and a look every 2 to 5 seconds until it is ready."
      : "One deployment of the account's plan.",
  }),
});

function* buildCreate(input: DeploymentWish, context: StepContext): Work<StepRequest> {
  const project = yield* readProject(input.project, context.identity);
  const names = {
    name: textIn(project.body, "name") ?? input.project,
    project: textIn(project.body, "id") ?? input.project,
  };
  if (input.redeploy_of !== undefined) {
    // Redeploying keeps the environment, unless another one is requested.
    const earlier = yield* send(apiRequest("GET", `/v13/deployments/${segment(input.redeploy_of)}`));
    refuseForeign(input, names.project, earlier);
    const environment = input.environment ?? readDeployment(earlier.body).environment;
    return createRequest(input, context, { ...names, environment });
  }
  const environment = input.environment ?? "preview";
  if (input.files !== undefined) return createRequest(input, context, { ...names, environment });
  const gitSource = gitSourceOf(project, input.branch, input.commit_sha);
  return createRequest(input, context, { ...names, environment, gitSource });
}

function* readProject(name: string, identity: Identity): Work<Answer> {
  try {
    return yield* send(apiRequest("GET", `/v9/projects/${segment(name)}`));
  } catch (error) {
    if (!(error instanceof StepFailed) || !isOutOfReach(error, identity)) throw error;
    const { failure, answer } = error;
    const near = yield* nearestProjects(name, identity);
    throw new StepFailed({ ...failure, remedy: `${near} ${failure.remedy ?? ""}`.trim() }, answer);
  }
}

/** Other projects than its own are denied to an account that is limited to projects. */
const isOutOfReach = ({ failure }: StepFailed, { projects }: Identity): boolean =>
  failure.code === "not_found_there" || (failure.code === "permission_denied" && projects !== undefined);

function refuseForeign(input: DeploymentWish, projectId: string, earlier: Answer): void {
  const owner = textIn(earlier.body, "projectId");
  if (owner === null || owner === projectId) return;
  const detail = `The deployment ${input.redeploy_of} belongs to another project than ${input.project}.`;
  throw new StepFailed(failed("invalid_there", "give up", detail), null);
}

interface KnownOfProject {
  name: string;
  project: string;
  environment: string;
  gitSource?: object;
}

function createRequest(input: DeploymentWish, context: StepContext, known: KnownOfProject): StepRequest {
  const { environment, ...rest } = known;
  const settings = projectSettingsOf(input.settings);
  const body = {
    ...rest,
    // "omit for preview": the platform refuses the word.
    ...(environment !== "preview" && { target: environment }),
    ...(input.redeploy_of !== undefined && { deploymentId: input.redeploy_of }),
    ...(input.files && { files: input.files }),
    ...(settings && { projectSettings: settings }),
    meta: { ...input.metadata, [marker]: context.intentId },
  };
  return apiRequest("POST", "/v13/deployments", { query: { forceNew: 1, skipAutoDetectionConfirmation: 1 }, body });
}

function* finish(input: DeploymentWish, created: unknown): Work<Done<Output>> {
  const waited: Waited = input.wait_until_ready ? yield* waitUntilReady(created) : { record: created, warnings: [] };
  const { branch: _branch, creator: _creator, ...output } = readDeployment(waited.record);
  return { output, warnings: waited.warnings };
}

// The platform's clock and ours may differ by any amount. The marker is the run's own, so the time only keeps the list
// short.
const clockMarginMilliseconds = 24 * 3_600_000;
const markedMax = 100;

function* findMarked(
  input: DeploymentWish,
  context: Pick<StepContext, "intentId"> & { readonly askedAt: Date },
): Work<unknown> {
  const query = {
    projectId: input.project,
    since: context.askedAt.getTime() - clockMarginMilliseconds,
    limit: markedMax,
    [`meta-${marker}`]: context.intentId,
  };
  const { body } = yield* send(apiRequest("GET", "/v6/deployments", { query }));
  const listed = pageRowsIn(isRecord(body) ? body.deployments : [], markedMax);
  return listed.find((each) => metaOf(each)[marker] === context.intentId) ?? null;
}
