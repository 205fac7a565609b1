import * as z from "zod";
import { projectOf } from "../../access/scope.ts";
import { messageStart } from "../../agents/start-by-message.ts";
import { externalOperation } from "../../calls/define-operation.ts";
import { within } from "../../runs/follow-run.ts";
import { samples as shown } from "../../systems/samples.ts";
import { readWholeRun, runRecord } from "../runs/run-response.ts";
import { idField, waitSecondsField } from "../shared-fields.ts";
import { agentId } from "./agent-response.ts";

export const agentTriggerOperations = [
  externalOperation({
    path: "/latest/agents/{agent_id}/trigger",
    area: "agents",
    summary: "Send an agent a message, and wait for its reply",
    description:
      "The agent's model decides what to do, with the steps and tools that the agent allows. Returns the run when it has ended, when it waits for something, or after `wait_seconds`; the run continues in any case. The reply is `output.message`. If the run waits for `approval`, approve or reject it with `runs/{run_id}/approve`. A paused agent also accepts messages.",
    needs: "project editor",
    audit: "agent.triggered",
    countsAs: "run",
    refuses: ["agent_not_found", "model_not_configured", "conversation_not_found", "conversation_busy"],
    input: z.object({
      agent_id: agentId,
      message: z
        .string()
        .min(1)
        .max(100_000)
        .refine((text) => !text.includes("\u0000"), { error: "The character U+0000 is not allowed." })
        .meta({ description: "What the agent should do; secrets in it are masked" }),
      conversation_id: idField
        .optional()
        .meta({ description: "Continues this conversation of the agent; without it a new one begins" }),
      wait_seconds: waitSecondsField,
    }),
    output: runRecord,
    example: { agent_id: "agt_us_…", message: shown.question },
    async run(scope, wish, rooms) {
      const projectId = projectOf(scope);
      const message = { agentId: wish.agent_id, text: wish.message, conversationId: wish.conversation_id };
      const { start, plan, requireStill } = await messageStart(scope, message, rooms.events);
      // Durable before the model is asked: the run takes its conversation.
      const { run, left } = await rooms.runs.start(start, {
        storeIn: (store, runId) =>
          scope.change(async (inside) => {
            await requireStill(inside.db);
            const value = await store(inside.db);
            const details = { agent_id: plan.agentId, conversation_id: plan.conversationId };
            return { value, target: runId, details, reference: runId };
          }),
        mayBeWithdrawn: !scope.hasIdempotencyKey,
      });
      await within(wish.wait_seconds, left);
      return readWholeRun(scope.db, projectId, run.id);
    },
    answerAgain: (scope, reference) => readWholeRun(scope.db, projectOf(scope), reference),
  }),
];
