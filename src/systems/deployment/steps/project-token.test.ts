import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { failureOf, startDeploymentSteps } from "../../../../test/support/systems/deployment-steps.ts";
import { type DriveAt, driveStep, sendPlain } from "../../../../test/support/systems/drive-step.ts";
import type { Identity } from "../../account.ts";
import { apiRequest } from "../protocol/api-request.ts";
import { cancelDeployment } from "./cancel-deployment.ts";
import { createDeployment } from "./create-deployment.ts";
import { deploymentApiCall } from "./deployment-api-call.ts";
import { listDeployments } from "./list-deployments.ts";

let steps: Awaited<ReturnType<typeof startDeploymentSteps>>;
let projects: NonNullable<Identity["projects"]>;
beforeAll(async () => {
  steps = await startDeploymentSteps();
  const all = apiRequest("GET", "/v9/projects", { query: { limit: 100, teamId: steps.ids.team_id ?? "" } });
  const { body } = await sendPlain(all, steps.at);
  const rows = (body as { projects: { id: string; name: string }[] }).projects;
  projects = rows.map(({ id, name }) => ({ project_id: id, name }));
});
afterAll(() => steps.stop());

/** An account with this token that is limited to these projects. */
function limitedTo(token: string | undefined, names: readonly string[]): DriveAt {
  const own = projects.filter(({ name }) => names.includes(name));
  const identity = { label: "limited", team_id: steps.ids.team_id ?? "", projects: own, projects_total: own.length };
  return { ...steps.at, token: token ?? "", identity };
}

/** The projects of deployments, by the beginning of their addresses. */
const projectsIn = (output: unknown): string[] => {
  const { deployments } = output as { deployments: { url: string }[] };
  return [...new Set(deployments.map(({ url }) => /^https:\/\/([a-z]+)-/.exec(url)?.[1] ?? url))].sort();
};

// "Project-scoped tokens (user and team requests denied; the vendor introduced them in 2026)."
describe("with a token that is limited to projects", () => {
  test.each([
    ["project_token", ["web"]],
    ["projects_token", ["docs", "web"]],
  ] as const)("%s: the four steps work, in its projects alone", async (token, names) => {
    const at = limitedTo(steps.tokens[token], names);
    expect(projectsIn((await driveStep(listDeployments, { limit: 1000 }, at)).output)).toEqual(names);
    const paths = { method: "GET", path: "/v6/deployments?limit=100" };
    const { output } = await driveStep(deploymentApiCall, paths, at);
    expect((output as { body: { deployments: unknown[] } }).body.deployments.length).toBeGreaterThan(0);
    const made = await driveStep(createDeployment, { project: "web", branch: "fix/header" }, at);
    const { deployment_id } = made.output as { deployment_id: string };
    const cancelled = await driveStep(cancelDeployment, { deployment_id }, at);
    expect(cancelled.output).toMatchObject({ state: "CANCELED" });
  });

  test("another project is refused, or listed with a warning, and its own are named", async () => {
    const at = limitedTo(steps.tokens.projects_token, ["docs", "web"]);
    const listed = await driveStep(listDeployments, { project: "shop" }, at);
    expect(listed.output).toEqual({ deployments: [] });
    expect(listed.warnings.join()).toMatch(/limited to projects, and "shop" is none of them.*docs/);
    const refused = await failureOf(driveStep(createDeployment, { project: "shop", branch: "main" }, at));
    expect(refused).toMatchObject({ code: "permission_denied", remedy: expect.stringContaining("docs") });
  });

  // "maxItems: 20": one request names no more projects than that.
  test("more projects than one request may name are listed as one, newest first", async () => {
    const at = limitedTo(
      steps.tokens.token,
      projects.map(({ name }) => name),
    );
    expect(at.identity.projects?.length).toBeGreaterThan(20);
    const { output, requests } = await driveStep(listDeployments, { limit: 50 }, at);
    expect(requests.every(({ query }) => Array.isArray(query?.projectIds))).toBe(true);
    const whole = await driveStep(listDeployments, { limit: 50 }, steps.at);
    expect(output).toEqual(whole.output);
    const call = driveStep(deploymentApiCall, { method: "GET", path: "/v6/deployments" }, at);
    expect(await failureOf(call)).toMatchObject({ code: "invalid_there", remedy: expect.stringContaining("List Dep") });
  });
});
