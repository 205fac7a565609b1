import { type CallToolResult, type InputRequiredResult, inputRequired } from "@modelcontextprotocol/server";
import type { RegionContext } from "../calls/region-context.ts";
import { Problem } from "../kernel/problem.ts";
import type { Step } from "../systems/define.ts";
import { findStep, type SystemId } from "../systems/index.ts";
import { findPublished, type PublishedTool } from "../tools/tool-names.ts";
import { approve, idOf, questionOf } from "./approvals.ts";
import type { Caller } from "./caller.ts";
import { followRun, type RunWatch } from "./follow-run.ts";
import { hasEnded, type RunResponse, refused, resultLengthMax, resultOf, tooLarge } from "./tool-results.ts";
import { requireAllowed, toolOfPublished, toolOfStep, usableAccounts } from "./tools.ts";

export interface ToolCall {
  name: string;
  input: Record<string, unknown>;
  idempotencyKey: string | undefined;
  watch: RunWatch;
  /** How the client asks its person something: by the result of the call, by a request of its own, or not at all. */
  asking: "by result" | Ask | null;
  /** The run that an earlier round of this call began, and what the person said to it. */
  earlier: EarlierRound | null;
}

export interface EarlierRound {
  runId: string;
  step: string;
  approved: boolean | null;
}

/** Sends a question with this id. `dismissed` is aborted when the person has closed it or their answer was refused. */
export type Ask = (
  id: string,
  question: ReturnType<typeof questionOf>,
) => Promise<{ dismissed: AbortSignal; end(): void }>;

type ToolResult = CallToolResult | InputRequiredResult;

/** Null for a name that no step and no published tool has. */
export async function callTool(caller: Caller, call: ToolCall, context: RegionContext): Promise<ToolResult | null> {
  try {
    const step = findStep(call.name);
    if (step) {
      requireAllowed(caller, toolOfStep(step, []));
      return await callStep(caller, step, call, context);
    }
    const tool = await findPublished(context.store, caller.projectId, call.name);
    if (!tool) return null;
    requireAllowed(caller, toolOfPublished(call.name, tool));
    return await callPublished(caller, tool, call);
  } catch (error) {
    if (error instanceof Problem) return refused(error);
    throw error;
  }
}

async function callStep(caller: Caller, step: Step, call: ToolCall, { rooms }: RegionContext): Promise<CallToolResult> {
  const { connection_id: named, ...input } = call.input;
  const connectionId = named ?? (await onlyAccount(caller.projectId, step, rooms.vault));
  const wish = { step_id: step.id, connection_id: connectionId, input };
  const text = await caller.call("steps/{step_id}/run", wish, call.idempotencyKey);
  return textResult(text);
}

/** Parsing and writing a large answer would stop the process: only its run is named. */
function textResult(text: string): CallToolResult {
  if (text.length <= resultLengthMax) return resultOf(JSON.parse(text) as RunResponse);
  const runId = runIdIn(text);
  const start = text.indexOf('"output":') + '"output":'.length;
  return tooLarge({ run_id: runId }, { bytes: Buffer.byteLength(text), preview: text.slice(start, start + 2000) });
}

const runIdIn = (text: string): string => /"run_id":"([\w-]+)"/.exec(text.slice(0, 1000))?.[1] ?? "";

/** "It may be left out where the project has exactly one usable connection of that system." */
async function onlyAccount(
  projectId: string,
  { system }: Step,
  vault: RegionContext["rooms"]["vault"],
): Promise<string> {
  const [only, ...others] = await usableAccounts(projectId, vault, system.id as SystemId);
  if (!only) {
    const detail = `The project has no usable ${system.title} account.`;
    throw new Problem("connection_not_found", `${detail} Connect one under Integrations & API Keys.`);
  }
  if (others.length === 0) return only.id;
  const listed = [only, ...others].map(({ id, label }) => `${id} (${label})`).join(", ");
  const detail = `The project has several ${system.title} accounts: ${listed}.`;
  throw new Problem("validation_failed", "Name the account to use.", {
    errors: [{ pointer: "#/connection_id", code: "required", detail }],
  });
}

async function callPublished(caller: Caller, tool: PublishedTool, call: ToolCall): Promise<ToolResult> {
  const { asking, name } = call;
  let run = await runOf(caller, tool, call);
  for (;;) {
    const { run_id: runId, waiting_for: waitingFor } = run;
    if (waitingFor?.kind !== "approval" || asking === null) return resultOf(run);
    const step = waitingFor.step ?? "";
    const question = questionOf(waitingFor);
    if (asking === "by result") {
      return inputRequired({ requestState: `${runId}/${step}`, inputRequests: { approval: question } });
    }
    const { dismissed, end } = await asking(idOf({ tool: name, runId, step }), question);
    run = await followRun(caller, runId, call.watch, { step, dismissed }).finally(end);
    if (dismissed.reason instanceof Problem) throw dismissed.reason;
    if (run.waiting_for?.step === step) return resultOf(run);
  }
}

/** Most runs end within this time, and then one operation is all. A longer run is followed, and can be cancelled. */
const waitSeconds = 5;

async function runOf(caller: Caller, tool: PublishedTool, call: ToolCall): Promise<RunResponse> {
  const { earlier, watch } = call;
  if (earlier) {
    await approve(caller, tool, earlier);
    return followRun(caller, earlier.runId, watch);
  }
  const wish = { tool_id: tool.id, params: call.input };
  if (!watch.wantsProgress && call.asking === null) {
    const shortly = { ...wish, wait_seconds: waitSeconds };
    const text = await caller.call("tools/{tool_id}/trigger", shortly, call.idempotencyKey);
    if (text.length > resultLengthMax) return JSON.parse(await readRun(caller, runIdIn(text))) as RunResponse;
    const run = JSON.parse(text) as RunResponse;
    return hasEnded(run) ? run : followRun(caller, run.run_id, watch);
  }
  const begun = JSON.parse(await caller.call("tools/{tool_id}/trigger_async", wish, call.idempotencyKey));
  return followRun(caller, (begun as RunResponse).run_id, watch);
}

const readRun = (caller: Caller, runId: string): Promise<string> => caller.call("runs/{run_id}/get", { run_id: runId });
