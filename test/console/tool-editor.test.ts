import { describe, expect, test } from "vitest";
import { toRecord } from "../../src/api/steps/step-response.ts";
import { addStep, moveStep, renameStep } from "../../src/console/pages/tools/build/edit-definition.ts";
import { indexSteps } from "../../src/console/pages/tools/build/index-steps.ts";
import {
  isTooLarge,
  outputsOf,
  withAlone,
  withoutPin,
  withPin,
} from "../../src/console/pages/tools/build/known-outputs.ts";
import { diffLines } from "../../src/console/pages/tools/build/line-diff.ts";
import { fillIn, pickableFor, previewOf } from "../../src/console/pages/tools/build/template-values.ts";
import { rowsIn } from "../../src/console/pages/tools/use/rows-in-result.ts";
import { steps } from "../../src/systems/index.ts";
import { searchSteps } from "../../src/systems/search-steps.ts";

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

describe("which output of a step counts", () => {
  const run = (run_id: string, output: unknown) => ({
    run_id,
    steps: [{ name: "latest", status: "succeeded", output, finished_at: "2026-01-01T00:00:00Z" }],
  });
  const timed = (output: unknown, minute: number, afterRun: string | null) => ({
    output,
    at: `2026-01-02T00:0${minute}:00Z`,
    afterRun,
  });
  const alone = withAlone({}, "latest", timed("alone", 1, "run_1"));
  const pinned = withPin(alone, "latest", timed("alone", 2, "run_1"));
  const again = withAlone(pinned, "latest", timed("again", 3, "run_1"));
  test.each([
    ["of the last run", run("run_1", "ran"), {}, "ran", "run", false],
    ["of the step alone, after that run", run("run_1", "ran"), alone, "alone", "alone", false],
    ["of a later run, which wins", run("run_2", "ran again"), alone, "ran again", "run", false],
    ["that is pinned", run("run_1", "ran"), pinned, "alone", "pin", false],
    ["that is pinned, with a newer run", run("run_2", "ran again"), pinned, "alone", "pin", true],
    ["that is pinned, with a newer one alone", run("run_1", "ran"), again, "alone", "pin", true],
    [
      "of a later run, once unpinned",
      run("run_2", "ran again"),
      withoutPin(pinned, "latest"),
      "ran again",
      "run",
      false,
    ],
    ["of the step alone, once unpinned", run("run_1", "ran"), withoutPin(again, "latest"), "again", "alone", false],
    ["that was pinned, with no other", undefined, withoutPin(pinned, "latest"), "alone", "alone", false],
  ] as const)("the one %s", (_, last, kept, output, from, hasNewer) => {
    expect(outputsOf(last, kept).latest).toMatchObject({ output, from, hasNewer });
  });

  test("an unpinned output of a run leaves no copy, and 200,000 characters are the most that is kept", () => {
    const ofRun = withPin({}, "latest", { ...timed("ran", 1, "run_1"), isOfRun: true });
    expect(withoutPin(ofRun, "latest")).toEqual({});
    expect(isTooLarge(withAlone({}, "latest", timed("x".repeat(199_000), 1, null)))).toBe(false);
    expect(isTooLarge(withAlone({}, "latest", timed("x".repeat(200_000), 1, null)))).toBe(true);
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
