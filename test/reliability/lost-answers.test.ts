import { expect, test } from "vitest";
import { type Platform, startPlatform, systemOfStep } from "../support/platform.ts";
import { lostWrites } from "./lost-writes.ts";
import type { End, LostWrite } from "./write-case.ts";

/*
 * "Go through every write of all three systems: what does a repeat of it answer, and what does the caller learn? A table in the docs,
 * a test for each row." The table is docs/lost-answers.md; each write of lost-writes.ts is carried out here, and its answer is cut off.
 */

const words: Record<Exclude<End, "asked">, string> = {
  found: "The response was lost. Signalbox checked the system: the write has happened.",
  repeated: "The first response was lost, so the request was sent again. This is the response to the repeat.",
  gone: "The record is gone. The first response was lost, so this call has probably deleted it.",
};

const sentBy = (step: string, input: Record<string, unknown>): { method: string; path: string } => {
  if (step === "create_deployment") return { method: "POST", path: "/v13/deployments" };
  if (step === "cancel_deployment") return { method: "PATCH", path: `/v12/deployments/${input.deployment_id}/cancel` };
  if (step === "create_properties") return { method: "POST", path: "/v1beta/properties" };
  if (step === "create_key_events") return { method: "POST", path: "/v1beta/properties/1000/keyEvents" };
  return { method: String(input.method), path: String(input.path ?? input.endpoint).replace(/^\/?/, "/") };
};

/** Carried out, its answer cut off: what came of it, in the words of the table. */
async function lose(platform: Platform, { step, input, output }: LostWrite): Promise<[number, End | object]> {
  const sandbox = platform.sandboxes[systemOfStep(step)];
  const given = (await input(platform)) as Record<string, unknown>;
  const match = sentBy(step, given);
  const count = async () => (await sandbox.requests(match.path)).filter(({ method }) => method === match.method).length;
  const before = await count();
  await sandbox.control("faults", { match, drop: "after" });
  const { body } = await platform.run(step, given);
  const times = (await count()) - before;
  if (body.status === "outcome_unknown") return [times, "asked"];
  const end = (Object.keys(words) as (keyof typeof words)[]).find((each) => body.warnings.includes(words[each]));
  if (body.status !== "succeeded" || end === undefined) return [times, body];
  if (output) expect(body.output).toMatchObject(output);
  return [times, end];
}

test.each(["marketing", "deployment", "analytics"])(
  "what a caller gets if the response to a write to %s is lost",
  async (system) => {
    const platform = await startPlatform("sqlite");
    const chosen = lostWrites.filter(({ step }) => systemOfStep(step) === system);
    const learned: unknown[] = [];
    for (const row of chosen) learned.push([row.write, ...(await lose(platform, row))]);
    expect(learned).toEqual(chosen.map(({ write, ends }) => [write, ...ends]));
  },
  60_000,
);
