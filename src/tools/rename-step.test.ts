import { describe, expect, test } from "vitest";
import { partsOf } from "../untrusted/expression-syntax/split-text.ts";
import type { ToolDefinition } from "./definition.ts";
import { renameStepIn } from "./rename-step.ts";

const toolWith = (text: string): ToolDefinition => ({
  title: "t",
  params_schema: {},
  steps: [
    { name: "old", step: "wait", input: {} },
    { name: "older", step: "wait", input: { deep: [{ text }] }, if: text, foreach: text },
  ],
  output: { x: text },
});

describe("renaming a step rewrites its references", () => {
  test.each([
    ["{{steps.old.output}}", "{{steps.new_name.output}}"],
    ["{{ steps.old.output.old }}", "{{ steps.new_name.output.old }}"],
    ["a {{steps.old.output}} b {{steps.older.output}} c", "a {{steps.new_name.output}} b {{steps.older.output}} c"],
    [
      "{{ $count(steps.old.output) + $count(steps.old.output.x) }}",
      "{{ $count(steps.new_name.output) + $count(steps.new_name.output.x) }}",
    ],
    ["{{ steps.`old`.output }}", "{{ steps.`new_name`.output }}"],
    ["{{ $$.steps.old.output & $steps.old.status }}", "{{ $$.steps.new_name.output & $steps.new_name.status }}"],
    ["{{ steps.older.output[a = $steps.old.output] }}", "{{ steps.older.output[a = $steps.new_name.output] }}"],
    ['{{ "steps.old.output" & steps . old . output }}', '{{ "steps.old.output" & steps . new_name . output }}'],
    ["steps.old.output", "steps.old.output"],
    ["{{ params.steps.old }}", "{{ params.steps.old }}"],
    ["{{ /* steps.old */ steps.old.output }}", "{{ /* steps.old */ steps.new_name.output }}"],
    [
      '{{ {"é": steps.old.output, "𝒳": {"a": steps.old}} }}',
      '{{ {"é": steps.new_name.output, "𝒳": {"a": steps.new_name}} }}',
    ],
  ])("%s", (before, after) => {
    const { definition, unsure } = renameStepIn(toolWith(before), "old", "new_name", partsOf);
    expect(definition).toEqual({
      title: "t",
      params_schema: {},
      steps: [
        { name: "new_name", step: "wait", input: {} },
        { name: "older", step: "wait", input: { deep: [{ text: after }] }, if: after, foreach: after },
      ],
      output: { x: after },
    });
    expect(unsure).toEqual([]);
  });

  test("it reports references that it cannot follow", () => {
    const { unsure, rewritten } = renameStepIn(toolWith("{{ $lookup(steps, 'old') }}"), "old", "new_name", partsOf);
    expect(rewritten).toBe(0);
    expect(unsure).toEqual(["#/steps/1/input/deep/0/text", "#/steps/1/if", "#/steps/1/foreach", "#/output/x"]);
  });
});
