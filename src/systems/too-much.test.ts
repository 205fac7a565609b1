import { describe, expect, test } from "vitest";
import { sentThen } from "../../test/support/systems/sent-then.ts";
import { readReport } from "./analytics/protocol/report-answer.ts";
import { readReach } from "./analytics/sign-in/reach.ts";
import { readDeployment } from "./deployment/protocol/platform-records.ts";
import { namedProjects } from "./deployment/sign-in/projects.ts";
import { listTeams } from "./deployment/sign-in/teams.ts";
import { listDeployments } from "./deployment/steps/list-deployments.ts";
import { emptyAnswer } from "./drive.ts";
import { marketingApiCall } from "./marketing/steps/marketing-api-call.ts";
import { pageRowsIn } from "./read-pages.ts";
import { type Endpoint, textIn } from "./sign-in.ts";
import type { Answer } from "./work.ts";

/**
 * "Nothing that an external system chooses may take more than 50 ms of the event loop." A server of a stranger may answer 10 MB to every
 * request: no two lists of an answer multiply, and of a list as many rows are read as were asked for.
 * `test/attacks/hostile-systems.test.ts` measures it.
 */

const answer = (body: unknown): Answer => ({ ...emptyAnswer, status: 200, body });
const many = <T>(count: number, each: T): T[] => Array.from({ length: count }, () => each);
const identity = { label: "x" };
const endpoint: Endpoint = { instance: "custom", addresses: { main: "a", admin: "a" }, client: null, isTyped: true };

/** What a generator returns whose every request is answered so. */
function finish<T>(work: Generator<unknown, T, Answer>, body: unknown): T {
  let next = work.next();
  while (!next.done) next = work.next(answer(body));
  return next.value;
}

describe("a system that answers too much", () => {
  test("cannot make a report of more columns than a report has", () => {
    const headers = many(50_000, null).map((_, index) => ({ name: `c${index}` }));
    const cells = many(50_000, { value: "1" });
    const body = { dimensionHeaders: headers, metricHeaders: headers, rows: [{ dimensionValues: cells }] };
    const { rows, toRow } = readReport(body, 10);
    expect(rows).toHaveLength(1);
    expect(Object.keys(toRow(rows[0]))).toHaveLength(20);
  });

  test("is refused when a page has many times the rows that were asked for", () => {
    expect(pageRowsIn(many(1000, {}), 100)).toHaveLength(1000);
    expect(() => pageRowsIn(many(1001, {}), 100)).toThrow("returned 1001 rows where 100 were asked for");
    const work = listDeployments.work({}, { intentId: "int_1", now: new Date(), identity });
    expect(() => finish(work, { deployments: many(1001, {}) })).toThrow("1001 rows");
  });

  test("cannot fill an account's identity: lists and texts of a sign-in are cut", () => {
    const bearer = { token: "t", endpoint };
    expect(finish(listTeams(bearer), { teams: many(5000, { id: "team_1" }) })).toHaveLength(100);
    expect(textIn({ name: "x".repeat(32_769) }, "name")).toBeUndefined();
    const accounts = many(5000, { account: "accounts/1", propertySummaries: many(500, { property: "properties/1" }) });
    const reach = finish(readReach("t", endpoint), { accountSummaries: accounts, nextPageToken: "more" });
    expect([reach.accounts.length, reach.properties.length]).toEqual([200, 20_000]);
  });

  test("names a hundred thousand projects in linear time", () => {
    const ids = many(100_000, null).map((_, index) => `prj_${index}`);
    const listed = ids.map((id) => ({ id, name: `${id} by name`, ownerId: null }));
    const { user } = process.threadCpuUsage();
    expect(namedProjects(ids, listed)[99_999]?.name).toBe("prj_99999 by name");
    // One by one, they took half a minute.
    expect((process.threadCpuUsage().user - user) / 1000).toBeLessThan(3000);
  });

  test("is not believed about a write whose response was lost, if many records look like it", () => {
    const input = { email: "ada@example.com" };
    const wish = { method: "POST", endpoint: "/rest/v1/leads.json", body: { input: [input] } };
    const lookUp = (leads: object[]) => {
      const context = { intentId: "int_1", now: new Date(), identity, ...sentThen() };
      const work = marketingApiCall.reconcile?.(marketingApiCall.input.parse(wish), context);
      if (!work) throw new Error("It has no way to look.");
      return finish(work, { success: true, result: leads });
    };
    expect(lookUp(many(10, input))).toMatchObject({ output: expect.anything() });
    expect(lookUp(many(11, input))).toBe("cannot tell");
    expect(lookUp(many(3001, { email: "bob@example.com" }))).toBe("cannot tell");
  });

  test("may write times that no date can have", () => {
    expect(readDeployment({ uid: "dpl_1", createdAt: 1e20 })).toMatchObject({ created_at: "" });
  });
});
