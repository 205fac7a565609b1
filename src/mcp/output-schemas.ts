import { toDetail } from "../api/steps/step-response.ts";
import { findStep, steps } from "../systems/index.ts";
import type { ToolDefinition, ToolStep } from "../tools/definition.ts";
import { portableSchema } from "./portable-schema.ts";

/**
 * What a tool's result holds in `structuredContent`. Clients check each result against it, so it never says more than is certain:
 * a run may not have ended, and an expression may return anything.
 */
type Schema = Record<string, unknown>;
interface ObjectSchema extends Schema {
  type: "object";
  properties?: Record<string, object>;
  required?: string[];
}

const text = (description: string) => ({ type: "string", description });

const unfinishedRun = {
  type: "object",
  description: "Present only if the run has not ended. Read it later at signalbox://runs/{run_id}.",
  properties: {
    run_id: text("The run"),
    status: { type: "string", enum: ["queued", "running", "waiting"] },
    waiting_for: { type: "object", description: "What the run waits for" },
  },
  required: ["run_id", "status"],
};

const unfinished: ObjectSchema = {
  type: "object",
  properties: { unfinished_run: unfinishedRun },
  required: ["unfinished_run"],
};

/** Written once: steps never change. */
const outputs = new Map<string, ObjectSchema>(
  steps.map((step) => {
    const { $schema: _, ...output } = toDetail(step).output_schema as Schema;
    return [step.id, portableSchema(output) as ObjectSchema];
  }),
);

const resultsOfSteps = new Map([...outputs].map(([id, output]) => [id, orUnfinished([output])]));

export const resultOfStep = (stepId: string): ObjectSchema => resultsOfSteps.get(stepId) as ObjectSchema;

/** Before 2026-07-28 a result was an object: any other value stands in its member `result`. */
export function resultOfTool(definition: ToolDefinition, isModern: boolean): Schema {
  const output = outputOf(definition);
  const alternatives = Array.isArray(output.anyOf) ? (output.anyOf as Schema[]) : [output];
  if (!isModern) return orUnfinished(alternatives.map(asObject));
  if (alternatives.every(isObject)) return orUnfinished(alternatives);
  return alternatives.some(isAnything) ? anything : { anyOf: [...alternatives, unfinished] };
}

const isAnything = (schema: Schema): boolean => schema.type === undefined;
const isObject = (schema: Schema): schema is ObjectSchema => schema.type === "object";
const anything = { description: "What the tool's output expression returns, or `unfinished_run`" };

function asObject(schema: Schema): ObjectSchema {
  if (isObject(schema)) return schema;
  return isAnything(schema)
    ? { type: "object" }
    : { type: "object", properties: { result: schema }, required: ["result"] };
}

function orUnfinished(alternatives: ObjectSchema[]): ObjectSchema {
  const [only, ...others] = alternatives;
  if (!only || others.length > 0) return { type: "object", anyOf: [...alternatives, unfinished] };
  const { required = [], properties = {}, ...rest } = only;
  const complete = required.length > 0 ? { anyOf: [{ required }, { required: unfinished.required }] } : {};
  return { ...rest, properties: { ...properties, ...unfinished.properties }, ...complete };
}

/** "May hold expressions; by default the output of the last step." */
function outputOf({ output, steps: parts }: ToolDefinition): Schema {
  if (output !== undefined) return shapeOf(output, parts, depthMax);
  const last = parts.at(-1);
  return last ? outputOfPart(last) : {};
}

const depthMax = 5;
const onlyAnOutput = /^\{\{\s{0,8}steps\.([a-z][a-z0-9_]{0,63})\.output\s{0,8}\}\}$/;

function shapeOf(template: unknown, parts: ToolStep[], depth: number): Schema {
  if (typeof template === "string") return shapeOfText(template, parts);
  if (template === null) return { type: "null" };
  if (Array.isArray(template)) return { type: "array" };
  if (typeof template !== "object") return { type: typeof template };
  if (depth === 0) return { type: "object" };
  const members = Object.entries(template);
  return {
    type: "object",
    properties: Object.fromEntries(members.map(([name, part]) => [name, shapeOf(part, parts, depth - 1)])),
    // "A member whose expression has no value is left out."
    required: members.filter(([, part]) => typeof part !== "string" || !part.includes("{{")).map(([name]) => name),
  };
}

function shapeOfText(template: string, parts: ToolStep[]): Schema {
  if (!template.includes("{{")) return { type: "string" };
  const [, name] = onlyAnOutput.exec(template) ?? [];
  const part = parts.find((each) => each.name === name);
  if (part) return outputOfPart(part);
  return template.startsWith("{{") && template.endsWith("}}") ? {} : { type: "string" };
}

/** A step that is skipped has no output. Of one that may fail, it is not known. */
function outputOfPart(part: ToolStep): Schema {
  if (part.continue_on_error === true) return {};
  const output = part.foreach === undefined ? outputOfOne(part.step) : { type: "array" };
  return part.if === undefined ? output : { anyOf: [output, { type: "null" }] };
}

/** Waiting and asking a person have an output of their own, an object. */
const outputOfOne = (stepId: string): Schema => (findStep(stepId) && outputs.get(stepId)) || { type: "object" };
