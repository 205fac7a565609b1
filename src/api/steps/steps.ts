import * as z from "zod";
import { projectOf } from "../../access/scope.ts";
import { externalOperation, operation } from "../../calls/define-operation.ts";
import { pageAmong, pageInput, pageOutput } from "../../calls/list-pages.ts";
import { anyObject } from "../../kernel/any-object.ts";
import { Problem } from "../../kernel/problem.ts";
import { callOf, requireConnectionFor, requireStep, waitSecondsDefault } from "../../runs/prepare-step.ts";
import { readNow } from "../../runs/read-without-run.ts";
import { runNow } from "../../runs/run-step-now.ts";
import { requireRun } from "../../runs/runs.ts";
import { readStepOptions } from "../../runs/step-options.ts";
import { policyField } from "../../steps/policy.ts";
import { previewStep } from "../../steps/preview.ts";
import { toProblem } from "../../steps/to-problem.ts";
import { steps, systemIds } from "../../systems/index.ts";
import { samples as shown } from "../../systems/samples.ts";
import { searchSteps } from "../../systems/search-steps.ts";
import { idField } from "../shared-fields.ts";
import { readStepInput } from "./read-step-input.ts";
import { stepPorts } from "./step-ports.ts";
import {
  answerText,
  previewAnswer,
  readAnswer,
  readText,
  runAnswer,
  stepDetail,
  stepRecord,
  toAnswer,
  toDetail,
  toRecord,
} from "./step-response.ts";

const stepId = idField.meta({ description: `Such as \`${shown.described}\`; \`steps/list\` lists them all` });
const connectionId = idField.meta({ description: "The connected account to use; there is no default" });
/** What a call of one step takes, whether it makes a run or only reads. */
const stepCallInput = {
  step_id: stepId,
  connection_id: connectionId,
  input: anyObject().default({}).meta({ description: "As the step's own schema says" }),
  wait_seconds: z
    .number()
    .min(0)
    .max(300)
    .default(waitSecondsDefault)
    .meta({ description: "How long it may wait for a limit" }),
};

export const stepOperations = [
  operation({
    path: "/latest/steps/list",
    area: "steps",
    summary: "List the steps",
    needs: "project viewer",
    audit: null,
    refuses: [],
    input: z.object({ ...pageInput, system: z.enum(systemIds).optional() }),
    output: pageOutput(stepRecord),
    example: {},
    async run(_scope, input) {
      const shown = steps.filter((step) => input.system === undefined || step.system.id === input.system);
      return pageAmong(shown.map(toRecord), input, ({ step_id }) => step_id);
    },
  }),
  operation({
    path: "/latest/steps/search",
    area: "steps",
    summary: "Find steps by system, vendor, task or synonym",
    description: "Tolerates typing errors. The best match comes first; an empty query lists all.",
    needs: "project viewer",
    audit: null,
    refuses: [],
    input: z.object({
      ...pageInput,
      query: z
        .string()
        .max(200)
        .meta({ description: `What a person would type: ${shown.searches.map((text) => `\`${text}\``).join(", ")}` }),
    }),
    output: pageOutput(stepRecord),
    example: { query: shown.search },
    async run(_scope, input) {
      return pageAmong(searchSteps(input.query).map(toRecord), input, ({ step_id }) => step_id);
    },
  }),
  operation({
    path: "/latest/steps/{step_id}/get",
    area: "steps",
    summary: "Read one step, with the schemas of its input and output",
    needs: "project viewer",
    audit: null,
    refuses: ["step_not_found"],
    input: z.object({ step_id: stepId }),
    output: stepDetail,
    example: { step_id: shown.described },
    async run(_scope, input) {
      return toDetail(requireStep(input.step_id));
    },
  }),
  externalOperation({
    path: "/latest/steps/{step_id}/options",
    area: "steps",
    summary: "List the values to choose from for one of the step's inputs",
    needs: "project editor",
    audit: null,
    refuses: ["step_not_found", "connection_not_found", "options_unavailable"],
    input: z.object({
      step_id: stepId,
      field: z.string().min(1).max(100).meta({ description: "The name of the input" }),
      connection_id: connectionId,
      query: z.string().max(200).default("").meta({ description: "Narrows the values, at the system where it can" }),
      after: z.string().max(4000).nullish().meta({ description: "The `next` of the page before" }),
      input: anyObject().default({}).meta({ description: "What is filled in so far" }),
    }),
    output: z.object({
      results: z.array(
        z.object({
          value: z.string(),
          label: z.string(),
          hint: z.string().optional(),
          state: z.string().optional().meta({ description: "The state of what it names, in the system's word" }),
          at: z.string().optional().meta({ description: "When what it names was created" }),
        }),
      ),
      next: z.string().nullable(),
    }),
    example: { step_id: shown.writing.step, field: shown.writing.field, connection_id: "con_us_…", query: "web" },
    async run(scope, input, rooms) {
      const step = requireStep(input.step_id);
      const asked = { query: input.query, after: input.after ?? null, input: input.input };
      const wish = { field: input.field, connectionId: input.connection_id, asked };
      const { options, next } = await readStepOptions(scope, step, wish, rooms);
      return { results: options, next };
    },
  }),
  externalOperation({
    path: "/latest/steps/{step_id}/read",
    area: "steps",
    summary: "Read with a step, without creating a run",
    description:
      "For programs and pages that read from a system often. Policy, limits and account apply as to a run, and the response is the same except for `run_id`. A step that would change something is refused.",
    needs: "project editor",
    audit: null,
    countsAs: "run",
    refuses: ["step_not_found", "connection_not_found"],
    input: z.object(stepCallInput),
    output: readAnswer,
    example: { step_id: shown.reading.step, connection_id: "con_us_…", input: shown.reading.input },
    async run(scope, input, rooms) {
      const step = requireStep(input.step_id);
      const connection = await requireConnectionFor(step, scope, input.connection_id, rooms);
      const parsed = readStepInput(step, input.input);
      const read = await readNow(scope, { step, connection, parsed, waitSeconds: input.wait_seconds }, rooms.steps);
      return readText(read);
    },
  }),
  externalOperation({
    path: "/latest/steps/{step_id}/run",
    area: "steps",
    summary: "Run a step",
    description:
      "Returns 200 whenever a run was created: `status` says how it ended, and `problem` what went wrong. With `dry_run`, no run is created and nothing is sent: the response shows the request, the decision of the policy, the limits and the cost.",
    needs: "project editor",
    audit: "step.run",
    countsAs: "run",
    refuses: ["step_not_found", "connection_not_found"],
    input: z.object({
      ...stepCallInput,
      dry_run: z.boolean().default(false),
      policy: policyField.nullish().meta({
        description: "With `dry_run`: applies this policy instead of the account's own, to test it before it is saved",
      }),
    }),
    output: z.discriminatedUnion("status", [runAnswer, previewAnswer]),
    example: { step_id: shown.reading.step, connection_id: "con_us_…", input: shown.reading.input },
    async run(scope, input, rooms) {
      const step = requireStep(input.step_id);
      const connection = await requireConnectionFor(step, scope, input.connection_id, rooms);
      const parsed = readStepInput(step, input.input);
      const waitSeconds = input.wait_seconds;
      if (input.policy !== undefined && !input.dry_run) throw policyWithoutDryRun();
      if (input.dry_run) {
        const judged = input.policy === undefined ? connection : { ...connection, policy: input.policy };
        const call = callOf(scope, { step, input: parsed, connection: judged, runId: "dry run", waitSeconds });
        const { problem, ...shown } = await previewStep(call, rooms.steps);
        return {
          status: "dry_run" as const,
          ...shown,
          ...(problem && { problem: toProblem(problem, "", scope.now(), connection.id) }),
        };
      }
      const wish = { step, connection, input: input.input, parsed, waitSeconds };
      const { run, outputText } = await runNow(scope, wish, stepPorts(scope, rooms));
      return answerText(run, outputText);
    },
    async answerAgain(scope, reference) {
      const run = await requireRun(scope.db, projectOf(scope), reference);
      return toAnswer(run, run.output);
    },
  }),
];

/** A run always obeys the account's own policy; a caller must not believe otherwise. */
function policyWithoutDryRun(): Problem {
  const detail = "A policy can be tried with `dry_run` alone.";
  return new Problem("validation_failed", detail, { errors: [{ pointer: "#/policy", code: "not_allowed", detail }] });
}
