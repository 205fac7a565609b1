import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startDeploymentSteps } from "../../../../test/support/systems/deployment-steps.ts";
import { driveWork } from "../../../../test/support/systems/drive-step.ts";
import type { Query } from "../../work.ts";
import { deployment } from "../system.ts";
import { apiRequest } from "./api-request.ts";

let steps: Awaited<ReturnType<typeof startDeploymentSteps>>;
beforeAll(async () => {
  steps = await startDeploymentSteps();
});
afterAll(() => steps.stop());

/** What a policy sees of a read: names as the request gives them, then looked up as the pipeline does. */
async function seenBy(path: string, query: Query = {}) {
  const request = deployment.complete(apiRequest("GET", path, { query }), steps.at.identity);
  const [resource] = deployment.resources(request, steps.at.identity) ?? [];
  if (!resource || !deployment.resolve) throw new Error("It names nothing.");
  return (await driveWork(deployment.resolve(resource), deployment, steps.at)).result;
}

describe("one thing under all its names", () => {
  test("a project, by name or by id", async () => {
    const names = [
      { kind: "project", id: steps.ids.project_id },
      { kind: "project", id: "web" },
    ];
    const byName = await seenBy("/v9/projects/web");
    expect(byName).toMatchObject(names);
    expect(byName[0]?.same).toBe(byName[1]?.same);
    expect(await seenBy(`/v9/projects/${steps.ids.project_id}`)).toMatchObject(names);
  });

  test("a deployment, with the project it belongs to", async () => {
    const { deployment_id: id = "", project_id: project } = steps.ids;
    expect(await seenBy(`/v13/deployments/${id}`)).toMatchObject([
      { kind: "deployment", id },
      { kind: "project", id: project },
      { kind: "project", id: "web" },
    ]);
  });

  test("in the team that the request acts for, not in the account's own", async () => {
    const team = { teamId: steps.ids.other_team_id ?? "" };
    const request = apiRequest("POST", "/v10/projects", { query: team, body: { name: "web" } });
    const made = await fetch(`${steps.url}${request.path}?teamId=${team.teamId}`, {
      method: "POST",
      headers: { authorization: `Bearer ${steps.at.token}`, "content-type": "application/json" },
      body: JSON.stringify(request.body),
    });
    const { id } = (await made.json()) as { id: string };
    // A policy that says "web" means the account's own; one of the same name elsewhere is known by its id alone.
    expect(await seenBy("/v9/projects/web", team)).toMatchObject([{ id }]);
    expect(await seenBy("/v9/projects/web", team)).toHaveLength(1);
    expect(await seenBy("/v9/projects/web", { slug: "acme-labs" })).toHaveLength(1);
    expect(await seenBy("/v9/projects/web", { teamId: steps.ids.team_id ?? "" })).toHaveLength(2);
  });

  test.each([
    ["two scopes at once", { teamId: "team_1", slug: "acme-labs" }],
    ["an empty scope", { teamId: "" }],
    ["a scope twice", { teamId: ["team_1", "team_2"] }],
  ])("%s could be any, so nothing is known of it", (_, query) => {
    const request = apiRequest("GET", "/v9/projects/web", { query });
    expect(deployment.resources(request, steps.at.identity)).toBeNull();
  });
});
