import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { startDeploymentSteps } from "../../../../test/support/deployment-steps.ts";
import { driveStep, driveWork } from "../../../../test/support/drive-step.ts";
import { deploymentApiCall } from "../steps/deployment-api-call.ts";
import { deployment } from "../system.ts";

let steps: Awaited<ReturnType<typeof startDeploymentSteps>>;
beforeAll(async () => {
  steps = await startDeploymentSteps();
});
beforeEach(() => steps.control("/reset", {}));
afterAll(() => steps.stop());

type Output = { status: number; body: Record<string, string> };
const call = async (method: string, path: string, body?: object) =>
  (await driveStep(deploymentApiCall, { method, path, ...(body && { body }) }, steps.at)).output as Output;

/** What looking finds out about a call whose answer was lost; nothing is sent that writes. */
async function lookFor(method: string, path: string, body?: object) {
  const context = { intentId: "int_test", now: new Date(), identity: steps.at.identity, askedAt: new Date() };
  const input = deploymentApiCall.input.parse({ method, path, ...(body && { body }) });
  const work = deploymentApiCall.reconcile?.(input, context);
  if (!work) throw new Error("It has no way to look.");
  const { result, requests } = await driveWork(work, deployment, steps.at);
  expect(requests.every(({ effect, query }) => effect === "read" && query?.teamId !== undefined)).toBe(true);
  return typeof result === "string" ? result : { ...(result.output as Output), warnings: result.warnings };
}

const gone = [expect.stringContaining("is gone")];

describe("a delete whose answer was lost is read back", () => {
  test.each<[string, string, () => Promise<string>]>([
    [
      "a deployment",
      "did not",
      async () => `/v13/deployments/${(await steps.make({ project: "web" })).output.deployment_id}`,
    ],
    [
      "a project by its id",
      "did not",
      async () => `/v9/projects/${(await call("POST", "/v10/projects", { name: "gone" })).body.id}`,
    ],
    ["a variable", "did not", async () => `/v9/projects/web/env/${steps.ids.env_id}`],
    // Somebody may have made another one of that name since.
    [
      "a project by its name",
      "cannot tell",
      async () => `/v9/projects/${(await call("POST", "/v10/projects", { name: "gone" })).body.name}`,
    ],
    [
      "a domain",
      "cannot tell",
      async () => {
        await call("POST", "/v10/projects/web/domains", { name: "gone.acme.example" });
        return "/v9/projects/web/domains/gone.acme.example";
      },
    ],
  ])("%s: what is still there is %s, and what is gone has the answer that was lost", async (_, still, make) => {
    const path = await make();
    expect(await lookFor("DELETE", path)).toBe(still);
    const { status, body } = await call("DELETE", path);
    const found = await lookFor("DELETE", path);
    expect(found).toMatchObject({ status, warnings: gone });
    // The answer of a deleted variable shows all of it, which nothing shows any more.
    if (path.includes("/env/")) expect(found).toMatchObject({ body: { id: body.id } });
    else expect(found).toMatchObject({ body });
  });

  test("another deployment than the one in the path cannot be told", async () => {
    expect(await lookFor("DELETE", `/v13/deployments/${steps.ids.deployment_id}?url=web.example`)).toBe("cannot tell");
  });
});

describe("a change whose answer was lost is read back", () => {
  test("a project has the values, or somebody may have changed them since", async () => {
    const change = { framework: "nextjs", buildCommand: null };
    await call("PATCH", "/v9/projects/web", { framework: "vite" });
    expect(await lookFor("PATCH", "/v9/projects/web", change)).toBe("cannot tell");
    const { body } = await call("PATCH", "/v9/projects/web", change);
    expect(await lookFor("PATCH", "/v9/projects/web", change)).toMatchObject({ status: 200, body: { id: body.id } });
  });

  test("a cancelled deployment is CANCELED, and any other was not cancelled", async () => {
    const { deployment_id } = (await steps.make({ project: "web" })).output;
    const path = `/v12/deployments/${deployment_id}/cancel`;
    expect(await lookFor("PATCH", path)).toBe("did not");
    await call("PATCH", path);
    expect(await lookFor("PATCH", path)).toMatchObject({ status: 200, body: { readyState: "CANCELED" } });
  });

  test("values of variables are encrypted, so nothing shows their change", async () => {
    expect(await lookFor("PATCH", `/v9/projects/web/env/${steps.ids.env_id}`, { value: "2" })).toBe("cannot tell");
  });
});
