import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type OpenMarketing, openMarketing } from "../testing/open-marketing.ts";
import { expectShape } from "../testing/shapes.ts";

const membership = {
  progressionStatus: "string",
  isExhausted: "boolean",
  acquiredBy: "boolean",
  reachedSuccess: "boolean",
  membershipDate: "leadTime",
};

describe("members of a program", () => {
  let marketing: OpenMarketing;
  let program: number;
  beforeAll(async () => {
    marketing = await openMarketing();
    program = marketing.ids.email_program_id ?? 0;
  });
  beforeEach(() => marketing.reset());
  afterAll(() => marketing.stop());

  const members = async (filterType: string, filterValues: string | number, more = "") =>
    marketing.get(
      `/rest/v1/programs/${program}/members.json?filterType=${filterType}&filterValues=${filterValues}${more}`,
    );

  test("are those who got its e-mails, found by status, lead or success, page by page", async () => {
    const { result, nextPageToken } = await members(
      "statusName",
      "Sent,Opened,Clicked",
      "&fields=statusName&batchSize=300",
    );
    expectShape(result, [
      {
        seq: "integer",
        leadId: "integer",
        statusName: "string",
        reachedSuccess: "boolean",
        programId: "integer",
        acquiredBy: "boolean",
        membershipDate: "leadTime",
      },
    ]);
    expect(new Set(result.map(({ statusName }) => statusName)).size).toBeGreaterThan(1);
    for (const { statusName, reachedSuccess } of result) expect(reachedSuccess).toBe(statusName === "Clicked");
    const lead = result.at(-1)?.leadId as number;
    expect((await members("leadId", lead)).result).toMatchObject([{ seq: 0, leadId: lead, programId: program }]);
    if (nextPageToken) {
      const next = await members("statusName", "Sent,Opened,Clicked", `&nextPageToken=${nextPageToken}`);
      expect(next.result[0]?.leadId).toBeGreaterThan(lead);
    }
    // As many people as its e-mails were sent to, or fewer: some got two.
    const [{ sent } = { sent: 0 }] = (await marketing.get(`/rest/asset/v1/program/${program}/stats.json`)).result;
    expect(result.length).toBeLessThanOrEqual(Number(sent));
  });

  test("join by a call, move on, and leave", async () => {
    const leadId = (await marketing.post("/rest/v1/leads.json", { input: [{ email: "new@example.com" }] })).result[0]
      ?.id;
    const path = `/rest/v1/programs/${program}/members`;
    const sync = (statusName: string, ...ids: unknown[]) =>
      marketing.post(`${path}/status.json`, { statusName, input: ids.map((id) => ({ leadId: id })) });
    expect((await sync("Opened", leadId, 1)).result).toEqual([
      { seq: 0, leadId, status: "updated" },
      { seq: 1, leadId: 1, status: "skipped", reasons: [{ code: "1004", message: "Lead not found" }] },
    ]);
    const old = { status: "Clicked", input: [{ id: leadId }] };
    expect((await marketing.post(`/rest/v1/leads/programs/${program}/status.json`, old)).result).toEqual([
      { id: leadId, status: "Clicked" },
    ]);
    const { result } = await marketing.get(`/rest/v1/leads/${leadId}/programMembership.json`);
    expectShape(result, [{ id: "integer", ...membership, updatedAt: "leadTime" }]);
    expect(result).toMatchObject([{ id: program, progressionStatus: "Clicked", reachedSuccess: true }]);
    const removed = { input: [{ leadId }] };
    expect((await marketing.post(`${path}/delete.json`, removed)).result).toMatchObject([{ status: "deleted" }]);
    expect((await marketing.post(`${path}/delete.json`, removed)).result).toMatchObject([{ status: "skipped" }]);
    expect((await members("leadId", leadId as number)).result).toEqual([]);
  });

  test("are the leads that were pushed in its name", async () => {
    const input = [{ email: "pushed@example.com" }];
    const pushed = { programName: "Website", programStatus: "Imported", lookupField: "email", input };
    const [{ id } = {}] = (await marketing.post("/rest/v1/leads/push.json", pushed)).result;
    const found = (await marketing.get("/rest/v1/leads/programs/1009.json?fields=email")).result;
    const lead = found.find((row) => row.id === id);
    expectShape(lead, { id: "integer", email: "string", membership: { id: "integer", ...membership } });
    expect(lead).toMatchObject({
      membership: { progressionStatus: "Imported", acquiredBy: true, reachedSuccess: true },
    });
  });

  test("are described, and bad questions are refused", async () => {
    const [described] = (await marketing.get("/rest/v1/programs/members/describe.json")).result;
    expect(described).toMatchObject({ searchableFields: expect.arrayContaining([["statusName"]]) });
    const path = `/rest/v1/programs/${program}/members`;
    const codeOf = (method: string, at: string, json?: unknown) =>
      marketing.codeOf(method, at, json === undefined ? {} : { json });
    expect(await codeOf("GET", "/rest/v1/programs/1/members.json?filterType=leadId&filterValues=1")).toBe("1013");
    expect(await codeOf("GET", `${path}.json?filterType=leadId`)).toBe("1002");
    expect(await codeOf("GET", `${path}.json?filterType=shoeSize&filterValues=1`)).toBe("1011");
    const input = [{ leadId: marketing.ids.lead_id }];
    expect(await codeOf("POST", `${path}/status.json`, { statusName: "Attended", input })).toBe("1003");
    expect(await codeOf("POST", `${path}/status.json`, { statusName: "Sent" })).toBe("1002");
    expect(await codeOf("POST", `${path}/status.json`, { input })).toBe("1002");
  });
});
