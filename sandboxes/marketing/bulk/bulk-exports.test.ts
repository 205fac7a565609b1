import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type OpenMarketing, openMarketing, type Row } from "../testing/open-marketing.ts";
import { expectShape, shapes } from "../testing/shapes.ts";

describe("bulk exports", () => {
  let marketing: OpenMarketing;
  beforeAll(async () => {
    marketing = await openMarketing();
  });
  beforeEach(() => marketing.reset());
  afterAll(() => marketing.stop());

  const leads = "/bulk/v1/leads/export";
  const order = { fields: ["id", "firstName", "email"], filter: { staticListName: "Advisory Board" } };

  async function create(body: object = order, base = leads): Promise<string> {
    const { result } = await marketing.post(`${base}/create.json`, body);
    expectShape(result, [shapes.exportJob]);
    return String((result[0] as Row).exportId);
  }
  const enqueue = (id: string, base = leads) =>
    marketing.call("POST", `${base}/${id}/enqueue.json`, { form: "_method=POST" });
  const status = async (id: string, base = leads) =>
    (await marketing.get(`${base}/${id}/status.json`)).result[0] as Row;

  test("a lead export is made, queued, worked on and fetched", async () => {
    const id = await create();
    expect((await status(id)).status).toBe("Created");
    expect((await enqueue(id)).result[0]).toMatchObject({ status: "Queued" });
    await marketing.advance(6);
    expect((await status(id)).status).toBe("Processing");
    expect(await marketing.codeOf("GET", `${leads}/${id}/file.json`)).toBe("1003");
    await marketing.advance(31);
    const job = await status(id);
    expectShape(job, shapes.exportJob);
    expect(job).toMatchObject({ status: "Completed", numberOfRecords: 12 });
    const file = await (await marketing.send("GET", `${leads}/${id}/file.json`)).text();
    expect(file.trim().split("\n")).toHaveLength(13);
    expect(file.startsWith("id,firstName,email\n")).toBe(true);
    expect(Buffer.byteLength(file)).toBe(job.fileSize);
    expect((await marketing.get(`${leads}.json`)).result).toHaveLength(1);
  });

  test("an activity export holds the attributes as JSON", async () => {
    const base = "/bulk/v1/activities/export";
    await marketing.post("/rest/v1/leads.json", { input: [{ email: "export@example.com" }] });
    const startAt = new Date().toISOString().slice(0, 10);
    const endAt = new Date(Date.now() + 86_400_000).toISOString();
    const id = await create({ filter: { createdAt: { startAt, endAt }, activityTypeIds: [12] } }, base);
    await enqueue(id, base);
    await marketing.advance(60);
    const file = await (await marketing.send("GET", `${base}/${id}/file.json`)).text();
    expect(file).toContain(`""Source Type"":""Web service API""`);
    expect(file.trim().split("\n")).toHaveLength(2);
  });

  test("cancelling, a full queue and a used-up day", async () => {
    const id = await create();
    const cancelled = await marketing.call("POST", `${leads}/${id}/cancel.json`, { form: "_method=POST" });
    expect(cancelled.result[0]).toMatchObject({ status: "Cancelled" });
    await marketing.setLimits({ exports_queued: 1 });
    await enqueue(await create());
    const { errors } = await enqueue(await create());
    expect(errors).toEqual([{ code: "1029", message: "Too many jobs in queue" }]);
    await marketing.setLimits({ exports_queued: 10, export_bytes_per_day: 0 });
    expect((await enqueue(await create())).errors[0]).toEqual({
      code: "1029",
      message: "Export daily quota 0MB exceeded",
    });
  });

  test.each([
    ["no fields", { filter: order.filter }, "1002"],
    ["an unknown field", { ...order, fields: ["shoeSize"] }, "1003"],
    ["no filter", { fields: ["id"] }, "1002"],
    ["an unknown list", { ...order, filter: { staticListName: "None" } }, "1013"],
    ["more than 31 days", { ...order, filter: { createdAt: { startAt: "2026-01-01", endAt: "2026-03-01" } } }, "1003"],
    ["another format", { ...order, format: "XML" }, "1003"],
  ])("%s is refused", async (_, body, code) => {
    expect(await marketing.codeOf("POST", `${leads}/create.json`, { json: body })).toBe(code);
  });

  test("another client's job looks absent", async () => {
    const id = await create();
    const token = await marketing.tokenOf(marketing.description.credentials.read_only);
    expect(await marketing.codeOf("GET", `${leads}/${id}/status.json`, { token })).toBe("1013");
  });
});
