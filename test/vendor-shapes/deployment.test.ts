import { expect, test } from "vitest";
import { registerWebhook, unregisterWebhook } from "../../src/systems/deployment/events/platform-webhooks.ts";
import { knownEndpoints } from "../../src/systems/deployment/options/known-endpoints.ts";
import { cancelDeployment } from "../../src/systems/deployment/steps/cancel-deployment.ts";
import { createDeployment } from "../../src/systems/deployment/steps/create-deployment.ts";
import { deploymentApiCall } from "../../src/systems/deployment/steps/deployment-api-call.ts";
import { listDeployments } from "../../src/systems/deployment/steps/list-deployments.ts";
import { deployment } from "../../src/systems/deployment/system.ts";
import { deploymentWaits } from "../../src/systems/deployment/waits.ts";
import { StepFailed } from "../../src/systems/work.ts";
import { startPopUp } from "../support/browser/pop-up.ts";
import { cleanUpLater } from "../support/stores.ts";
import { startDeploymentSteps } from "../support/systems/deployment-steps.ts";
import { driveStep, driveWork } from "../support/systems/drive-step.ts";
import { sentThen } from "../support/systems/sent-then.ts";
import deploymentShapes from "./deployment.shapes.json" with { type: "json" };
import { furtherQueries, signInShapes } from "./deployment-sign-in.ts";
import { judge, operationOf, type SentRequest, type VendorShapes } from "./judge.ts";
import { recording } from "./record.ts";

// "Every method, path, query and body that we ever send exists there with these types, or is listed with the source that shows it."

const shapes: VendorShapes = {
  ...deploymentShapes,
  operations: (deploymentShapes as VendorShapes).operations.map((each) => ({
    ...each,
    query: { ...each.query, ...furtherQueries[each.call]?.query },
  })),
};

test("the vendor's own description knows everything that the steps send to the deployment platform", async () => {
  const received: SentRequest[] = [];
  const { at, ids, tokens, stop } = await startDeploymentSteps((create) => recording(create, received));
  cleanUpLater(stop);
  const { output: made } = await driveStep(createDeployment, { project: "web", branch: "main" }, at);
  const { deployment_id } = made as { deployment_id: string };
  const inputs = [
    ...[createDeployment, listDeployments, cancelDeployment, deploymentApiCall].flatMap((step) =>
      step.examples.map(({ input }) => ({ step, input: input as object })),
    ),
    { step: createDeployment, input: { project: "docs", redeploy_of: deployment_id } },
    {
      step: createDeployment,
      input: { project: "landing", environment: "production", files: [{ file: "a", data: "b" }] },
    },
    // It fails, so the end of its log is read.
    { step: createDeployment, input: { project: "playground-fails", branch: "main", wait_until_ready: true } },
    { step: listDeployments, input: { commit_sha: "abcdef1", until: "2026-10-01T00:00:00Z", limit: 150 } },
    { step: listDeployments, input: { project: "no-such-project" } },
    { step: cancelDeployment, input: { deployment_id } },
  ];
  // Writes that are only looked for, as after a lost answer.
  const lost = [
    { method: "DELETE", path: `/v13/deployments/${deployment_id}` },
    { method: "DELETE", path: "/v9/projects/web" },
    { method: "DELETE", path: "/v9/projects/web/domains/www.acme.example" },
    { method: "DELETE", path: "/v9/projects/web/env/1" },
    { method: "PATCH", path: "/v9/projects/web", body: { framework: null } },
  ];
  // What the platform refuses was sent as well.
  const unlessRefused = (error: unknown) => {
    if (!(error instanceof StepFailed)) throw error;
  };
  for (const { step, input } of inputs) await driveStep(step, input, at).catch(unlessRefused);
  // A token for several projects names them in every list.
  const projects = ["web", "docs"].map((name) => ({ project_id: name, name }));
  const limited = { ...at, token: tokens.projects_token ?? "", identity: { ...at.identity, projects } };
  await driveStep(listDeployments, {}, limited);

  const steps = [createDeployment, listDeployments, cancelDeployment, deploymentApiCall];
  const offered = steps.flatMap((step) => Object.values(step.options ?? {}));
  const context = { intentId: "int_test", now: new Date(), ...sentThen(), identity: at.identity };
  const works = [
    ...offered.map((option) => option.work({ query: "", after: null, input: { project: "web" } })),
    ...inputs.flatMap(({ step, input }) => step.reconcile?.(step.input.parse(input), context) ?? []),
    ...lost.flatMap((input) => deploymentApiCall.reconcile?.(deploymentApiCall.input.parse(input), context) ?? []),
    ...(["project", "deployment"] as const).flatMap((kind) => deployment.resolve?.({ kind, id: deployment_id }) ?? []),
    ...deploymentWaits.map((wait) => wait.read({ deployment_id })),
  ];
  for (const work of works) await driveWork<unknown>(work, deployment, at).catch(unlessRefused);
  const { result } = await driveWork(
    registerWebhook(
      "https://us.example.com/hooks",
      ["deployment.created", "integration-configuration.removed"],
      [ids.project_id ?? ""],
    ),
    deployment,
    at,
  );
  await driveWork(unregisterWebhook(result.id), deployment, at);

  const sent = received.filter(({ path }) => !path.startsWith("/_sandbox"));
  expect(sent.flatMap((each) => judge(shapes, each))).toEqual([]);
  const used = new Set(sent.map((each) => operationOf(shapes, each)?.call));
  expect([...used].sort()).toEqual([
    "DELETE /v1/webhooks/*",
    "GET /v1/webhooks",
    "GET /v13/deployments/*",
    "GET /v2/teams",
    "GET /v3/deployments/*/events",
    "GET /v6/deployments",
    "GET /v9/projects",
    "GET /v9/projects/*",
    "GET /v9/projects/*/domains/*",
    "GET /v9/projects/*/env",
    "PATCH /v12/deployments/*/cancel",
    "POST /v1/webhooks",
    "POST /v10/projects/*/env",
    "POST /v13/deployments",
  ]);
});

test("the vendor's own description knows every endpoint that the API Call step offers", () => {
  const unknown = knownEndpoints.filter(({ method, path }) => {
    const sent = { method, path: path.replace(/\{\w+\}/g, "1"), query: new URLSearchParams() };
    return !operationOf(shapes, sent);
  });
  expect(unknown).toEqual([]);
});

test("the vendor's pages and its description know everything that the sign-ins send", async () => {
  const received: SentRequest[] = [];
  const { connect, consent, comeBack, status, team, asOwner, sandbox } = await startPopUp(
    "sqlite",
    "deployment",
    undefined,
    undefined,
    (create) => recording(create, received),
  );
  const begun = await connect();
  await comeBack(await consent(begun.connect_url));
  const { connection_id } = await status(begun.connect_id);
  const tokens = Object.entries(sandbox.credentials as Record<string, unknown>).filter(
    (entry): entry is [string, string] => /token/.test(entry[0]) && typeof entry[1] === "string",
  );
  const { team_id, team_slug } = sandbox.credentials;
  for (const [, token] of tokens) {
    for (const more of [{}, { team_id }, { team_slug, project_id: "web" }]) {
      const body = { system: "deployment", instance: "sandbox", credentials: { token, ...more } };
      await team.call("connections/connect", body, asOwner);
    }
  }
  await team.call(`connections/${connection_id}/check`, {}, asOwner);
  await team.call(`connections/${connection_id}/remove`, {}, asOwner);

  const isOfSignIn = ({ path }: SentRequest) => /^\/(integrations|v2\/oauth)\//.test(path);
  // The sandbox's own page is answered there.
  const sent = received.filter(({ method, path }) => !(method === "POST" && /^\/integrations\//.test(path)));
  expect(sent.flatMap((each) => judge(isOfSignIn(each) ? signInShapes : shapes, each))).toEqual([]);
  const used = new Set(sent.map((each) => operationOf(isOfSignIn(each) ? signInShapes : shapes, each)?.call));
  expect([...used].sort()).toEqual([
    "DELETE /v1/integrations/configuration/*",
    "GET /integrations/*/new",
    "GET /v1/integrations/configuration/*",
    "GET /v2/teams",
    "GET /v2/teams/*",
    "GET /v2/user",
    "GET /v9/projects",
    "GET /v9/projects/*",
    "POST /v2/oauth/access_token",
  ]);
});

test.each<[string, string, string, unknown, RegExp]>([
  ["an unknown member", "POST", "/v13/deployments", { name: "a", branch: "main" }, /body has no branch/],
  ["null where it is not taken", "POST", "/v13/deployments", { name: "a", target: null }, /target is no string/],
  ["neither of two types", "POST", "/v10/projects/1/env", "FEATURE=on", /body is no CreateProjectEnv/],
])("the judge finds %s", (_, method, path, body, problem) =>
  expect(judge(shapes, { method, path, query: new URLSearchParams(), body }).join("\n")).toMatch(problem),
);

test("the judge takes null where the vendor does, and either of two types", () => {
  const ask = (path: string, body: unknown) =>
    judge(shapes, { method: "POST", path, query: new URLSearchParams(), body });
  expect(ask("/v13/deployments", { name: "a", projectSettings: { framework: null } })).toEqual([]);
  const variable = { key: "A", value: "b", type: "plain" };
  expect([ask("/v10/projects/1/env", variable), ask("/v10/projects/1/env", [variable])]).toEqual([[], []]);
});
