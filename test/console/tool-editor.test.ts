import { describe, expect, test } from "vitest";
import { toRecord } from "../../src/api/steps/records.ts";
import { diffLines } from "../../src/console/pages/tools/build/diff.ts";
import { addStep, moveStep, renameStep } from "../../src/console/pages/tools/build/edit-definition.ts";
import { indexSteps } from "../../src/console/pages/tools/build/search-steps.ts";
import { fillIn, pickableFor, previewOf } from "../../src/console/pages/tools/build/values.ts";
import { rowsIn } from "../../src/console/pages/tools/use/rows.ts";
import { steps } from "../../src/systems/index.ts";
import { searchSteps } from "../../src/systems/search.ts";

const deployments = [
  { url: "a.test", "git-branch": "main" },
  { url: "b.test", "git-branch": "next" },
];
const known = { params: { branch: "main" }, outputs: { latest: { deployments } } };
const definition = {
  title: "Two",
  params_schema: { type: "object", properties: { branch: { type: "string" } } },
  steps: [
    { name: "latest", step: "list_deployments", input: {} },
    {
      name: "again",
      step: "create_deployment",
      input: { branch: "{{steps.latest.output.deployments[0].url}} {{steps.latest_2}}" },
    },
  ],
};

describe("values between steps, in the editor", () => {
  test.each([
    ["{{params.branch}}", "main"],
    ["{{ steps.latest.output.deployments[1].url }}", "b.test"],
    ["{{steps.latest.output.deployments[0].`git-branch`}}", "main"],
    ["{{steps.latest.output.deployments.url}}", ["a.test", "b.test"]],
    ["at {{params.branch}}!", "at main!"],
  ])("%s shows its value of the last run", (template, value) => {
    expect(previewOf(template, known)).toEqual({ isKnown: true, value });
  });

  test.each([
    "{{ $count(steps.latest.output.deployments) }}",
    "{{params.other}}",
    "{{steps.gone.output}}",
    "{{params.branch & 'x'}}",
  ])("%s has no preview: it is computed when the tool runs", (template) => {
    expect(previewOf(template, known).isKnown).toBe(false);
  });

  test("a step is run alone only where every value of it is known", () => {
    expect(fillIn({ a: ["{{params.branch}}"] }, known)).toEqual({ value: { a: ["main"] }, missing: null });
    expect(fillIn({ a: "{{params.branch}}", b: "{{params.other}}" }, known).missing).toBe("{{params.other}}");
  });

  test("what can be picked leads back to the value that was shown", () => {
    const values = pickableFor(definition, 1, known, false).flatMap((group) => group.values);
    expect(values.map(({ expression }) => expression)).toContain("steps.latest.output.deployments[0].`git-branch`");
    for (const { expression, sample } of values) expect(previewOf(`{{${expression}}}`, known).value).toEqual(sample);
  });
});

describe("editing a tool", () => {
  test("a renamed step takes its references along, and no other name", () => {
    const { steps: renamed } = renameStep(definition, 0, "newest");
    expect(renamed[1]?.input.branch).toBe("{{steps.newest.output.deployments[0].url}} {{steps.latest_2}}");
  });

  test("a second step of one kind gets a name of its own, and moving keeps all steps", () => {
    const [once] = addStep(definition, "wait", undefined);
    const [twice, name] = addStep(once, "wait", undefined);
    expect(name).toBe("wait_2");
    expect(moveStep(twice, 3, 0).steps.map((step) => step.name)).toEqual(["wait_2", "latest", "again", "wait"]);
    expect(moveStep(twice, 0, -1)).toBe(twice);
  });

  test("a difference is the shortest one", () => {
    expect(diffLines("a\nb\nc", "a\nx\nc").map(({ kind, text }) => `${kind} ${text}`)).toEqual([
      "same a",
      "removed b",
      "added x",
      "same c",
    ]);
  });
});

describe("the search bar's own index", () => {
  const find = indexSteps(steps.map(toRecord));
  test.each([
    "deployment",
    "vercel",
    "web analytics",
    "marketing automation",
    "newsletter",
    "trafic report",
    "goals",
    "depoly",
  ])("%s finds the steps that steps/search finds, the best one first", (query) => {
    const ids = find(query)
      .filter(({ system }) => system !== null)
      .map(({ id }) => id);
    const wanted = searchSteps(query).map(({ id }) => id);
    expect(ids[0]).toBe(wanted[0]);
    expect(new Set(ids)).toEqual(new Set(wanted));
  });
});

test("rows of a report are a table with its numbers, and a single record is none", () => {
  expect(rowsIn({ rows: [{ country: "France", sessions: 3 }], row_count: 1 })).toMatchObject({ numbers: ["sessions"] });
  expect(rowsIn({ deployment_id: "dpl_1" })).toBeNull();
});
