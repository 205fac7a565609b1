import { hash } from "node:crypto";
import { canonicalJson } from "../kernel/strict-json.ts";
import type { LimitState } from "../limits/limits.ts";
import type { Failure, StepRequest } from "../systems/work.ts";
import { needsReconnect } from "../vault/vault.ts";
import { envelopeOf } from "./address-request.ts";
import { verdictOn } from "./enforce-policy.ts";
import type { Verdict } from "./policy.ts";
import type { Attempt, StepCall, StepPorts } from "./ports.ts";
import { shownRequest } from "./record-attempts.ts";

export interface Preview {
  request: Attempt["request"];
  effect: StepRequest["effect"];
  policy: Verdict;
  limits: (LimitState & Record<string, unknown>)[];
  cost: { calls: number; tokens?: number; note?: string };
  warnings: string[];
  /** Why the call would end before anything is sent, as far as that is known now. */
  problem?: Failure;
}

/** Shows what would be sent, and sends nothing. If the request depends on a lookup, it says so. */
export async function previewStep(call: StepCall, ports: Pick<StepPorts, "limits" | "now">): Promise<Preview> {
  const { step, connection } = call;
  const request = step.system.complete(mainRequest(call), connection.identity);
  const envelope = envelopeOf(request, connection);
  const demands = step.system.demands(request, envelope.origin, connection);
  return {
    request: shownRequest(request, envelope),
    effect: request.effect,
    policy: await verdictOn(request, step.system, connection, null),
    limits: (await ports.limits.states(demands, connection)) as Preview["limits"],
    cost: step.cost?.(call.input) ?? { calls: 1 },
    warnings: [...(step.warningsOf?.(call.input) ?? [])],
    ...(connection.state === "connected" ? {} : { problem: needsReconnect(connection.state, connection.stateReason) }),
  };
}

/** What will be sent, with the credential masked. */
export function previewRequest(call: StepCall): Attempt["request"] {
  const request = call.step.system.complete(mainRequest(call), call.connection.identity);
  return shownRequest(request, envelopeOf(request, call.connection));
}

/** Equal for equal requests, to the last byte of the body. */
export function fingerprintOf(call: StepCall): string {
  const { step, connection } = call;
  const request = step.system.complete(mainRequest(call), connection.identity);
  const { origin, target, body } = envelopeOf(request, connection);
  return hash("sha256", canonicalJson({ method: request.method, origin, target, body }), "hex");
}

function mainRequest({ step, input, context }: StepCall): StepRequest {
  if (step.preview) return step.preview(input, context);
  const first = step.work(input, context).next();
  if (first.done || !("method" in first.value)) throw new Error(`The step ${step.id} begins with no request.`);
  return first.value;
}
