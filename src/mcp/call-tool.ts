import { type CallToolResult, type InputRequiredResult, inputRequired, type Tool } from "@modelcontextprotocol/server";
import type { RegionContext } from "../calls/region-context.ts";
import { Problem } from "../kernel/problem.ts";
import type { Step } from "../systems/define.ts";
import { findStep, type SystemId } from "../systems/index.ts";
import { findPublished, type PublishedTool } from "../tools/tool-names.ts";
import type { Caller } from "./caller.ts";
import { followRun, type RunWatch } from "./follow-run.ts";
import { hasEnded, type RunState, refused, resultLengthMax, resultOf, tooLarge } from "./results.ts";
import { mayUse, toolOfPublished, toolOfStep, usableAccounts } from "./tools.ts";

export interface ToolCall {
  name: string;
  input: Record<string, unknown>;
  idempotencyKey: string | undefined;
  watch: RunWatch;
  /** The client can ask its person something. */
  canAsk: boolean;
  /** The run that an earlier round of this call began, and what the person said to it. */
  earlier: EarlierRound | null;
}

export interface EarlierRound {
  runId: string;
  approved: boolean | null;
}

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

function requireAllowed({ allowed }: Caller, tool: Tool): void {
  if (!mayUse(allowed, tool)) throw new Problem("tool_not_allowed");
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
  if (text.length <= resultLengthMax) return resultOf(JSON.parse(text) as RunState);
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
  const run = await runOf(caller, tool, call);
  const { waiting_for: waitingFor } = run;
  if (waitingFor?.kind !== "approval" || !call.canAsk) return resultOf(run);
  return inputRequired({
    // Not signed: with another run in it, a caller does what they may do without it.
    requestState: run.run_id,
    inputRequests: { approval: approvalOf(waitingFor) },
  });
}

/** Most runs end within this time, and then one operation is all. A longer run is followed, and can be cancelled. */
const waitSeconds = 5;

async function runOf(caller: Caller, tool: PublishedTool, call: ToolCall): Promise<RunState> {
  const { earlier, watch } = call;
  if (earlier) {
    if (earlier.approved !== null) await answer(caller, earlier.runId, earlier.approved);
    return followRun(caller, earlier.runId, watch);
  }
  const wish = { tool_id: tool.id, params: call.input };
  if (!watch.wantsProgress && !call.canAsk) {
    const shortly = { ...wish, wait_seconds: waitSeconds };
    const text = await caller.call("tools/{tool_id}/trigger", shortly, call.idempotencyKey);
    if (text.length > resultLengthMax) return JSON.parse(await readRun(caller, runIdIn(text))) as RunState;
    const run = JSON.parse(text) as RunState;
    return hasEnded(run) ? run : followRun(caller, run.run_id, watch);
  }
  const begun = JSON.parse(await caller.call("tools/{tool_id}/trigger_async", wish, call.idempotencyKey));
  return followRun(caller, (begun as RunState).run_id, watch);
}

const readRun = (caller: Caller, runId: string): Promise<string> => caller.call("runs/{run_id}/get", { run_id: runId });

/** A run that no longer waits was answered elsewhere: how it stands is the result. */
async function answer(caller: Caller, runId: string, approved: boolean): Promise<void> {
  await caller.call("runs/{run_id}/approve", { run_id: runId, approved }).catch((error) => {
    if (!(error instanceof Problem) || error.code !== "run_not_waiting") throw error;
  });
}

const approvalOf = ({ detail, request }: NonNullable<RunState["waiting_for"]>) =>
  inputRequired.elicit({
    message: request === undefined ? detail : `${detail}\n${JSON.stringify(request, null, 2).slice(0, 4000)}`,
    requestedSchema: {
      type: "object",
      properties: { approved: { type: "boolean", title: "Approve", description: "Whether the run may continue" } },
      required: ["approved"],
    },
  });
