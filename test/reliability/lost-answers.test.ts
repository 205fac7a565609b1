import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { adminMethods, alphaMethods } from "../../sandboxes/analytics/admin-api.ts";
import { routes as routesOfDeployment } from "../../sandboxes/deployment/api.ts";
import { routes as routesOfMarketing } from "../../sandboxes/marketing/routes.ts";
import { knownEndpoints as knownInAnalytics } from "../../src/systems/analytics/options/known-endpoints.ts";
import { effectOf as effectInAnalytics } from "../../src/systems/analytics/protocol/endpoints.ts";
import { knownEndpoints as knownInDeployment } from "../../src/systems/deployment/options/known-endpoints.ts";
import { findStep, steps } from "../../src/systems/index.ts";
import { knownEndpoints as knownInMarketing } from "../../src/systems/marketing/options/known-endpoints.ts";
import type { StepRequest } from "../../src/systems/work.ts";
import { startPlatform } from "../support/platform.ts";
import { lose, nameOf, type OurSystem, rowsOf, sentBy, systems, titles, writesOf } from "./lose-write.ts";
import type { Ends, Row } from "./write-case.ts";

/*
 * "Go through every write of all three systems: what does a repeat of it answer, and what does the caller learn? A table in the docs,
 * a test for each row." "Nothing that the system has applied is sent again where a look can tell." The table is docs/lost-answers.md;
 * each write of lost-writes/ is cut off here, before it arrives and after it was carried out, and sent a second time.
 */

test.each(systems)(
  "what a caller gets if the response to a write to %s is lost, and what a second one gets",
  async (system) => {
    const platform = await startPlatform("sqlite");
    const seen: [string, Ends | readonly unknown[]][] = [];
    const wanted: [string, Ends][] = [];
    for (const write of writesOf(system)) {
      const { given, match, came } = await lose(platform, write, { drop: "after" });
      seen.push([nameOf(match), came]);
      wanted.push([nameOf(match), write.ends]);
      // "The response to a repeat": what the system says to the same request once more.
      const { body } = await platform.run(write.step, given);
      expect(body, `${nameOf(match)} once more`).toMatchObject(write.repeat);
    }
    expect(seen).toEqual(wanted);
  },
  240_000,
);

test.each(systems)(
  "what a caller gets if a write to %s is cut off before it arrives",
  async (system) => {
    const platform = await startPlatform("sqlite", { settleSeconds: 0 });
    const seen: [string, readonly unknown[]][] = [];
    const wanted: [string, Ends][] = [];
    for (const write of writesOf(system)) {
      const { match, came } = await lose(platform, write, { drop: "before" });
      seen.push([nameOf(match), came]);
      wanted.push([nameOf(match), write.before]);
    }
    expect(seen).toEqual(wanted);
  },
  240_000,
);

// "Learn each system's clock from its `Date` header": what the records show does not depend on ours.
test.each(systems)(
  "nothing of that changes if the clock of %s is ten minutes behind",
  async (system) => {
    const platform = await startPlatform("sqlite");
    const tenMinutesAgo = new Date(Date.now() - 600_000).toISOString();
    await platform.sandboxes[system].control("clock", { now: tenMinutesAgo });
    const seen: [string, readonly unknown[]][] = [];
    const wanted: [string, Ends][] = [];
    for (const write of writesOf(system)) {
      const { match, came } = await lose(platform, write, { drop: "after" });
      seen.push([nameOf(match), came]);
      wanted.push([nameOf(match), write.ends]);
    }
    expect(seen).toEqual(wanted);
  },
  240_000,
);

/** A kind of request: `{id}` or `*` stands for anything within one segment. */
type Kind = [method: string, path: string];
const isWrite = ([method]: Kind): boolean => method !== "GET";
const analyticsKinds = Object.entries({ ...adminMethods, ...alphaMethods })
  .filter(([, { isWrite }]) => isWrite)
  .map(([name]) => name.split(" ") as Kind);

/** The writes that forms and documents offer, and those that a sandbox serves. */
const kindsOf: Record<OurSystem, Kind[]> = {
  marketing: [
    ...knownInMarketing.map(({ method, endpoint }): Kind => [method, endpoint]),
    ...routesOfMarketing.map(({ method, path }): Kind => [method, path]),
  ].filter(isWrite),
  deployment: [
    ...knownInDeployment.map(({ method, path }): Kind => [method, path]),
    ...routesOfDeployment.map(({ method, path }): Kind => [method, `/v*${path}`]),
  ].filter(isWrite),
  analytics: [
    ...knownInAnalytics
      .filter(({ method, endpoint }) => effectInAnalytics(method, `/${endpoint}`) !== "read")
      .map(({ method, endpoint }): Kind => [method, `/${endpoint}`]),
    ...analyticsKinds.map(([method, path]): Kind => [method, `/v1*/${path}`]),
  ],
};

const apiCall: Record<OurSystem, [step: string, where: string]> = {
  marketing: ["marketing_api_call", "endpoint"],
  deployment: ["deployment_api_call", "path"],
  analytics: ["analytics_api_call", "endpoint"],
};

/** What the step would send; null if it refuses the request. */
function requestOf(system: OurSystem, method: string, path: string): StepRequest | null {
  const [id, where] = apiCall[system];
  const step = findStep(id);
  const parsed = step?.input.safeParse({ method, [where]: system === "analytics" ? path.slice(1) : path });
  if (!step || !parsed?.success) return null;
  const work = step.work(parsed.data, { intentId: "run_1", now: new Date(), identity: { label: "" } });
  return work.next().value as StepRequest;
}

const placeholder = /\{\w+\}|\*/g;
const fits = ([method, path]: Kind, request: string): boolean => {
  const literals = path.split(placeholder).map((text) => text.replace(/[.:]/g, "\\$&"));
  return new RegExp(`^${method} ${literals.join("[^/:]+")}$`).test(request);
};

const table = readFileSync(new URL("../../docs/lost-answers.md", import.meta.url), "utf8");
const inTable = [...table.matchAll(/^\| (Marketing|Deployment|Analytics) \| (.*?) \| .* \| (.*) \| .* \|$/gm)];

test.each(systems)(
  "every write of %s that a step can send is in a row, which says whether it is repeated",
  async (system) => {
    const platform = await startPlatform("sqlite");
    const covered = rowsOf[system].flatMap(({ also }) => also);
    for (const { step, input } of writesOf(system)) {
      covered.push(nameOf(sentBy(step, (await input(platform)) as Record<string, unknown>)));
    }
    const canSend = ([method, path]: Kind) =>
      requestOf(system, method, path.replace("/v*", "/v1").replace("/v1*", "/v1beta").replace(placeholder, "1")) !==
      null;
    const missing = kindsOf[system].filter((kind) => canSend(kind) && !covered.some((each) => fits(kind, each)));
    expect(missing).toEqual([]);

    for (const { row, also } of rowsOf[system]) {
      const does = inTable.find(([, title, write]) => title === titles[system] && write === row)?.[3] ?? "";
      const unlike = also.filter((each) => {
        const [method = "", path = ""] = each.split(" ");
        return requestOf(system, method, path)?.idempotent !== does.includes("repeats");
      });
      expect(unlike, `${row}: ${does}`).toEqual([]);
    }
  },
);

test("every row of the table has a test, every test has a row, and every step that writes has both", () => {
  expect(inTable.map(([, system, write]) => `${system}: ${write}`)).toEqual(
    systems.flatMap(([system, title]) => rowsOf[system].map(({ row }) => `${title}: ${row}`)),
  );
  const isRepeated = ({ writes }: Row) => writes.some(({ before: [, end] }) => end === "repeated");
  expect(inTable.map(([, , , does = ""]) => does.includes("repeats"))).toEqual(
    systems.flatMap(([system]) => rowsOf[system].map(isRepeated)),
  );
  const tests = new Set(systems.flatMap(([system]) => writesOf(system).map(({ step }) => step)));
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

test("an instance without the path has deleted nothing: a repeat that finds only that asks a person", async () => {
  const platform = await startPlatform("sqlite");
  const { marketing } = platform.sandboxes;
  const asset = `/rest/asset/v1/staticList/${marketing.ids.list_id}`;
  const match = { method: "POST", path: `${asset}/delete.json` };
  const body = { success: false, errors: [{ code: "610", message: "Requested resource not found" }] };
  await marketing.control("faults", { match: { method: "GET", path: `${asset}.json` }, body, times: 2 });
  await marketing.control("faults", { match, drop: "before" });
  await marketing.control("faults", { match, body });
  const { body: run } = await platform.run("marketing_api_call", { method: "POST", endpoint: match.path });
  expect([run.status, run.warnings]).toEqual(["outcome_unknown", []]);
});
