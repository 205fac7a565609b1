import * as z from "zod";
import type { RunContext } from "../../runs/outcome/ports.ts";
import { findStep } from "../../systems/index.ts";
import { type StepProblem, stepProblem } from "../../systems/step-problems.ts";
import type { Effect } from "../../systems/work.ts";
import { isBuiltInStep } from "../../tools/built-in-steps.ts";
import { readParams } from "../../tools/params.ts";
import type { ComputeFor } from "../../untrusted/compute.ts";
import type { ModelCall, ModelTool } from "../models/model.ts";
import type { Ability, AgentPlan, Approval } from "./plan.ts";

/** What an agent may use, as a model sees it: names, descriptions and schemas from the definitions themselves. */
export async function toolsOf({ run, ports }: RunContext, plan: AgentPlan): Promise<ModelTool[]> {
  const tools: ModelTool[] = [];
  for (const ability of plan.abilities) {
    const connection = ability.kind === "step" ? await ports.vault.find(run.projectId, ability.connectionId) : null;
    // "Which account is this?": tells apart the same step with several accounts.
    tools.push(toTool(ability, connection ? ` It acts as ${connection.label} (${connection.identity.label}).` : ""));
  }
  return tools;
}

function toTool(ability: Ability, actsAs: string): ModelTool {
  if (ability.kind === "tool") {
    const { title, description, params_schema: schema } = ability.tool.definition;
    return {
      name: ability.name,
      description: [`${title}.`, description ?? ""].join(" ").trim(),
      schema: { ...schema, type: "object" },
    };
  }
  const step = findStep(ability.step);
  const description = `${step?.summary ?? ""} ${step?.forModels ?? ""}`.trim() + actsAs;
  return { name: ability.name, description, schema: step ? schemaOf(step.input) : { type: "object" } };
}

const cache = new Map<z.ZodType, Record<string, unknown>>();

function schemaOf(input: z.ZodType): Record<string, unknown> {
  let made = cache.get(input);
  if (!made) {
    const { $schema: _, ...schema } = z.toJSONSchema(input, { io: "input", unrepresentable: "any" }) as Record<
      string,
      unknown
    >;
    made = { ...schema, type: "object" };
    cache.set(input, made);
  }
  return made;
}

/** A valid call, or why it is refused, in words for the model. */
export type Chosen = { ability: Ability; input: unknown; effect: Effect } | { refused: StepProblem };

/** "Anything else the model asks for is refused back to it", and so are invalid arguments. */
export async function choose(plan: AgentPlan, call: ModelCall, on: ComputeFor): Promise<Chosen> {
  const ability = plan.abilities.find(({ name }) => name === call.name);
  if (!ability) {
    const names = plan.abilities.map(({ name }) => name).join(", ");
    if (names === "") return refuse("No tool can be called here, or no more in this turn.");
    return refuse(`There is no tool ${JSON.stringify(call.name.slice(0, 100))}. The tools are: ${names}.`);
  }
  if (typeof call.input !== "object" || call.input === null || Array.isArray(call.input)) {
    return refuse("The arguments must be one JSON object of at most 10,000 values.");
  }
  return ability.kind === "step" ? chooseStep(ability, call.input) : chooseTool(ability, call.input, on);
}

function chooseStep(ability: Extract<Ability, { kind: "step" }>, input: object): Chosen {
  const step = findStep(ability.step);
  if (!step) return refuse(`There is no step ${ability.step} any longer.`);
  const known = Object.keys((schemaOf(step.input).properties ?? {}) as object);
  const unknown = Object.keys(input).find((name) => !known.includes(name));
  if (unknown !== undefined) return refuse(`There is no argument "${unknown}". It takes ${known.join(", ")}.`);
  const parsed = step.input.safeParse(input);
  if (!parsed.success) {
    return refuse(
      parsed.error.issues.map(({ path, message }) => `/${path.map(String).join("/")}: ${message}`).join(" "),
    );
  }
  return { ability, input, effect: step.effectOf?.(parsed.data) ?? step.effect };
}

async function chooseTool(ability: Extract<Ability, { kind: "tool" }>, input: object, on: ComputeFor): Promise<Chosen> {
  const read = await readParams(ability.tool.definition, input, on);
  if ("errors" in read) return refuse(read.errors.map(({ pointer, detail }) => `${pointer}: ${detail}`).join(" "));
  return { ability, input: read.params, effect: effectOfTool(ability) };
}

/**
 * What a tool sends depends on values that only its run knows, so it counts as the strongest effect that it may have.
 */
const effectOfTool = ({ tool }: Extract<Ability, { kind: "tool" }>): Effect =>
  tool.definition.steps
    .map(({ step }) => (isBuiltInStep(step) ? "read" : (findStep(step)?.effect ?? "update")))
    .find((effect) => effect !== "read") ?? "read";

export const needsApproval = (approval: Approval, effect: Effect): boolean =>
  approval === "always" || (approval === "writes" && effect !== "read");

const refuse = (detail: string): Chosen => ({ refused: stepProblem("invalid_input", detail.slice(0, 2_000)) });
