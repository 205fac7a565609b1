import * as z from "zod";
import { projectOf } from "../../access/scope.ts";
import { type ExternalScope, externalOperation } from "../../calls/define-operation.ts";
import { anyObject } from "../../kernel/any-object.ts";
import { queueRun, storeLargeParams } from "../../runs/queue/start-run.ts";
import { runToolNow } from "../../runs/run-tool-now.ts";
import { toolStart } from "../../runs/start-tool.ts";
import type { StoreIn } from "../../runs/worker/started-run.ts";
import { versionMax } from "../../tools/tools.ts";
import { readWholeRun, recordOf, runRecord } from "../runs/run-response.ts";
import { idField, waitSecondsField } from "../shared-fields.ts";

const versionField = z
  .union([z.literal("draft"), z.literal("published"), z.int().min(1).max(versionMax)])
  .optional()
  .meta({ description: "Default: `published`; a tool that was never published runs its draft" });

const input = {
  tool_id: idField,
  params: anyObject().default({}).meta({ description: "As the tool's `params_schema` says" }),
  version: versionField,
};

export const triggerOperations = [
  externalOperation({
    path: "/latest/tools/{tool_id}/trigger",
    area: "tools",
    summary: "Run a tool, and wait until it ends",
    description:
      "Returns the run when it has ended, when it waits for a person or for longer than `wait_seconds`, or after `wait_seconds`. The run continues in any case.",
    needs: "project editor",
    audit: "tool.triggered",
    countsAs: "run",
    refuses: ["tool_not_found", "tool_version_not_found", "compute_exhausted"],
    input: z.object({
      ...input,
      wait_seconds: waitSecondsField,
    }),
    output: runRecord,
    example: { tool_id: "tol_us_…", params: { branch: "main" } },
    async run(scope, wish, rooms) {
      const start = await toolStart(scope, rooms, { ...wish, toolId: wish.tool_id });
      const { run, left } = await runToolNow(scope, rooms.runs, start, {
        waitSeconds: wish.wait_seconds,
        isRepeatable: scope.hasIdempotencyKey,
        storeIn: storeIn(scope, wish.tool_id),
      });
      return left ? recordOf(scope.db, run, left) : readWholeRun(scope.db, start.projectId, run.id);
    },
    answerAgain: (scope, reference) => readWholeRun(scope.db, projectOf(scope), reference),
  }),
  externalOperation({
    path: "/latest/tools/{tool_id}/trigger_async",
    area: "tools",
    summary: "Start a tool, and do not wait",
    needs: "project editor",
    audit: "tool.triggered",
    changesOnce: true,
    countsAs: "run",
    refuses: ["tool_not_found", "tool_version_not_found", "compute_exhausted"],
    input: z.object(input),
    output: z.object({ run_id: z.string() }),
    example: { tool_id: "tol_us_…", params: { branch: "main" } },
    async run(scope, wish, rooms) {
      const start = await toolStart(scope, rooms, { ...wish, toolId: wish.tool_id });
      await storeLargeParams(scope.db, start.params, start.now);
      return scope.change(async (inside) => {
        const id = await queueRun(inside.db, start);
        inside.afterCommit(rooms.runs.wake);
        return { value: { run_id: id }, target: id, details: { tool_id: wish.tool_id } };
      });
    },
  }),
];

/** Stores the run with its audit row. The caller is checked again, unless the run has ended: then it is only recorded. */
const storeIn =
  (scope: ExternalScope, toolId: string): StoreIn =>
  (store, runId, hasEnded) =>
    (hasEnded ? scope.record : scope.change)(async ({ db }) => {
      const value = await store(db);
      return { value, target: runId, details: { tool_id: toolId }, reference: runId };
    });
