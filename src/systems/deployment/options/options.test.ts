import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { startDeploymentSteps } from "../../../../test/support/deployment-steps.ts";
import { driveWork } from "../../../../test/support/drive-step.ts";
import { cancelDeployment } from "../steps/cancel-deployment.ts";
import { createDeployment } from "../steps/create-deployment.ts";
import { deployment } from "../system.ts";

let steps: Awaited<ReturnType<typeof startDeploymentSteps>>;
beforeAll(async () => {
  steps = await startDeploymentSteps();
});
beforeEach(() => steps.control("/reset", {}));
afterAll(() => steps.stop());

describe("drop-downs", () => {
  test("projects are searched at the platform, page by page", async () => {
    const { options } = await steps.offer(createDeployment.options?.project, "camp");
    expect(options.map(({ label }) => label)).toContain("campaign-9");
    expect(options.every(({ label }) => label.includes("camp"))).toBe(true);
    const all = await steps.offer(createDeployment.options?.project);
    expect([all.options.length, all.next]).toEqual([25, null]);
    expect(all.options.find(({ label }) => label === "landing")?.hint).toBe("no linked repository");
  });

  // "Project-scoped tokens … offer only those in drop-downs": the list itself is denied to them.
  test("an account that is limited to projects is offered only those", async () => {
    const projects = [{ project_id: steps.ids.project_id ?? "", name: "web" }];
    const identity = { label: "acme, only web", team_id: steps.ids.team_id ?? "", projects };
    const offered = async (token = "") => {
      const work = createDeployment.options?.project?.work({ query: "", after: null, input: {}, identity });
      if (!work) throw new Error("There is no such drop-down.");
      return (await driveWork(work, deployment, { ...steps.at, token, identity })).result.options;
    };
    expect(await offered(steps.tokens.project_token)).toEqual([{ value: steps.ids.project_id, label: "web" }]);
    expect(await offered(steps.tokens.token)).toMatchObject([{ value: steps.ids.project_id, label: "web" }]);
  });

  test("branches of the chosen project, the production branch first", async () => {
    const { options } = await steps.offer(createDeployment.options?.branch, "", { project: "web" });
    expect(options[0]?.value).toBe("main");
    expect(new Set(options.map(({ value }) => value)).size).toBe(options.length);
    expect((await steps.offer(createDeployment.options?.branch)).options).toEqual([]);
  });

  test("only queued and ongoing deployments can be chosen to be cancelled", async () => {
    expect((await steps.offer(cancelDeployment.options?.deployment_id)).options).toEqual([]);
    const { output } = await steps.make({ project: "web", branch: "fix/header" });
    expect((await steps.offer(cancelDeployment.options?.deployment_id, "header")).options).toMatchObject([
      { value: output.deployment_id },
    ]);
    expect((await steps.offer(cancelDeployment.options?.deployment_id, "other")).options).toEqual([]);
  });

  test("earlier deployments to redeploy are offered page by page", async () => {
    const first = await steps.offer(createDeployment.options?.redeploy_of);
    const second = await steps.offer(createDeployment.options?.redeploy_of, "", {}, first.next);
    expect([first.options.length, second.options.length]).toEqual([50, 50]);
    expect(second.options[0]?.value).not.toBe(first.options[0]?.value);
  });
});
