import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { knownEndpoints as knownInAnalytics } from "../../src/systems/analytics/options/known-endpoints.ts";
import { effectOf as effectInAnalytics } from "../../src/systems/analytics/protocol/endpoints.ts";
import { knownEndpoints as knownInDeployment } from "../../src/systems/deployment/options/known-endpoints.ts";
import { steps } from "../../src/systems/index.ts";
import { knownEndpoints as knownInMarketing } from "../../src/systems/marketing/options/known-endpoints.ts";
import { type Platform, startPlatform, systemOfStep } from "../support/platform.ts";
import { analyticsWrites } from "./lost-writes/analytics.ts";
import { deploymentWrites } from "./lost-writes/deployment.ts";
import { marketingWrites } from "./lost-writes/marketing.ts";
import type { End, LostWrite } from "./write-case.ts";

/*
 * "Go through every write of all three systems: what does a repeat of it answer, and what does the caller learn? A table in the docs,
 * a test for each row." "Nothing that the system has applied is sent again where a look can tell." The table is docs/lost-answers.md;
 * each write of lost-writes/ is carried out here, and its answer is cut off.
 */

const words: Record<Exclude<End, "asked">, string> = {
  found: "The response was lost. Signalbox checked the system: the write has happened.",
  repeated: "The first response was lost, so the request was sent again. This is the response to the repeat.",
  gone: "The record is gone. The first response was lost, so this call has probably deleted it.",
};

interface Sent {
  method: string;
  path: string;
}

function sentBy(step: string, input: Record<string, unknown>): Sent {
  if (step === "create_deployment") return { method: "POST", path: "/v13/deployments" };
  if (step === "cancel_deployment") return { method: "PATCH", path: `/v12/deployments/${input.deployment_id}/cancel` };
  if (step === "create_properties") return { method: "POST", path: "/v1beta/properties" };
  if (step === "create_key_events") return { method: "POST", path: "/v1beta/properties/1000/keyEvents" };
  return { method: String(input.method), path: String(input.path ?? input.endpoint).replace(/^\/?/, "/") };
}

interface Learned {
  match: Sent;
  came: [times: number, End | object];
}

/** Carried out, its answer cut off: what came of it, in the words of the table. */
async function lose(platform: Platform, { step, input, output }: LostWrite): Promise<Learned> {
  const sandbox = platform.sandboxes[systemOfStep(step)];
  const given = (await input(platform)) as Record<string, unknown>;
  const match = sentBy(step, given);
  const count = async () => (await sandbox.requests(match.path)).filter(({ method }) => method === match.method).length;
  const before = await count();
  await sandbox.control("faults", { match, drop: "after" });
  const { body } = await platform.run(step, given);
  const times = (await count()) - before;
  if (body.status === "outcome_unknown") return { match, came: [times, "asked"] };
  const end = (Object.keys(words) as (keyof typeof words)[]).find((each) => body.warnings.includes(words[each]));
  if (body.status !== "succeeded" || end === undefined) return { match, came: [times, body] };
  if (output) expect(body.output).toMatchObject(output);
  return { match, came: [times, end] };
}

type Offered = [method: string, endpoint: string];
const isWrite = ([method]: Offered): boolean => method !== "GET";

/** The writes that forms and documents offer. */
const offered: Record<string, Offered[]> = {
  marketing: knownInMarketing.map(({ method, endpoint }): Offered => [method, endpoint]).filter(isWrite),
  deployment: knownInDeployment.map(({ method, path }): Offered => [method, path]).filter(isWrite),
  analytics: knownInAnalytics
    .filter(({ method, endpoint }) => effectInAnalytics(method, `/${endpoint}`) !== "read")
    .map(({ method, endpoint }): Offered => [method, `/${endpoint}`]),
};

const fits = ([method, endpoint]: Offered, sent: Sent): boolean =>
  method === sent.method &&
  new RegExp(`^${endpoint.replace(/\{\w+\}/g, "[^/]+").replaceAll(".", "\\.")}$`).test(sent.path);

test.each([
  ["Marketing", marketingWrites],
  ["Deployment", deploymentWrites],
  ["Analytics", analyticsWrites],
])(
  "what a caller gets if the response to a write to %s is lost",
  async (title, writes) => {
    const platform = await startPlatform("sqlite");
    const learned: Learned[] = [];
    for (const write of writes) learned.push(await lose(platform, write));
    const shown = learned.map(({ match, came }) => [`${match.method} ${match.path}`, ...came]);
    expect(shown).toEqual(writes.map(({ ends }, index) => [shown[index]?.[0], ...ends]));

    const untested = (offered[title.toLowerCase()] ?? []).filter(
      (each) => !learned.some(({ match }) => fits(each, match)),
    );
    expect(untested).toEqual([]);
  },
  120_000,
);

test("every row of the table has a test, every test has a row, and every step that writes has both", () => {
  const table = readFileSync(new URL("../../docs/lost-answers.md", import.meta.url), "utf8");
  const rows = [...table.matchAll(/^\| (Marketing|Deployment|Analytics) \| (.*?) \| .* \| .* \| .* \|$/gm)];
  const tested = Object.entries({
    Marketing: marketingWrites,
    Deployment: deploymentWrites,
    Analytics: analyticsWrites,
  });
  expect(rows.map(([, system, write]) => `${system}: ${write}`)).toEqual([
    ...new Set(tested.flatMap(([system, writes]) => writes.map(({ row }) => `${system}: ${row}`))),
  ]);
  const tests = new Set(tested.flatMap(([, writes]) => writes.map(({ step }) => step)));
  expect(steps.filter(({ id, effect }) => effect !== "read" && !tests.has(id)).map(({ id }) => id)).toEqual([]);
});

test.each(["before", "after"])("a key event of long before is nobody's success: cut off %s the write", async (drop) => {
  const platform = await startPlatform("sqlite");
  const { analytics } = platform.sandboxes;
  const path = "/v1beta/properties/1000/keyEvents";
  await analytics.control("faults", { match: { method: "POST", path }, drop });
  const input = { property_id: "1000", event_name: "generate_lead", counting_method: "ONCE_PER_SESSION" };
  const { body } = await platform.run("create_key_events", input);
  // The same end as if no response had been lost.
  expect(body).toMatchObject({ status: "failed", problem: { code: "conflict_there" } });
  expect(body.problem.detail).toContain(`${path.replace("/v1beta/", "")}/71`);
  expect((await analytics.requests(path)).filter(({ method }) => method === "POST")).toHaveLength(1);
});
