import { expect, test } from "vitest";
import { type Platform, startPlatform, systemOfStep } from "../../test/support/platform.ts";
import { describeOnBothStores } from "../../test/support/stores.ts";
import { findStep } from "../systems/index.ts";
import { tellOfRuns } from "../tell-webhooks.ts";
import { keepNewRun, keepRunning, newStepRun, type Run } from "./runs.ts";
import { settleAbandoned } from "./settle-abandoned.ts";

/** A run as a process leaves it that dies between its request and the answer. */
async function abandoned(platform: Platform, stepId: string, params: object, effect: "create" | null): Promise<Run> {
  const { now, store } = platform.app;
  const step = findStep(stepId);
  if (!step) throw new Error(`There is no step ${stepId}.`);
  const run = newStepRun({
    region: "us",
    organizationId: platform.owner.organizationId,
    projectId: platform.projectId,
    step,
    connectionId: platform.connections[systemOfStep(stepId)],
    params,
    startedBy: platform.owner.userId,
    keyId: null,
    now: now(),
    leaseSeconds: 60,
  });
  const request = { method: "POST", url: "https://example.com/", headers: {} };
  const attempts = effect === null ? [] : [{ request, effect, sent_at: now().toISOString(), waited_ms: 0 }];
  await store.transaction((db) => keepNewRun(db, { ...run, attempts }));
  return { ...run, attempts };
}

const property = (display_name: string) => ({
  account_id: "100",
  display_name,
  time_zone: "Asia/Tokyo",
  currency_code: "JPY",
});

describeOnBothStores("a call of one step whose process died", (kind) => {
  test("is looked for at the system before a person is asked, and nothing is sent again", async () => {
    const platform = await startPlatform(kind);
    const { app, call, sandboxes } = platform;
    const wish = { url: "https://hooks.example.com/signalbox", events: ["run.outcome_unknown"] };
    const { body: hook } = await call("webhooks/create", wish);
    const made = await abandoned(platform, "create_properties", property("Made"), "create");
    const notMade = await abandoned(platform, "create_properties", property("Not made"), "create");
    const hidden = await abandoned(platform, "create_properties", property("[secret]"), "create");
    const { marketing } = sandboxes;
    const endpoint = `/rest/v1/campaigns/${marketing.ids.trigger_campaign_id}/trigger.json`;
    const fires = { method: "POST", endpoint, body: { input: { leads: [{ id: marketing.ids.lead_id }] } } };
    const cannotTell = await abandoned(platform, "marketing_api_call", fires, "create");
    const unsent = await abandoned(platform, "marketing_api_call", fires, null);
    // As its own request would have: nobody else has asked for that name.
    const body = { parent: "accounts/100", displayName: "Made", timeZone: "Asia/Tokyo", currencyCode: "JPY" };
    await platform.run("analytics_api_call", { method: "POST", endpoint: "v1beta/properties", body });
    const sentBefore = (await sandboxes.analytics.requests("/v1beta/properties")).filter(
      (each) => each.method === "POST",
    );

    app.advance(61);
    const { steps, compute } = app.context.rooms;
    const ports = { ...steps, compute, leaseSeconds: 30, onLeft: tellOfRuns(() => {}, app.now) };
    expect(await settleAbandoned(ports)).toBe(5);
    expect(await settleAbandoned(ports)).toBe(0);

    const ends = await Promise.all([made, notMade, hidden, cannotTell, unsent].map(({ id }) => call(`runs/${id}/get`)));
    expect(ends.map(({ body }) => [body.status, body.problem?.code])).toEqual([
      ["succeeded", undefined],
      ["failed", "system_unavailable"],
      ["outcome_unknown", "outcome_unknown"],
      ["outcome_unknown", "outcome_unknown"],
      ["failed", "system_unavailable"],
    ]);
    expect(ends[0]?.body).toMatchObject({
      output: { display_name: "Made" },
      warnings: [expect.stringContaining("lost")],
    });
    expect(ends[0]?.body.steps[0].attempts).toHaveLength(2);
    const sent = (await sandboxes.analytics.requests("/v1beta/properties")).filter((each) => each.method === "POST");
    expect([sent.length, (await marketing.requests(endpoint)).length]).toEqual([sentBefore.length, 0]);

    // One whose caller is still there is told of as well: it is somebody else's to settle.
    await marketing.control("faults", { match: { method: "POST", path: endpoint }, drop: "after" });
    const { body: live } = await platform.run("marketing_api_call", fires);
    expect(live.status).toBe("outcome_unknown");
    const { body: told } = await call(`webhooks/${hook.webhook_id}/deliveries`);
    expect(
      told.results.map((each: { body: { data: { run_id: string } } }) => each.body.data.run_id).toSorted(),
    ).toEqual([hidden.id, cannotTell.id, live.run_id].toSorted());

    // Whoever was taken for dead, and was only slow, writes nothing any more.
    await app.store.transaction(async (db) => {
      expect(await keepRunning(db, { ...made, status: "failed" }, made.leaseUntil ?? "")).toBe(false);
    });
  });
});
