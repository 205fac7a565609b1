import { expect, test } from "vitest";
import { type Platform, startPlatform } from "../../../test/support/platform.ts";
import { aTool, queueTool, runOnce } from "../../../test/support/runs/runs.ts";
import { describeOnBothStores } from "../../../test/support/stores.ts";
import { writeLeads } from "../../../test/support/systems/outside-signalbox.ts";

const leads = { method: "POST", path: "/rest/v1/leads.json" };
const upsert = (...input: object[]) => ({
  method: "POST",
  endpoint: leads.path,
  body: { action: "createOrUpdate", lookupField: "email", input },
});
const ada = { email: "ada@example.com", firstName: "Ada" };
/** The system skips it: the field takes a whole number. */
const misfit = { email: "bob@example.com", seats: "many" };

async function start(platform: Platform, input: object, drop: "before" | "after"): Promise<string> {
  await platform.sandboxes.marketing.control("faults", { match: leads, drop });
  const step = { name: "sync", step: "marketing_api_call", connection_id: platform.connections.marketing, input };
  const runId = await queueTool(platform, aTool([step]));
  await runOnce(platform, runId, "waiting", "succeeded", "failed", "outcome_unknown");
  return runId;
}

const sent = async ({ sandboxes }: Platform) =>
  (await sandboxes.marketing.requests(leads.path)).filter(({ method }) => method === "POST").length;

async function goOn(platform: Platform, runId: string) {
  const { body } = await platform.call(`runs/${runId}/get`);
  platform.app.advance(11);
  await expect
    .poll(async () => {
      platform.app.context.rooms.runs.wake();
      const { body: now } = await platform.call(`runs/${runId}/get`);
      return now.status !== "waiting" || now.waiting_for?.until !== body.waiting_for.until;
    })
    .toBe(true);
}

// "Two upserts of the same key in flight can create duplicates": "nothing that the system has applied is sent again where a look can
// tell", and "'not there' is believed only after the longest time that the system may still take".
describeOnBothStores("a call that creates or updates leads, and whose answer is lost", (kind) => {
  test("is not sent again while the system may be at work on it, and then once", async () => {
    const platform = await startPlatform(kind);
    const runId = await start(platform, upsert(ada), "before");
    expect(await sent(platform)).toBe(1);
    await goOn(platform, runId);
    expect(await sent(platform)).toBe(1);
    platform.app.advance(11);
    const run = await runOnce(platform, runId, "succeeded", "failed", "outcome_unknown");
    expect(run).toMatchObject({
      status: "succeeded",
      output: { body: { result: [{ id: expect.any(Number), status: "created" }] } },
    });
    expect(await sent(platform)).toBe(2);
  });

  test("is found if the system carries it out late", async () => {
    const platform = await startPlatform(kind);
    const runId = await start(platform, upsert(ada), "before");
    await writeLeads(platform.sandboxes.marketing, upsert(ada).body);
    platform.app.advance(11);
    const run = await runOnce(platform, runId, "succeeded", "failed", "outcome_unknown");
    expect(run).toMatchObject({
      status: "succeeded",
      output: { body: { result: [{ id: expect.any(Number), status: "created" }] } },
    });
    // The second is what the system did late.
    expect(await sent(platform)).toBe(2);
  });

  test("and of which a part is there, is sent again once the system has settled, and says what became of each row", async () => {
    const platform = await startPlatform(kind);
    const runId = await start(platform, upsert(ada, misfit, { firstName: "Nobody" }), "after");
    expect((await platform.call(`runs/${runId}/get`)).body.waiting_for.detail).toContain("Not all of it is there yet.");
    expect(await sent(platform)).toBe(1);
    await goOn(platform, runId);
    platform.app.advance(11);
    const run = await runOnce(platform, runId, "succeeded", "failed", "outcome_unknown");
    expect(run.output.body.result).toMatchObject([{ status: "updated" }, { status: "skipped" }, { status: "skipped" }]);
    expect(await sent(platform)).toBe(2);
  });

  // "failed only where it certainly did not happen": another run, or the system itself, may have changed the new lead since.
  test("and whose new lead has other values by now, is left to a person if it is a single step", async () => {
    const platform = await startPlatform(kind, { settleSeconds: 0 });
    await platform.sandboxes.marketing.control("faults", { match: leads, drop: "after" });
    const match = { method: "GET", path: leads.path };
    await platform.sandboxes.marketing.control("faults", { match, delay_ms: 1500 });
    const call = platform.run("marketing_api_call", upsert(ada));
    await expect.poll(() => sent(platform)).toBe(1);
    await writeLeads(platform.sandboxes.marketing, upsert({ ...ada, firstName: "Augusta" }).body);
    expect((await call).body.status).toBe("outcome_unknown");
  });

  test("and of which a part is there, is left to a person if it is a single step", async () => {
    const platform = await startPlatform(kind, { settleSeconds: 0 });
    await platform.sandboxes.marketing.control("faults", { match: leads, drop: "after" });
    const { body } = await platform.run("marketing_api_call", upsert(ada, misfit));
    expect(body).toMatchObject({
      status: "outcome_unknown",
      problem: { detail: expect.stringMatching(/Not all of it is there\. A person must decide\.$/) },
    });
    expect(await sent(platform)).toBe(1);
  });
});
