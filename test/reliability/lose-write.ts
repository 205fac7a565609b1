import { expect } from "vitest";
import { type Platform, systemOfStep } from "../support/platform.ts";
import { analyticsRows } from "./lost-writes/analytics.ts";
import { deploymentRows } from "./lost-writes/deployment.ts";
import { marketingRows } from "./lost-writes/marketing.ts";
import type { End, LostWrite, Row } from "./write-case.ts";

/** Those whose writes the table lists. */
export type OurSystem = "marketing" | "deployment" | "analytics";

export const rowsOf: Record<OurSystem, Row[]> = {
  marketing: marketingRows,
  deployment: deploymentRows,
  analytics: analyticsRows,
};
export const titles: Record<OurSystem, string> = {
  marketing: "Marketing",
  deployment: "Deployment",
  analytics: "Analytics",
};
export const writesOf = (system: OurSystem): LostWrite[] => rowsOf[system].flatMap(({ writes }) => writes);

/** The first response was lost, or it was an error of the system. */
const words: readonly [End, RegExp][] = [
  ["found", /^The response was lost\. Signalbox checked the system: the write has happened\.$/],
  ["repeated", /^The first response was .*, so the request was sent again\. This is the response to the repeat\.$/],
  ["gone", /^The record is gone\. The first response was .*, so this call has probably deleted it\.$/],
];
const didNot = "The response was lost, and the system shows that the write did not happen.";

interface Sent {
  method: string;
  path: string;
}

export function sentBy(step: string, input: Record<string, unknown>): Sent {
  if (step === "create_deployment") return { method: "POST", path: "/v13/deployments" };
  if (step === "cancel_deployment") return { method: "PATCH", path: `/v12/deployments/${input.deployment_id}/cancel` };
  if (step === "create_properties") return { method: "POST", path: "/v1beta/properties" };
  if (step === "create_key_events") return { method: "POST", path: "/v1beta/properties/1000/keyEvents" };
  return { method: String(input.method), path: String(input.path ?? input.endpoint).replace(/^\/?/, "/") };
}

/** What becomes of a request on its way; the next one meets the next of these. */
export interface Loss {
  drop?: "before" | "after";
  half?: true;
  /** Answered so, once it was carried out if it is applied. */
  status?: number;
  body?: unknown;
  applied?: true;
}

/** How often the write was sent, and what came of it in the words of the table. */
export async function lose(platform: Platform, write: LostWrite, ...losses: [Loss, ...Loss[]]) {
  const { step, input, output, more } = write;
  const sandbox = platform.sandboxes[systemOfStep(step)];
  const given = (await input(platform)) as Record<string, unknown>;
  const match = sentBy(step, given);
  const count = async () => (await sandbox.requests(match.path)).filter(({ method }) => method === match.method).length;
  const before = await count();
  const isCarriedOut = losses[0].drop === "after" || losses[0].applied;
  if (more?.unreadable && isCarriedOut) {
    await sandbox.control("faults", { match: { method: "GET", path: more.unreadable(given) }, status: 403, body: {} });
  }
  for (const loss of losses) await sandbox.control("faults", { match, ...loss });
  const { body } = await platform.run(step, given);
  await sandbox.clearFaults();
  const end = endOf(body);
  if (output && (end === "found" || end === "repeated")) expect(body.output).toMatchObject(output);
  return { given, match, came: [(await count()) - before, end] as const };
}

// biome-ignore lint/suspicious/noExplicitAny: the body of a run
function endOf(body: any): End | object {
  if (body.status === "outcome_unknown") return "asked";
  if (body.status === "failed" && body.problem.detail === didNot) return "did not";
  const end = words.find(([, sentence]) => body.warnings.some((warning: string) => sentence.test(warning)))?.[0];
  return body.status === "succeeded" && end ? end : body;
}

export const nameOf = ({ method, path }: Sent): string => `${method} ${path}`;
export const systems = Object.entries(titles) as [OurSystem, string][];
