import { inputRequired } from "@modelcontextprotocol/server";
import type { RegionContext } from "../calls/region-context.ts";
import { Problem } from "../kernel/problem.ts";
import { findPublished, type PublishedTool } from "../tools/tool-names.ts";
import type { Caller } from "./caller.ts";
import { type CancelledCalls, messageIn } from "./cancelled-calls.ts";
import type { RunResponse } from "./tool-results.ts";
import { requireAllowed, toolOfPublished } from "./tools.ts";

/**
 * Approvals that an assistant asks of its person. Since 2026-07-28, the result of a call has the question, and the client repeats the
 * call with the answer. Before, the question is a request on the call's own stream, and the answer is a request of its own, which any
 * node may receive: the question's id says which run it is about.
 */
export interface Question {
  tool: string;
  runId: string;
  step: string;
}

export const idOf = ({ tool, runId, step }: Question): string => `approve/${tool}/${runId}/${step}`;

const idShape = /^approve\/(\w{1,80})\/([\w-]{1,128})\/(\w{1,64})$/;

export const questionOf = ({ detail, request }: NonNullable<RunResponse["waiting_for"]>) =>
  inputRequired.elicit({
    message: request === undefined ? detail : `${detail}\n${JSON.stringify(request, null, 2).slice(0, 4000)}`,
    requestedSchema: {
      type: "object",
      properties: { approved: { type: "boolean", title: "Approve", description: "Whether the run may continue" } },
      required: ["approved"],
    },
  });

/** A person who closed the question, or left it open, has said nothing: null. */
export function approvedIn(answer: unknown): boolean | null {
  const { action, content } = (answer ?? {}) as { action?: unknown; content?: { approved?: unknown } };
  if (action === "decline") return false;
  const approved = action === "accept" ? content?.approved : undefined;
  return typeof approved === "boolean" ? approved : null;
}

/**
 * The run is one of this tool: otherwise an assistant that may use a few tools could approve runs of the others. A run that no
 * longer waits was answered elsewhere: how it stands is the result.
 */
export async function approve(
  caller: Caller,
  tool: PublishedTool,
  { runId, step, approved }: { runId: string; step: string; approved: boolean | null },
): Promise<void> {
  const run = JSON.parse(await caller.call("runs/{run_id}/get", { run_id: runId })) as { tool_id: string | null };
  if (run.tool_id !== tool.id) throw new Problem("run_not_found");
  if (approved === null) return;
  await caller.call("runs/{run_id}/approve", { run_id: runId, step, approved }).catch((error) => {
    if (!(error instanceof Problem) || error.code !== "run_not_waiting") throw error;
  });
}

/** An older client's answer to a question; null for every other message. */
export function answerIn(text: string | null): { id: string; question: Question; approved: boolean | null } | null {
  const { id, result, method } = messageIn(text, '"approve/') as { id?: unknown; result?: unknown; method?: unknown };
  const [, tool, runId, step] = (method === undefined && typeof id === "string" && idShape.exec(id)) || [];
  if (typeof id !== "string" || tool === undefined || runId === undefined || step === undefined) return null;
  return { id, question: { tool, runId, step }, approved: approvedIn(result) };
}

/** Where the question was dismissed, or the approval refused, the call that asked ends with that, if it is on this node. */
export async function takeAnswer(
  caller: Caller,
  { id, question, approved }: NonNullable<ReturnType<typeof answerIn>>,
  { context, calls, sessionId }: { context: RegionContext; calls: CancelledCalls; sessionId: string | undefined },
): Promise<void> {
  const name = { userId: caller.userId, sessionId, requestId: id };
  if (approved === null) return calls.cancel(name);
  try {
    const tool = await findPublished(context.store, caller.projectId, question.tool);
    if (!tool) throw new Problem("tool_not_found");
    requireAllowed(caller, toolOfPublished(question.tool, tool));
    await approve(caller, tool, { ...question, approved });
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    calls.cancel(name, error);
  }
}
