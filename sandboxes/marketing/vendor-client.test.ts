import { createRequire } from "node:module";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import {
  type Credentials,
  type Envelope,
  type OpenMarketing,
  openMarketing,
  type Row,
} from "./testing/open-marketing.ts";
import { type Check, expectShape, shapes } from "./testing/shapes.ts";

/** What the tests use of the vendor's client, which brings no types: a page that can fetch the next. */
interface Page extends Envelope {
  nextPage?: () => Promise<Page>;
}
type Calls = Record<string, (...inputs: unknown[]) => Promise<Page>>;
type Room = "lead" | "list" | "campaign" | "email" | "activities" | "stats" | "landingPage" | "smartList";
type Client = Record<Room, Calls> & {
  bulkLeadExtract: Calls;
  getOAuthToken(): Promise<Row>;
  /** How its methods send; the client has none for paths that the vendor does not publish. */
  _connection: { get(path: string): Promise<Page> };
};
const NodeMarketo = createRequire(import.meta.url)("node-marketo-rest") as new (options: object) => Client;

describe("the vendor's client works against the sandbox", () => {
  let marketing: OpenMarketing;
  let client: Client;
  beforeAll(async () => {
    marketing = await openMarketing();
    client = connect(marketing.description.credentials);
  });
  beforeEach(() => marketing.reset());
  afterAll(() => marketing.stop());

  // The longer wait is the one after a 606, and the client insists that it be the longer one.
  function connect({ client_id, client_secret }: Credentials, maxRetries = 3): Client {
    return new NodeMarketo({
      endpoint: `${marketing.url}/rest`,
      identity: `${marketing.url}/identity`,
      clientId: client_id,
      clientSecret: client_secret,
      retry: { maxRetries, initialDelay: 5, maxDelay: 30 },
    });
  }

  async function readPages(first: Promise<Page>, row: Check): Promise<Row[]> {
    const rows: Row[] = [];
    for (let page: Page | undefined = await first; page; page = await page.nextPage?.()) {
      expectShape(page.result, [row]);
      rows.push(...page.result);
    }
    return rows;
  }

  const logged = async () => {
    const { requests } = await marketing.control<{ requests: { path: string }[] }>("/requests");
    return requests.map(({ path }) => path);
  };

  test("token, leads by filter and by id, and a sync of several", async () => {
    expectShape(await client.getOAuthToken(), shapes.token);
    const found = await client.lead.find?.("email", [marketing.ids.lead_email], { fields: ["id", "email", "seats"] });
    expectShape(found?.result, [{ id: "integer", email: "string", seats: "integer" }]);
    const rows = [
      { email: "client@example.com", firstName: "C" },
      { email: "client2@example.com", seats: "none" },
    ];
    const synced = await client.lead.createOrUpdate?.(rows, { lookupField: "email" });
    expectShape(synced?.result, [shapes.rowResult]);
    expect(synced?.result.map(({ status }) => status)).toEqual(["created", "skipped"]);
    const one = await client.lead.byId?.(marketing.ids.lead_id);
    expectShape(one?.result, [shapes.defaultLead]);
    expectShape((await client.lead.describe?.())?.result, [shapes.field]);
  });

  test("leads are pushed, tied to a cookie and merged, with the company that they work for", async () => {
    const rows = [{ email: "pushed@example.com", company: "Acme", industry: "Optics" }, { email: "twin@example.com" }];
    const pushed = await client.lead.push?.(rows, { programName: "Website", lookupField: "email" });
    expect(pushed?.result.map(({ status }) => status)).toEqual(["created", "created"]);
    const [winner, loser] = pushed?.result.map(({ id }) => id) ?? [];
    expect((await client.lead.associateLead?.(winner, "id:1&token:_mch-1"))?.success).toBe(true);
    expect((await client.lead.mergeLead?.(winner, [loser], {}))?.success).toBe(true);
    const found = await client.lead.find?.("id", [winner, loser], { fields: ["company", "cookies"] });
    expect(found?.result).toEqual([{ id: winner, company: "Acme", cookies: "_mch-1" }]);
  });

  test("smart lists are found and read", async () => {
    expect((await client.smartList.find?.({ maxReturn: 5 }))?.result).toHaveLength(2);
    expect((await client.smartList.byId?.(2001, { includeRules: true }))?.result).toMatchObject([{ id: 2001 }]);
  });

  test("lists and their members, page after page", async () => {
    const lists = await readPages(client.list.find?.({ batchSize: 5 }) as Promise<Page>, shapes.list);
    expect(lists).toHaveLength(12);
    const pages = client.list.getLeads?.(marketing.ids.list_id, { batchSize: 300 }) as Promise<Page>;
    const members = await readPages(pages, shapes.defaultLead);
    expect(new Set(members.map(({ id }) => id)).size).toBe(1200);
  });

  test("adding to a list, asking, and removing", async () => {
    const { empty_list_id: list, lead_id: lead } = marketing.ids;
    expect((await client.list.addLeadsToList?.(list, [lead]))?.result).toEqual([{ id: lead, status: "added" }]);
    expect((await client.list.isMember?.(list, [lead]))?.result).toEqual([{ id: lead, status: "memberof" }]);
    expect((await client.list.removeLeadsFromList?.(list, [lead]))?.result).toEqual([{ id: lead, status: "removed" }]);
  });

  test("campaigns are listed and triggered, and the changes read back", async () => {
    expectShape((await client.campaign.getCampaigns?.({ isTriggerable: true }))?.result, [shapes.campaign]);
    const token = await marketing.activitiesFromNow();
    const tokens = [{ name: "{{my.message}}", value: "Hello" }];
    const { trigger_campaign_id: campaign, lead_id: lead } = marketing.ids;
    expect((await client.campaign.request?.(campaign, [{ id: lead }], tokens))?.result).toEqual([{ id: campaign }]);
    const activities = await client.lead.getActivities?.([lead], [47, 6], token);
    expectShape(activities?.result, [shapes.activity]);
    expect(activities?.result.map(({ activityTypeId }) => activityTypeId)).toEqual([47, 6]);
    await client.lead.createOrUpdate?.([{ email: marketing.ids.lead_email, firstName: "Renamed" }]);
    const changes = await client.lead.getChanges?.(token, { fields: ["firstName"] });
    expectShape(changes?.result, [shapes.leadChange]);
    expectShape((await client.activities.getActivityTypes?.())?.result, [shapes.activityType]);
  });

  test("smart campaigns, landing pages and programs' e-mails page by offset", async () => {
    const smart = await client.campaign.getSmartCampaigns?.({ maxReturn: 5 });
    expect(smart?.result).toHaveLength(5);
    const next = await smart?.nextPage?.();
    expect(next?.result).toHaveLength(3);
    expect(await next?.nextPage?.()).not.toHaveProperty("result");
    expect((await client.landingPage.getLandingPages?.({}))?.result).toHaveLength(12);
    expectShape((await client.email.getEmails?.({ status: "approved" }))?.result, [shapes.email]);
  });

  test("e-mail content is read and its draft approved", async () => {
    const id = marketing.ids.email_with_draft_id;
    const content = await client.email.getEmailContent?.(id, { status: "draft" });
    expect(JSON.stringify(content?.result)).toContain("(revised)");
    expect((await client.email.approveEmail?.(id))?.result).toEqual([{ id }]);
    await expect(client.email.approveEmail?.(id)).rejects.toMatchObject({ errors: [{ code: "709" }] });
  });

  test("a token that ended or was revoked is fetched anew, and the call replayed", async () => {
    for (const end of [() => marketing.advance(4000), () => marketing.setLimits({ revoke_tokens: true })]) {
      await client.list.find?.({});
      await end();
      expect((await client.list.find?.({ id: [1001] }))?.result).toHaveLength(1);
    }
    const paths = await logged();
    expect(paths.filter((path) => path === "/identity/oauth/token").length).toBeGreaterThanOrEqual(2);
  });

  test("a token that ends between two pages is fetched anew too", async () => {
    const first = await client.list.find?.({ batchSize: 7 });
    await marketing.setLimits({ revoke_tokens: true });
    expect((await first?.nextPage?.())?.result).toHaveLength(5);
  });

  test("606 is waited out", async () => {
    await marketing.setLimits({ rate_calls: 2 });
    const patient = connect(marketing.description.credentials, 10_000);
    await patient.stats.usage?.();
    await patient.stats.usage?.();
    const third = patient.stats.usage?.() as Promise<Page>;
    const isRefused = async () => (await logged()).filter((path) => path.endsWith("usage.json")).length >= 3;
    while (!(await isRefused()));
    await marketing.advance(20);
    expectShape((await third).result, [shapes.usage]);
  });

  // "Daily quota is the subscription's": usage.json tells what is used, and 607 when nothing is left.
  test("the day's use is read, and 607 ends the day", async () => {
    await marketing.setLimits({ daily_calls: 2, rate_calls: null });
    const hasty = connect(marketing.description.credentials, 0);
    const usage = await hasty.stats.usage?.();
    expectShape(usage?.result, [shapes.usage]);
    await hasty.list.find?.({});
    await expect(hasty.list.find?.({})).rejects.toMatchObject({ errors: [{ code: "607" }] });
  });

  test("615 refuses a call while others are in progress", async () => {
    await marketing.setLimits({ concurrent_calls: 1 });
    const hasty = connect(marketing.description.credentials, 0);
    await hasty.getOAuthToken();
    await marketing.control("/faults", { match: { path: "/rest/v1/lists.json" }, times: 1, delay_ms: 1000 });
    const slow = hasty.list.find?.({});
    let refusal: unknown = null;
    while (refusal === null)
      refusal = await hasty.stats.usage?.().then(
        () => null,
        (error: unknown) => error,
      );
    expect(refusal).toMatchObject({ errors: [{ code: "615" }] });
    expect((await slow)?.success).toBe(true);
  });

  // "Four of the 19 listed endpoints are not published by the vendor."
  test("paths that the vendor does not publish are 610, once they are switched off", async () => {
    const { email_program_id: program, landing_page_id: page } = marketing.ids;
    const paths = [
      `/asset/v1/program/${program}/stats.json`,
      `/asset/v1/landingPage/${page}/stats.json`,
      "/v1/activities/emailbounced.json",
      "/v1/activities/emailopened.json",
    ];
    for (const path of paths) expect((await client._connection.get(path)).success).toBe(true);
    await marketing.setLimits({ undocumented_paths: false });
    for (const path of paths) {
      await expect(client._connection.get(path)).rejects.toMatchObject({ errors: [{ code: "610" }] });
    }
  });

  test("wrong credentials and missing permissions are told", async () => {
    const stranger = connect({ ...marketing.description.credentials, client_secret: "no" });
    await expect(stranger.list.find?.({})).rejects.toThrow("Bad client credentials");
    const reader = connect(marketing.description.credentials.read_only);
    const write = reader.lead.createOrUpdate?.([{ email: "no@example.com" }]);
    await expect(write).rejects.toMatchObject({ errors: [{ code: "603" }] });
  });

  test("a lead export is ordered, queued and cancelled through the client's odd path", async () => {
    const created = await client.bulkLeadExtract.create?.(["id", "email"], { staticListName: "Press" });
    expectShape(created?.result, [shapes.exportJob]);
    const id = created?.result[0]?.exportId;
    expect((await client.bulkLeadExtract.enqueue?.(id))?.result[0]).toMatchObject({ status: "Queued" });
    expect((await client.bulkLeadExtract.status?.(id))?.result[0]).toMatchObject({ status: "Queued" });
    expect((await client.bulkLeadExtract.cancel?.(id))?.result[0]).toMatchObject({ status: "Cancelled" });
  });
});
