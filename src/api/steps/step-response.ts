import * as z from "zod";
import { WrittenJson } from "../../kernel/strict-json.ts";
import { isLarge, writeInSlices } from "../../kernel/write-in-slices.ts";
import type { ReadNow } from "../../runs/read-without-run.ts";
import { runStatuses } from "../../runs/record/run-status.ts";
import type { Run } from "../../runs/runs.ts";
import type { Step } from "../../systems/define.ts";

export const stepRecord = z.object({
  step_id: z.string(),
  title: z.string(),
  summary: z.string(),
  system: z.string(),
  vendor: z.string(),
  effect: z.enum(["read", "create", "update", "delete", "send"]),
  access_level: z.enum(["viewer", "editor", "administrator"]).nullable(),
  keywords: z
    .array(z.string())
    .meta({ description: "Words that find it in `steps/search`: kind of system, vendor, tasks and synonyms" }),
});
z.globalRegistry.add(stepRecord, { id: "Step" });

export const stepDetail = stepRecord.extend({
  description: z.string().meta({ description: "For agents: when to use it, and when not" }),
  input_schema: z.record(z.string(), z.unknown()).meta({ description: "JSON Schema of `input`" }),
  output_schema: z.record(z.string(), z.unknown()).meta({ description: "JSON Schema of `output`" }),
  options: z.array(z.string()).meta({ description: "Inputs for which `steps/{step_id}/options` offers values" }),
  examples: z.array(z.object({ title: z.string(), input: z.record(z.string(), z.unknown()) })),
});
z.globalRegistry.add(stepDetail, { id: "StepDetail" });

export const toRecord = (step: Step): z.input<typeof stepRecord> => ({
  step_id: step.id,
  title: step.title,
  summary: step.summary,
  system: step.system.id,
  vendor: step.system.vendor,
  effect: step.effect,
  access_level: step.needsLevel,
  keywords: [step.system.title, step.system.vendor, ...step.system.words, ...step.words],
});

export const toDetail = (step: Step): z.input<typeof stepDetail> => ({
  ...toRecord(step),
  description: step.forModels,
  input_schema: schemaOf(step.input, "input"),
  output_schema: schemaOf(step.output, "output"),
  options: Object.keys(step.options ?? {}),
  examples: step.examples.map(({ title, input }) => ({ title, input })),
});

const kept = new Map<z.ZodType, Record<string, unknown>>();

function schemaOf(schema: z.ZodType, io: "input" | "output"): Record<string, unknown> {
  let made = kept.get(schema);
  if (!made) {
    made = z.toJSONSchema(schema, { io, unrepresentable: "any" }) as Record<string, unknown>;
    kept.set(schema, made);
  }
  return made;
}

export const problemField = z.object({
  code: z.string(),
  detail: z.string(),
  remedy: z.string(),
  fault: z.enum(["caller", "account", "system", "policy", "limit kept here"]).meta({
    description: "Who can fix it. `limit kept here`: Signalbox's own count spared the system a refusal",
  }),
  retry: z.enum(["later", "after_fix", "after_look"]).meta({ description: "When the same call may be made again" }),
  retry_at: z.string().optional(),
  system_code: z.string().optional(),
  connection_id: z.string().optional().meta({ description: "With the fault `account`: the account" }),
});
z.globalRegistry.add(problemField, { id: "StepProblem" });

export const limitField = z.object({
  name: z.string(),
  left: z.number().meta({ description: "What is left of it" }),
  used: z.number().optional().meta({ description: "What the call used of it, if the system reports that" }),
  max: z.number().optional().meta({ description: "Its maximum" }),
  resets_at: z.string().optional().meta({ description: "When it resets" }),
});
z.globalRegistry.add(limitField, { id: "LimitReport" });

export const runStatus = z.enum(runStatuses);
z.globalRegistry.add(runStatus, { id: "RunStatus" });

export const runAnswer = z.object({
  run_id: z.string(),
  status: runStatus,
  output: z.unknown(),
  warnings: z.array(z.string()),
  limits: z.array(limitField).meta({ description: "What the system reported about its limits" }),
  problem: problemField.optional(),
});
z.globalRegistry.add(runAnswer, { id: "StepRun" });

export const readAnswer = runAnswer.omit({ run_id: true }).extend({ status: z.enum(["succeeded", "failed"]) });
z.globalRegistry.add(readAnswer, { id: "StepRead" });

export const toAnswer = (run: Run, output: unknown): z.input<typeof runAnswer> => ({
  run_id: run.id,
  status: run.status,
  output,
  warnings: run.warnings,
  limits: run.limits,
  ...(run.problem === null ? {} : { problem: run.problem }),
});

/** The same as JSON text, with an output that is already serialized. */
export function answerText(run: Run, outputText: string): WrittenJson {
  const { output: _, ...rest } = toAnswer(run, null);
  return new WrittenJson(`${JSON.stringify(rest).slice(0, -1)},"output":${outputText}}`);
}

/** What a read found, as JSON text. A large output is serialized in slices. */
export async function readText({ output, problem, ...rest }: ReadNow): Promise<WrittenJson> {
  const outputText = isLarge(output) ? await writeInSlices(output) : JSON.stringify(output);
  const others = JSON.stringify({ ...rest, ...(problem && { problem }) });
  return new WrittenJson(`${others.slice(0, -1)},"output":${outputText}}`);
}

export const previewAnswer = z.object({
  status: z.literal("dry_run").meta({ description: "Tells it apart from a run" }),
  request: z.object({
    method: z.string(),
    url: z.string(),
    headers: z.record(z.string(), z.string()),
    body: z.unknown().optional(),
  }),
  policy: z.object({ allowed: z.boolean(), reason: z.string() }),
  limits: z.array(z.record(z.string(), z.unknown())),
  cost: z.object({ calls: z.number(), tokens: z.number().optional(), note: z.string().optional() }),
  effect: z.string(),
  warnings: z.array(z.string()).meta({ description: "What is worth knowing before it is sent" }),
  problem: problemField.optional().meta({ description: "What would end the run before anything is sent" }),
});
z.globalRegistry.add(previewAnswer, { id: "DryRun" });
