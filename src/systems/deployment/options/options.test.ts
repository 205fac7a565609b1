import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { startDeploymentSteps } from "../../../../test/support/systems/deployment-steps.ts";
import { driveWork, sendPlain } from "../../../../test/support/systems/drive-step.ts";
import { apiRequest } from "../protocol/api-request.ts";
import { cancelDeployment } from "../steps/cancel-deployment.ts";
import { createDeployment } from "../steps/create-deployment.ts";
import { deployment } from "../system.ts";

let steps: Awaited<ReturnType<typeof startDeploymentSteps>>;
beforeAll(async () => {
  steps = await startDeploymentSteps();
});
beforeEach(() => steps.control("/reset", {}));
afterAll(() => steps.stop());

const team = () => ({ teamId: steps.ids.team_id ?? "" });

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

  test("a token for several projects is offered the deployments of these alone, however many they are", async () => {
    const { body } = await sendPlain(apiRequest("GET", "/v9/projects", { query: { limit: 100, ...team() } }), steps.at);
    const all = (body as { projects: { id: string; name: string }[] }).projects;
    const identityOf = (names: readonly string[]) => ({
      label: "acme",
      team_id: steps.ids.team_id ?? "",
      projects: all.filter(({ name }) => names.includes(name)).map(({ id, name }) => ({ project_id: id, name })),
    });
    const offer = async (token: string | undefined, names: readonly string[], after: string | null = null) => {
      const identity = identityOf(names);
      const work = createDeployment.options?.redeploy_of?.work({ query: "", after, input: {}, identity });
      if (!work || !token) throw new Error("There is no such drop-down.");
      const { result, requests } = await driveWork(work, deployment, { ...steps.at, token, identity });
      return { ...result, count: requests.length, values: result.options.map(({ value }) => value) };
    };
    const two = await offer(steps.tokens.projects_token, ["web", "docs"]);
    expect([two.count, two.values.length > 0]).toEqual([1, true]);
    expect(new Set(two.options.map(({ label }) => label.split(" · ")[0]))).toEqual(new Set(["web", "docs"]));
    // More than one request may name: the same pages as those of a token for the whole team.
    const names = all.map(({ name }) => name);
    expect(names.length).toBeGreaterThan(20);
    const first = await offer(steps.tokens.token, names);
    const second = await offer(steps.tokens.token, names, first.next);
    expect(first.count).toBe(2);
    const whole: string[] = [];
    for (let after: string | null = null; whole.length < first.values.length + second.values.length; ) {
      const page = await steps.offer(createDeployment.options?.redeploy_of, "", {}, after);
      whole.push(...page.options.map(({ value }) => value));
      after = page.next;
    }
    expect([...first.values, ...second.values]).toEqual(whole.slice(0, first.values.length + second.values.length));
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
