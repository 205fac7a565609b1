import * as z from "zod";
import { projectOf, type Scope } from "../../access/scope.ts";
import { agentParamsToReplay, replayAgent } from "../../agents/replay-agent.ts";
import { externalOperation, operation } from "../../calls/define-operation.ts";
import { onePageOf, pageInput, pageOutput, shortPages, toSearchedPage } from "../../calls/list-pages.ts";
import { anyObject } from "../../kernel/any-object.ts";
import { WrittenJson } from "../../kernel/strict-json.ts";
import { approveRun } from "../../runs/approve-run.ts";
import { cancelRun } from "../../runs/cancel-run.ts";
import { createdWithin } from "../../runs/created-within.ts";
import { requirePlannedRun } from "../../runs/queue/queue.ts";
import { storeLargeParams } from "../../runs/queue/start-run.ts";
import { readOutput } from "../../runs/read-output.ts";
import { isAgentRun, isStepRun, type PlannedRun } from "../../runs/record/run-record.ts";
import { type ReplayWish, replayTool, toolParamsToReplay } from "../../runs/replay.ts";
import { type ReadInput, replayStep, retryUnknown } from "../../runs/replay-step.ts";
import { isRetryOfStep, resolveOutcome } from "../../runs/resolve-outcome.ts";
import { listRunSummaries, type RunFilter, type RunSearch, requireRun } from "../../runs/runs.ts";
import type { Compute } from "../../untrusted/compute.ts";
import { announceRun } from "../../webhooks/announce-runs.ts";
import { idField } from "../shared-fields.ts";
import { readStepInput } from "../steps/read-step-input.ts";
import { stepPorts } from "../steps/step-ports.ts";
import { runStatus } from "../steps/step-response.ts";
import { readRun, runRecord, runSummary, toSummary } from "./run-response.ts";

const runId = idField.meta({ description: "The run, from the response that started it" });

const wordOf = (scope: Scope) => ({ userId: scope.actor.userId, now: scope.now() });

const paramsToReplay = (run: PlannedRun, wanted: Record<string, unknown> | undefined, compute: Compute) =>
  isAgentRun(run) ? agentParamsToReplay(run, wanted) : toolParamsToReplay(run, wanted, compute);

const replay = (scope: Scope, run: PlannedRun, wish: ReplayWish): Promise<string> =>
  isAgentRun(run) ? replayAgent(scope.db, run, wish, wordOf(scope)) : replayTool(scope.db, run, wish, wordOf(scope));

const momentField = z.iso.datetime({ offset: true });
const hasNoNul = {
  test: (text: string) => !text.includes("\u0000"),
  error: "The character U+0000 is not allowed.",
};

export const runOperations = [
  operation({
    path: "/latest/runs/list",
    area: "runs",
    summary: "List the project's runs, newest first",
    description: shortPages("10,000 runs, 1,000 with `text` or `with_step`"),
    needs: "project viewer",
    audit: null,
    fromReplica: true,
    refuses: [],
    input: z.object({
      ...pageInput,
      status: runStatus.optional(),
      waiting_for: z.enum(["approval"]).optional().meta({ description: "Only runs that wait for an approval" }),
      step_id: idField.optional().meta({ description: "Only runs of this step alone; see `with_step`" }),
      with_step: idField.optional().meta({
        description:
          "Only runs in which this step ran: alone, in a tool, or called by an agent. One page searches 1,000 runs, so it may be short or empty and still have a `next`",
      }),
      tool_id: idField.optional(),
      connection_id: idField.optional(),
      agent_id: idField.optional(),
      conversation_id: idField.optional(),
      since: momentField.optional().meta({ description: "Only runs that were created then or later" }),
      until: momentField.optional().meta({ description: "Only runs that were created before" }),
      text: z.string().min(1).max(200).refine(hasNoNul.test, { error: hasNoNul.error }).optional().meta({
        description:
          "Only runs whose id, step, problem, wait or output contains it, whatever its case; outputs up to 8 KiB. One page searches 1,000 runs, so it may be short or empty and still have a `next`",
      }),
    }),
    output: pageOutput(runSummary),
    example: { status: "outcome_unknown" },
    async run(scope, input) {
      const filter: RunFilter & RunSearch = {
        status: input.status ?? (input.waiting_for && "waiting"),
        stepId: input.step_id,
        toolId: input.tool_id,
        connectionId: input.connection_id,
        agentId: input.agent_id,
        conversationId: input.conversation_id,
        waitingFor: input.waiting_for,
        created: createdWithin(scope.region, input.since, input.until),
        text: input.text,
        withStep: input.with_step,
      };
      const found = await listRunSummaries(scope.db, projectOf(scope), filter, onePageOf(input));
      return toSearchedPage(found, input.limit, (run) => run.id, toSummary);
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
    run: (scope, input) => readRun(scope.db, projectOf(scope), input.run_id),
  }),
  operation({
    path: "/latest/runs/{run_id}/output",
    area: "runs",
    summary: "Read one large output in full",
    description:
      "If an output is larger than 128 KiB, the run's record has `large_output` instead: its beginning, its size and a handle. Smaller outputs can be read the same way.",
    needs: "project viewer",
    audit: null,
    refuses: ["run_not_found"],
    input: z.object({
      run_id: runId,
      handle: z.string().max(200).meta({ description: "As `large_output` names it: `/output`, `/steps/0/output` …" }),
    }),
    output: z.object({ output: z.unknown() }),
    example: { run_id: "run_us_…", handle: "/steps/0/output" },
    async run(scope, input) {
      const text = await readOutput(scope.db, projectOf(scope), input.run_id, input.handle);
      return new WrittenJson(`{"output":${text}}`);
    },
  }),
  operation({
    path: "/latest/runs/{run_id}/cancel",
    area: "runs",
    summary: "Stop a run at its next boundary",
    description:
      "A waiting run stops at once. Requests that were sent are not undone. If it is not known whether a write was carried out, `problem` of the cancelled run is `outcome_unknown` and names the step.",
    needs: "project editor",
    audit: "run.cancelled",
    refuses: ["run_not_found", "run_ended"],
    input: z.object({ run_id: runId }),
    output: runRecord,
    example: { run_id: "run_us_…" },
    async run(scope, input, { webhooks }) {
      const now = scope.now();
      let announced = 0;
      for (const run of await cancelRun(scope.db, projectOf(scope), input.run_id, now)) {
        announced += await announceRun(
          scope.db,
          run,
          { status: "cancelled", problem: run.problem, waitingFor: null },
          now,
        );
      }
      if (announced > 0) scope.afterCommit(webhooks.deliveries.wake);
      return readRun(scope.db, projectOf(scope), input.run_id);
    },
    auditOf: (input) => ({ target: input.run_id }),
  }),
  operation({
    path: "/latest/runs/{run_id}/approve",
    area: "runs",
    summary: "Approve or reject what a waiting run asks for",
    description:
      "The approval applies only to the request that `waiting_for` shows. If the tool requires an admin, an editor cannot approve.",
    needs: "project editor",
    audit: "run.approved",
    refuses: ["run_not_found", "run_not_waiting", "admin_required"],
    input: z.object({
      run_id: runId,
      approved: z
        .boolean()
        .meta({ description: "False ends the run as failed; in the run of an agent, its model is informed" }),
      step: z.string().max(200).optional().meta({ description: "The `step` that `waiting_for` named" }),
      request: z.unknown().optional().meta({
        description: "The `request` that `waiting_for` showed; if it has changed since, the call is refused",
      }),
    }),
    output: runRecord,
    example: { run_id: "run_us_…", approved: true },
    async run(scope, input, rooms) {
      await approveRun(scope, input.run_id, input);
      scope.afterCommit(rooms.runs.wake);
      return readRun(scope.db, projectOf(scope), input.run_id);
    },
    auditOf: (input) => ({ target: input.run_id, details: { approved: input.approved } }),
  }),
  externalOperation({
    path: "/latest/runs/{run_id}/resolve",
    area: "runs",
    summary: "Report the outcome of a write whose response was lost",
    description:
      "For a run with the status `outcome_unknown`: check the system, then report whether the write happened. The run of a tool continues from there. `retry` sends the step once more; for a run of one step, the call returns when the step has ended.",
    needs: "project editor",
    audit: "run.resolved",
    refuses: ["run_not_found", "run_not_waiting", "run_not_repeatable", "step_not_found", "connection_not_found"],
    input: z.object({
      run_id: runId,
      step: z.string().max(200).optional().meta({ description: "The step, if the run has several" }),
      outcome: z.enum(["happened", "did_not", "retry"]),
      output: z.unknown().optional().meta({ description: "What the step would have returned, if known" }),
    }),
    output: runRecord,
    example: { run_id: "run_us_…", outcome: "happened" },
    async run(scope, input, rooms) {
      const projectId = projectOf(scope);
      const run = await requireRun(scope.db, projectId, input.run_id);
      if (isRetryOfStep(run, input)) {
        await retryUnknown(scope, run, stepPorts(scope, rooms));
      } else {
        await scope.change(async (inside) => {
          await resolveOutcome(inside, run.id, input);
          inside.afterCommit(rooms.runs.wake);
          return { value: undefined, target: run.id, details: { outcome: input.outcome }, reference: run.id };
        });
      }
      return readRun(scope.db, projectId, run.id);
    },
    answerAgain: (scope, reference) => readRun(scope.db, projectOf(scope), reference),
  }),
  externalOperation({
    path: "/latest/runs/{run_id}/replay",
    area: "runs",
    summary: "Replay a run, from its start or from one of its steps",
    description:
      "Uses the tool's definition from that run. Steps before `from_step` keep their outputs, so all of them must have ended. Approvals are requested again. For a run of one step, the call returns when the step has ended, and `params` is the step's input.",
    needs: "project editor",
    audit: "run.replayed",
    countsAs: "run",
    refuses: ["run_not_found", "run_not_repeatable", "step_not_found", "connection_not_found", "compute_exhausted"],
    input: z.object({
      run_id: runId,
      from_step: z.string().max(200).optional().meta({ description: "The name of the step to start with" }),
      params: anyObject().optional().meta({ description: "Params that replace those of that run" }),
    }),
    output: z.object({ run_id: z.string() }),
    example: { run_id: "run_us_…", from_step: "again" },
    async run(scope, input, rooms) {
      const run = await requireRun(scope.db, projectOf(scope), input.run_id);
      if (isStepRun(run)) {
        const read: ReadInput = (step, given) => readStepInput(step, given, "params");
        const wish = { fromStep: input.from_step, input: input.params, read };
        return { run_id: await replayStep(scope, run, wish, stepPorts(scope, rooms)) };
      }
      const earlier = await requirePlannedRun(scope.db, run.projectId, run.id);
      const params = await paramsToReplay(earlier, input.params, rooms.compute);
      await storeLargeParams(scope.db, params, scope.now());
      return scope.change(async (inside) => {
        const { actor, region } = inside;
        const wish = { region, fromStep: input.from_step, params, keyId: actor.keyId };
        const id = await replay(inside, earlier, wish);
        inside.afterCommit(rooms.runs.wake);
        return { value: { run_id: id }, target: id, details: { replays: run.id }, reference: id };
      });
    },
    answerAgain: (_scope, reference) => Promise.resolve({ run_id: reference }),
  }),
];
