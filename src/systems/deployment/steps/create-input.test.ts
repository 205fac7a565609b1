import { describe, expect, test } from "vitest";
import { refusedFields } from "../../../../test/support/systems/deployment-steps.ts";
import { createDeployment } from "./create-deployment.ts";

describe("the input of a new deployment", () => {
  test.each([
    [{}, ["project"]],
    [{ project: " " }, ["project"]],
    [{ project: "web", environment: "development" }, ["environment"]],
    [{ project: "web", environment: "staging" }, ["environment"]],
    [{ project: "web", commit_sha: "not a hash" }, ["commit_sha"]],
    [{ project: "web", branch: "main", files: [{ file: "a", data: "" }] }, ["files"]],
    [{ project: "web", branch: "main", redeploy_of: "dpl_1" }, ["redeploy_of"]],
    [{ project: "web", files: [{ file: "../a", data: "" }] }, ["files.0.file"]],
    [{ project: "web", files: [{ file: "a", data: "%", encoding: "base64" }] }, ["files.0.data"]],
    [{ project: "web", settings: { rocket: true } }, ["settings.rocket"]],
    [{ project: "web", metadata: { signalboxIntent: "x" } }, ["metadata.signalboxIntent"]],
    [{ project: "web", metadata: { count: 1 } }, ["metadata.count"]],
    [{ project: "web", target: "production" }, [""]],
  ])("%j is refused before anything is sent", (input, fields) => {
    expect(refusedFields(createDeployment, input)).toEqual(fields);
  });

  test("development is refused with the reason", () => {
    const issue = createDeployment.input.safeParse({ project: "web", environment: "development" }).error?.issues[0];
    expect(issue?.message).toContain("no development deployments");
  });
});
