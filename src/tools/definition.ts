import * as z from "zod";
import { anyObject } from "../kernel/any-object.ts";
import { builtInSteps } from "./built-in-steps.ts";

/** One step of a tool, in the words of the contract: API, YAML and store use the same names. */
export interface ToolStep {
  name: string;
  /** A step id, or a built-in step such as wait or approve. */
  step: string;
  /** Required for step ids. It is never an expression, so the account is known beforehand. */
  connection_id?: string;
  /** Values may hold {{ expressions }}. */
  input: Record<string, unknown>;
  /** An expression in braces; if it is false, the step ends "skipped". */
  if?: string;
  /** A list, or an expression that returns one; the output is then a list too. */
  foreach?: string | unknown[];
  continue_on_error?: boolean;
  /** In seconds. */
  timeout?: number;
}

export interface ToolDefinition {
  title: string;
  description?: string;
  /** JSON Schema of an object. */
  params_schema: Record<string, unknown>;
  steps: ToolStep[];
  /** May hold expressions; by default the output of the last step. */
  output?: unknown;
}

export const toolStepsMax = 100;
export const definitionCharactersMax = 128 * 1024;
export const foreachItemsMax = 1_000;

// Words of the expression language that cannot be names.
const reservedNames = new Set(["and", "or", "in", "true", "false", "null", "function"]);

export const stepName = z
  .string()
  .regex(/^[a-z][a-z0-9_]{0,63}$/, { error: "A name is made of a-z, 0-9 and _, and begins with a letter." })
  .refine((name) => !reservedNames.has(name), { error: "This is a word of the expression language." })
  .meta({ description: "Names the step for others: `{{steps.<name>.output}}`; unique in the tool" });

const builtInNames = Object.keys(builtInSteps)
  .map((name) => `\`${name}\``)
  .join(", ");

const toolStep: z.ZodType<ToolStep> = z.strictObject({
  name: stepName,
  step: z
    .string()
    .min(1)
    .max(100)
    .meta({ description: `A step of \`steps/list\`, or ${builtInNames}` }),
  connection_id: z
    .string()
    .min(1)
    .max(128)
    .exactOptional()
    .meta({ description: "The connected account to use; never an expression" }),
  input: anyObject()
    .default({})
    .meta({ description: "As the step's own schema says; any value may be an expression, `{{params.branch}}`" }),
  if: z.string().max(8_000).exactOptional().meta({ description: "An expression; if it is false, the step is skipped" }),
  foreach: z
    .union([z.string().max(8_000), z.array(z.unknown()).max(foreachItemsMax)])
    .exactOptional()
    .meta({ description: "A list, or an expression that gives one: the step runs once for each item" }),
  continue_on_error: z.boolean().exactOptional().meta({ description: "The run continues even if this step fails" }),
  timeout: z.number().min(1).max(86_400).exactOptional().meta({ description: "Seconds that the step may take" }),
});

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what a title must not hold.
const controlCharacters = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/;

export const toolMembers = {
  title: z
    .string()
    .trim()
    .min(1)
    .max(200)
    .refine((text) => !controlCharacters.test(text), { error: "Control characters are not allowed." })
    .meta({ description: "One line, 1 to 200 characters" }),
  description: z.string().max(2_000).exactOptional().meta({ description: "What it is for, also for agents" }),
  params_schema: anyObject()
    .default({ type: "object" })
    .meta({ description: "JSON Schema of an object: what the tool is started with" }),
  steps: z.array(toolStep).min(1).max(toolStepsMax).meta({ description: "The steps, in the order in which they run" }),
  output: z
    .unknown()
    .optional()
    .meta({ description: "What a run returns; may contain expressions. Default: the last step's output" }),
};

/** The shape of a definition; `examine` checks whether it works in its project. */
export const toolDefinition: z.ZodType<ToolDefinition> = z.strictObject(toolMembers);
