import { describe, expect, test } from "vitest";
import { problemsOf, useMarketingSteps } from "../../../../test/support/systems/marketing-steps.ts";

const sandbox = useMarketingSteps();
const { ids, call, get } = sandbox;

describe("all pages", () => {
  test("members of a list, 300 a page, each once", async () => {
    const { output, requests } = await get(`/rest/v1/lists/${ids.list_id}/leads.json`, { all_pages: true });
    const {
      items,
      pages,
      next_page_token: next,
    } = output as { items: { id: number }[]; pages: number; next_page_token: null };
    expect([new Set(items.map(({ id }) => id)).size, pages, next]).toEqual([1200, 4, null]);
    expect(requests[0]?.query).toEqual({ batchSize: 300 });
  });

  test("max_items ends it, and `after` continues", async () => {
    const endpoint = `/rest/v1/lists/${ids.list_id}/leads.json`;
    const first = await get(endpoint, { all_pages: true, max_items: 450 });
    const part = first.output as { items: { id: number }[]; next_page_token: string };
    const rest = (await get(endpoint, { after: part.next_page_token })).output as { items: { id: number }[] };
    expect([part.items.length, rest.items.length]).toEqual([450, 750]);
    expect(new Set([...part.items, ...rest.items].map(({ id }) => id)).size).toBe(1200);
  });

  test("assets by offset, to the end", async () => {
    const { output } = await get("/rest/asset/v1/emails.json?maxReturn=10", { all_pages: true });
    expect(output).toMatchObject({ items: { length: 29 }, pages: 3, next_page_token: null });
  });

  test("activities continue past empty pages, and end with a token for later", async () => {
    await sandbox.control("/limits", { activity_scan_rows: 2000 });
    const since = new Date(Date.now() - 40 * 86_400_000).toISOString();
    const query = { sinceDatetime: since, activityTypeIds: 9 };
    const { output, requests } = await get("/rest/v1/activities.json", { all_pages: true, query_parameters: query });
    const { newest_token: token, next_page_token: next } = output as { newest_token: string; next_page_token: null };
    expect(requests[0]?.path).toBe("/rest/v1/activities/pagingtoken.json");
    expect([next, typeof token]).toEqual([null, "string"]);
    const later = await get("/rest/v1/activities.json", {
      all_pages: true,
      query_parameters: { activityTypeIds: 9, nextPageToken: token },
    });
    expect(later.output).toMatchObject({ items: [] });
  });

  test("an absent result is empty, and the system's remark is a warning", async () => {
    expect((await get("/rest/asset/v1/program/byName.json?name=nothing", { all_pages: true })).output).toMatchObject({
      items: [],
    });
    expect((await get("/rest/asset/v1/program/byName.json?name=nothing")).warnings).toEqual([
      "No assets found for the given search criteria.",
    ]);
  });

  test("programs are filtered by type if the system ignores it", async () => {
    await sandbox.control("/limits", { undocumented_paths: false });
    const { output } = await get("/rest/asset/v1/programs.json?type=email", { all_pages: true });
    expect(output).toMatchObject({ items: { length: 8 } });
    const one = await get("/rest/asset/v1/programs.json?type=email");
    expect(one.warnings[0]).toMatch(/^\d+ programs of other types/);
  });
});

describe("pages that callers ask for themselves", () => {
  test("pages of assets above the system's maximum do not look like the end of the list", async () => {
    const whole = await get("/rest/asset/v1/programs.json", { all_pages: true });
    const all = await get("/rest/asset/v1/programs.json?maxReturn=1000", { all_pages: true });
    expect(all.requests[0]?.query).toMatchObject({ maxReturn: 200 });
    expect(all.output).toMatchObject({ items: (whole.output as { items: unknown[] }).items, next_page_token: null });
  });

  test("a resume token belongs to exactly its query", async () => {
    const input = { method: "GET", endpoint: "/rest/v1/lists.json", all_pages: true, max_items: 1 };
    const { output } = await call(input);
    const { next_page_token: after } = output as { next_page_token: string };
    expect(problemsOf({ ...input, after })).toEqual([]);
    expect(problemsOf({ ...input, query_parameters: { name: "Newsletter" }, after })).toEqual([
      ["after", expect.stringContaining("the same list")],
    ]);
  });
});
