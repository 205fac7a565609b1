import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import * as z from "zod";
import { failureOf, refusedFields, startDeploymentSteps } from "../../../../test/support/systems/deployment-steps.ts";
import { driveStep } from "../../../../test/support/systems/drive-step.ts";
import { cancelDeployment } from "./cancel-deployment.ts";

let steps: Awaited<ReturnType<typeof startDeploymentSteps>>;
beforeAll(async () => {
  steps = await startDeploymentSteps();
});
beforeEach(() => steps.control("/reset", {}));
afterAll(() => steps.stop());

describe("cancel a deployment", () => {
  test.each(cancelDeployment.examples.map(({ title, input }) => [title, input] as const))(
    "the example works: %s",
    async (_, input) => {
      await expect(driveStep(cancelDeployment, input, steps.at)).resolves.toBeDefined();
    },
  );

  test("has an example, and can be shown as JSON Schema", () => {
    expect(cancelDeployment.examples.length).toBeGreaterThan(0);
    expect(z.toJSONSchema(cancelDeployment.input, { io: "input" })).toMatchObject({
      type: "object",
      additionalProperties: false,
    });
    expect(z.toJSONSchema(cancelDeployment.output)).toMatchObject({ type: "object" });
  });

  test("a queued one, and one that builds", async () => {
    const queued = await steps.make({ project: "web", branch: "main" });
    expect((await steps.cancel(queued.output.deployment_id)).output).toEqual({
      deployment_id: queued.output.deployment_id,
      state: "CANCELED",
    });
    const building = await steps.make({ project: "web", branch: "main" });
    await steps.control("/clock", { advance_seconds: 4 });
    expect((await steps.cancel(building.output.deployment_id)).output).toMatchObject({ state: "CANCELED" });
  });

  test("a finished deployment is reported with its real state", async () => {
    for (const [id, state] of [
      [steps.ids.deployment_id, "READY"],
      [steps.ids.failed_deployment_id, "ERROR"],
    ]) {
      const failure = await failureOf(steps.cancel(id ?? ""));
      expect(failure).toMatchObject({
        code: "conflict_there",
        systemCode: state,
        detail: expect.stringContaining(`it is ${state}`),
      });
    }
  });

  test("one that waits for a person cannot be cancelled; one that was cancelled is so already", async () => {
    const blocked = await steps.make({ project: "web", branch: "blocked" });
    expect(await failureOf(steps.cancel(blocked.output.deployment_id))).toMatchObject({ systemCode: "BLOCKED" });
    const { output } = await steps.make({ project: "web" });
    await steps.cancel(output.deployment_id);
    expect((await steps.cancel(output.deployment_id)).warnings).toEqual(["It was cancelled before."]);
  });

  test("a cancel that was accepted too late is reported as such", async () => {
    await steps.control("/limits", { cancel_race_seconds: 10 });
    const { output } = await steps.make({ project: "web" });
    await steps.control("/clock", { advance_seconds: 4 });
    expect(await failureOf(steps.cancel(output.deployment_id))).toMatchObject({
      code: "conflict_there",
      systemCode: "READY",
    });
  });

  test("an outage after an accepted cancel does not undo it", async () => {
    const { output } = await steps.make({ project: "web" });
    const path = `/v13/deployments/${output.deployment_id}`;
    await steps.control("/faults", { match: { method: "GET", path }, times: 1, status: 503, body: {} });
    expect(await steps.cancel(output.deployment_id)).toMatchObject({
      output: { state: "CANCELED" },
      warnings: [expect.any(String)],
    });
  });

  test("an unknown one is not found, and bad input is refused", async () => {
    expect(await failureOf(steps.cancel("dpl_nothing"))).toMatchObject({ code: "not_found_there" });
    expect(refusedFields(cancelDeployment, {})).toEqual(["deployment_id"]);
  });

  test("a cancelled deployment that may not be read still counts as cancelled", async () => {
    const { output } = await steps.make({ project: "web" });
    const path = `/v13/deployments/${output.deployment_id}`;
    const body = { error: { code: "forbidden", message: "Not allowed." } };
    await steps.control("/faults", { match: { method: "GET", path }, times: 1, status: 403, body });
    const { output: cancelled, warnings } = await steps.cancel(output.deployment_id);
    expect(cancelled).toMatchObject({ state: "CANCELED" });
    expect(warnings).toEqual([expect.stringContaining("Not allowed")]);
  });

  test("a refusal that cannot be explained keeps the platform's own words", async () => {
    const path = `/v13/deployments/${steps.ids.deployment_id}`;
    await steps.control("/faults", { match: { method: "GET", path }, times: 1, status: 403, body: {} });
    expect(await failureOf(steps.cancel(steps.ids.deployment_id ?? ""))).toMatchObject({ code: "invalid_there" });
  });
});
