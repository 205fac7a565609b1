import { expect, test } from "vitest";
import { type Platform, startPlatform } from "../../../test/support/platform.ts";
import { cleanUpLater, describeOnBothStores } from "../../../test/support/stores.ts";
import { createLog } from "../../kernel/log.ts";
import { announceRuns } from "../../start/region/announce-to-webhooks.ts";
import { settleAbandoned } from "../single-step/settle-abandoned.ts";
import { createWorker } from "../worker/worker.ts";
import { nextProbe } from "./next-probe.ts";

const path = "/v1beta/properties";
const making = { method: "POST", path };
const looking = { method: "GET", path };
const property = (display_name: string) => ({
  account_id: "100",
  display_name,
  time_zone: "Asia/Tokyo",
  currency_code: "JPY",
});

/** What a worker does every ten seconds. */
function settler({ app }: Platform, restoredAt: string | null = null): () => Promise<number> {
  const { steps, compute } = app.context.rooms;
  const onLeft = announceRuns(() => {}, app.now);
  // A probe retries after short pauses, which are skipped here.
  const ports = { ...steps, compute, leaseSeconds: 30, restoredAt, onLeft, sleep: async () => {} };
  const worker = createWorker({ ports, log: createLog("error", process.stderr) });
  cleanUpLater(() => worker.stop());
  return () => settleAbandoned(ports, worker);
}

/** Creates a property whose answer is lost, and which cannot be found in the time of the call. */
async function leaveOpen(
  platform: Platform,
  name: string,
  drop: "before" | "after",
  probeFailures = 0,
): Promise<string> {
  const { analytics } = platform.sandboxes;
  await analytics.control("faults", { match: making, drop });
  if (probeFailures > 0) await analytics.control("faults", { match: looking, status: 503, times: probeFailures });
  const { body } = await platform.run("create_properties", property(name), { wait_seconds: 0 });
  expect(body).toMatchObject({
    status: "outcome_unknown",
    problem: {
      code: "outcome_unknown",
      detail: expect.stringContaining("checks the system again, and the run shows the result."),
    },
  });
  const { body: run } = await platform.call(`runs/${body.run_id}/get`);
  expect(run.waiting_for).toMatchObject({ kind: "retry", step: "create_properties", until: expect.any(String) });
  return body.run_id;
}

const postsOf = async ({ sandboxes }: Platform) =>
  (await sandboxes.analytics.requests(path)).filter(({ method }) => method === "POST").length;

// "A write without an outcome is first reconciled by the step's own probe", also after the call has returned.
describeOnBothStores("a call of one step that returned outcome_unknown", (kind) => {
  test("succeeds once the system can be asked and has the record, and webhooks receive the event", async () => {
    const platform = await startPlatform(kind, { settleSeconds: 90 });
    const { app, call, sandboxes } = platform;
    // Time passes for the system, too.
    const advance = async (seconds: number) => {
      app.advance(seconds);
      await sandboxes.analytics.control("clock", { advance_seconds: seconds });
    };
    const events = ["run.succeeded", "run.outcome_unknown"];
    const { body: hook } = await call("webhooks/create", { url: "https://hooks.example.com/signalbox", events });
    const settle = settler(platform);
    const id = await leaveOpen(platform, "Found late", "after", 10);
    const sent = await postsOf(platform);
    expect(await settle()).toBe(0);
    await advance(60);
    expect(await settle()).toBe(1);
    const statusOf = async () => (await call(`runs/${id}/get`)).body.status;
    expect(await statusOf()).toBe("outcome_unknown");
    for (let round = 0; round < 20 && (await statusOf()) === "outcome_unknown"; round++) {
      await advance(60);
      await settle();
    }
    const { body: run } = await call(`runs/${id}/get`);
    expect(run).toMatchObject({
      status: "succeeded",
      output: { display_name: "Found late" },
      warnings: [expect.stringContaining("The response was lost")],
      finished_at: expect.any(String),
    });
    expect([run.problem, run.waiting_for]).toEqual([undefined, undefined]);
    expect(await postsOf(platform)).toBe(sent);
    const { body: deliveries } = await call(`webhooks/${hook.webhook_id}/deliveries`);
    expect(deliveries.results.map((each: { body: { type: string } }) => each.body.type).toSorted()).toEqual(
      events.toSorted(),
    );
  });

  test("fails once the system must have settled and has no record; it is not sent again", async () => {
    const platform = await startPlatform(kind, { settleSeconds: 90 });
    const { app, call } = platform;
    const settle = settler(platform);
    const id = await leaveOpen(platform, "Never made", "before");
    const sent = await postsOf(platform);
    app.advance(80);
    expect(await settle()).toBe(0);
    app.advance(11);
    expect(await settle()).toBe(1);
    expect((await call(`runs/${id}/get`)).body).toMatchObject({
      status: "failed",
      problem: { code: "system_unavailable" },
      finished_at: expect.any(String),
    });
    app.advance(3600);
    expect(await settle()).toBe(0);
    expect(await postsOf(platform)).toBe(sent);
  });

  test("waits for a person if no probe can tell, says so, and is not probed again", async () => {
    const platform = await startPlatform(kind);
    const { app, call, sandboxes } = platform;
    const settle = settler(platform);
    const { marketing } = sandboxes;
    const endpoint = `/rest/v1/campaigns/${marketing.ids.trigger_campaign_id}/trigger.json`;
    await marketing.control("faults", { match: { method: "POST", path: endpoint }, drop: "after" });
    const fires = { method: "POST", endpoint, body: { input: { leads: [{ id: marketing.ids.lead_id }] } } };
    const { body } = await platform.run("marketing_api_call", fires);
    expect(body).toMatchObject({
      status: "outcome_unknown",
      problem: { detail: expect.stringMatching(/A person must decide\.$/) },
    });
    expect((await call(`runs/${body.run_id}/get`)).body.waiting_for).toBeUndefined();
    app.advance(3600);
    expect(await settle()).toBe(0);
  });

  test("waits for a person once the system could not be asked for a quarter of an hour", async () => {
    const platform = await startPlatform(kind);
    const { app, call } = platform;
    const settle = settler(platform);
    const id = await leaveOpen(platform, "Nobody answers", "after", 1000);
    let probes = 0;
    for (let seconds = 0; seconds < 1800; seconds += 10) {
      app.advance(10);
      probes += await settle();
    }
    expect(probes).toBeGreaterThan(3);
    expect(probes).toBeLessThan(20);
    const { body: run } = await call(`runs/${id}/get`);
    expect(run).toMatchObject({
      status: "outcome_unknown",
      problem: { detail: expect.stringMatching(/The check failed for \d+ minutes: .*A person must decide\.$/s) },
    });
    expect(run.problem.detail).not.toContain("checks the system again");
    expect(run.waiting_for).toBeUndefined();
  });

  test("stays as a person has settled it, though a probe is under way", async () => {
    const platform = await startPlatform(kind);
    const { app, call, sandboxes } = platform;
    const settle = settler(platform);
    const id = await leaveOpen(platform, "Settled by hand", "before");
    app.advance(60);
    await sandboxes.analytics.control("faults", { match: looking, delay_ms: 1000 });
    const seen = (await sandboxes.analytics.requests(path)).length;
    const settling = settle();
    await expect.poll(async () => (await sandboxes.analytics.requests(path)).length).toBeGreaterThan(seen);
    await call(`runs/${id}/resolve`, { outcome: "happened", output: { property_id: "7" } });
    expect(await settling).toBe(1);
    const { body: run } = await call(`runs/${id}/get`);
    expect(run).toMatchObject({ status: "succeeded", output: { property_id: "7" } });
    expect(run.waiting_for).toBeUndefined();
  });

  // "Open intents are looked for and otherwise wait for a person": the intents of other runs since the backup are lost.
  test("waits for a person after a restore if it would be found by its name", async () => {
    const platform = await startPlatform(kind);
    const { app, call } = platform;
    const id = await leaveOpen(platform, "Restored", "after", 20);
    app.advance(60);
    expect(await settler(platform, app.now().toISOString())()).toBe(1);
    const { body: run } = await call(`runs/${id}/get`);
    expect(run).toMatchObject({
      status: "outcome_unknown",
      problem: { detail: expect.stringMatching(/restored from a backup.*A person must decide\.$/) },
    });
    expect(run.waiting_for).toBeUndefined();
  });
});

const hour = 3_600_000;
const refusedThere = {
  request: { method: "GET", url: "https://example.com/v1beta/properties", headers: {} },
  effect: "read" as const,
  sent_at: "2030-03-05T18:00:00.000Z",
  waited_ms: 0,
  problem: { code: "rate_limited", detail: "Too many." },
};

// "Looks that our own limits refuse count towards the six tries. Waiting for a limit is no failed look."
test.each([
  ["waits for a limit of ours, however long that takes", "rate_limited", [], "limit"],
  ["waits for a quota of ours, however long that takes", "quota_exhausted", [], "limit"],
  ["ends after a quarter of an hour if the system refuses it", "rate_limited", [refusedThere], null],
  ["ends after a quarter of an hour if the system is away", "system_unavailable", [], null],
] as const)("the next probe of a single step %s", (_, code, attempts, kind) => {
  const failure = { code, detail: "Refused.", cure: "give up" as const, done: "no" as const, waitSeconds: 60 };
  const next = nextProbe({ kind: "probe failed", failure, attempts: [...attempts] }, new Date(0), 90_000, hour);
  const at = new Date(hour + 60_000).toISOString();
  expect(next).toEqual(kind === null ? "The check failed for 60 minutes: Refused." : { at, why: "Refused.", kind });
});
