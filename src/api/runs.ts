import * as z from "zod";
import { projectOf } from "../access/scope.ts";
import { listRuns, type Run, requireRun, resolveRun } from "../runs/runs.ts";
import { onePageOf, operation, pageInput, pageOutput, toPage } from "./define.ts";
import { idField, timeField } from "./fields.ts";
import { problemField, runStatus } from "./step-records.ts";

const runId = idField.meta({ description: "As the run's first answer named it" });

const attemptField = z.object({
  request: z.object({
    method: z.string(),
    url: z.string(),
    headers: z.record(z.string(), z.string()),
    body: z.unknown().optional(),
  }),
  effect: z.string(),
  sent_at: timeField,
  waited_ms: z.number().meta({ description: "How long it waited for a limit" }),
  ms: z.number().optional(),
  response: z
    .object({ status: z.int(), headers: z.record(z.string(), z.string()), body: z.unknown().optional() })
    .optional(),
  problem: z.object({ code: z.string(), detail: z.string() }).optional(),
});

const runSummary = z.object({
  run_id: z.string(),
  tool_id: z.string().nullable(),
  step_id: z.string().nullable(),
  connection_id: z.string().nullable(),
  status: runStatus,
  started_by: z.string().meta({ description: "The account that started it" }),
  problem: problemField.optional(),
  created_at: timeField,
  finished_at: timeField.nullable(),
});

const runRecord = runSummary.extend({
  params: z.unknown(),
  output: z.unknown(),
  warnings: z.array(z.string()),
  steps: z.array(
    z.object({
      name: z.string(),
      step: z.string(),
      status: z.string(),
      output: z.unknown(),
      problem: problemField.optional(),
      attempts: z.array(attemptField),
    }),
  ),
});

const toSummary = (run: Run): z.input<typeof runSummary> => ({
  run_id: run.id,
  tool_id: null,
  step_id: run.stepId,
  connection_id: run.connectionId,
  status: run.status,
  started_by: run.startedBy,
  ...(run.problem === null ? {} : { problem: run.problem }),
  created_at: run.createdAt,
  finished_at: run.finishedAt,
});

const toRecord = (run: Run): z.input<typeof runRecord> => ({
  ...toSummary(run),
  params: run.params,
  output: run.output,
  warnings: run.warnings,
  steps: [
    {
      name: run.stepId ?? "",
      step: run.stepId ?? "",
      status: run.status,
      output: run.output,
      ...(run.problem === null ? {} : { problem: run.problem }),
      attempts: [...run.attempts] as z.input<typeof attemptField>[],
    },
  ],
});

export const runOperations = [
  operation({
    path: "/latest/runs/list",
    area: "runs",
    summary: "List the project's runs, newest first",
    needs: "project viewer",
    audit: null,
    refuses: [],
    input: z.object({
      ...pageInput,
      status: runStatus.optional(),
      step_id: idField.optional(),
      connection_id: idField.optional(),
    }),
    output: pageOutput(runSummary),
    example: { status: "outcome_unknown" },
    async run(scope, input) {
      const filter = { status: input.status, stepId: input.step_id, connectionId: input.connection_id };
      const rows = await listRuns(scope.db, projectOf(scope), filter, onePageOf(input));
      return toPage(rows, input.limit, (run) => run.id, toSummary);
    },
  }),
  operation({
    path: "/latest/runs/{run_id}/get",
    area: "runs",
    summary: "Read one run, with every attempt",
    needs: "project viewer",
    audit: null,
    refuses: ["run_not_found"],
    input: z.object({ run_id: runId }),
    output: runRecord,
    example: { run_id: "run_us_…" },
    async run(scope, input) {
      return toRecord(await requireRun(scope.db, projectOf(scope), input.run_id));
    },
  }),
  operation({
    path: "/latest/runs/{run_id}/resolve",
    area: "runs",
    summary: "Say what became of a write whose answer was lost",
    description:
      "For a run that is `outcome_unknown`: look at the system, then say whether it happened. The run ends `succeeded` or `failed`; nothing is sent.",
    needs: "project editor",
    audit: "run.resolved",
    refuses: ["run_not_found", "run_not_waiting"],
    input: z.object({
      run_id: runId,
      step: z.string().max(200).optional().meta({ description: "Which step is meant, in a run of several" }),
      outcome: z.enum(["happened", "did_not"]),
      output: z.unknown().optional().meta({ description: "What the step would have answered, where it is known" }),
    }),
    output: runRecord,
    example: { run_id: "run_us_…", outcome: "happened" },
    async run(scope, input) {
      const run = await requireRun(scope.db, projectOf(scope), input.run_id);
      return toRecord(await resolveRun(scope.db, run, input.outcome, input.output, scope.now()));
    },
    auditOf: (input) => ({ target: input.run_id, details: { outcome: input.outcome } }),
  }),
];
