import { hash } from "node:crypto";
import { canonicalJson } from "../../kernel/strict-json.ts";
import { callOf } from "../../runs/engine/call-step.ts";
import { newRecord, wholeStep } from "../../runs/journal/new-record.ts";
import type { RunContext } from "../../runs/outcome/ports.ts";
import type { StepDone } from "../../runs/outcome/step-result.ts";
import { fingerprintOf, previewRequest } from "../../steps/preview.ts";
import { findStep } from "../../systems/index.ts";
import type { ToolStep } from "../../tools/definition.ts";
import { redact } from "../../transport/redact.ts";
import type { Ability } from "./plan.ts";

/** Asks a person to approve, and shows the exact request of the call, or the tool and its params. */
export async function askApproval(
  context: RunContext,
  position: number,
  name: string,
  ability: Ability,
  input: unknown,
): Promise<StepDone> {
  const message = `The agent wants to use ${ability.name}.`;
  const record = newRecord(context, position, { name: `${name}_approval`, stepId: "approve", input: { message } });
  const shown =
    ability.kind === "tool"
      ? shownTool(ability, input)
      : await shownRequest(context, { name, ability, input }, { position: position + 1, startedAt: record.startedAt });
  return {
    kind: "waits",
    record: { ...record, status: "waiting", output: { message, ...shown } },
    waitingFor: { kind: "approval", step: record.name, detail: message, request: shown.request },
    runAt: null,
  };
}

interface Shown {
  request: unknown;
  fingerprint?: string;
}

export const toolStepOf = (name: string, ability: Extract<Ability, { kind: "step" }>): ToolStep => ({
  name,
  step: ability.step,
  connection_id: ability.connectionId,
  input: {},
});

/** `callStep` compares the fingerprint with what it is about to send. It also handles a missing connection. */
async function shownRequest(
  context: RunContext,
  { name, ability, input }: { name: string; ability: Extract<Ability, { kind: "step" }>; input: unknown },
  { position, startedAt }: { position: number; startedAt: string },
): Promise<Shown> {
  const step = findStep(ability.step);
  const connection = await context.ports.vault.find(context.run.projectId, ability.connectionId);
  const parsed = step?.input.safeParse(input);
  if (!step || !connection || !parsed?.success) return { request: { step: ability.step, input: redact(input, []) } };
  const next = { position, turn: wholeStep, startedAt, written: [] };
  const call = callOf(context, toolStepOf(name, ability), { step, connection, input: parsed.data }, next);
  return { request: previewRequest(call), fingerprint: fingerprintOf(call) };
}

/** The run stores the definition and the journal the params, and neither changes any more. */
const shownTool = ({ tool }: Extract<Ability, { kind: "tool" }>, params: unknown): Shown => ({
  request: {
    tool_id: tool.id,
    tool_version: tool.version,
    title: tool.definition.title,
    params: redact(params, []),
    definition_sha256: hash("sha256", canonicalJson(tool.definition), "hex"),
  },
});
