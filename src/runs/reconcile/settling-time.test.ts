import { describe, expect, test } from "vitest";
import { type Platform, startPlatform } from "../../../test/support/platform.ts";
import { queueTool, runOnce } from "../../../test/support/runs/runs.ts";
import { cleanUpLater, describeOnBothStores } from "../../../test/support/stores.ts";
import { creating, makesProperty, propertiesMade, propertyInput } from "../../../test/support/systems/lost-property.ts";
import { writeProperty } from "../../../test/support/systems/outside-signalbox.ts";
import { analytics as analyticsFacts } from "../../systems/analytics/system.ts";

const winterSale = { parent: "accounts/100", displayName: "Winter sale", timeZone: "Asia/Tokyo", currencyCode: "JPY" };

/** For us and for the system. */
async function passTime({ app, sandboxes }: Platform, seconds: number): Promise<void> {
  await sandboxes.analytics.control("clock", { advance_seconds: seconds });
  app.advance(seconds);
}

describeOnBothStores("a write whose answer is lost", (kind) => {
  // "Believe 'not there' only after the longest time that system may still take (a fact of the system)."
  test("is not sent again if the system carries it out after more than a minute", async () => {
    const platform = await startPlatform(kind, { settleSeconds: "each system's own" });
    await platform.sandboxes.analytics.control("faults", { match: creating, drop: "before" });
    const runId = await queueTool(platform, makesProperty(platform));
    const lookFor = async (before: string, ...states: string[]) => {
      await runOnce(platform, runId, ...states);
      const until = async () => (await platform.call(`runs/${runId}/get`)).body.waiting_for?.until ?? before;
      if (states.includes("waiting")) await expect.poll(until).not.toBe(before);
      return (await runOnce(platform, runId, ...states)).waiting_for?.until;
    };
    const first = await lookFor("", "waiting");
    await passTime(platform, 11);
    await lookFor(first, "waiting");
    expect(await propertiesMade(platform)).toEqual({ asked: 1, there: 0 });
    await passTime(platform, 70);
    await writeProperty(platform.sandboxes.analytics, winterSale);
    await passTime(platform, 20);
    const { status } = await runOnce(platform, runId, "succeeded", "failed", "outcome_unknown");
    expect(status).toBe("succeeded");
    // The second is what the system did late.
    expect(await propertiesMade(platform)).toEqual({ asked: 2, there: 1 });
  });

  // "A probe may take a record for its own only if nothing else could have made it: name, time window."
  test("is sent again if the record of its name was made once the system could no longer be at work on it", async () => {
    const platform = await startPlatform(kind, { settleSeconds: "each system's own" });
    await platform.sandboxes.analytics.control("faults", { match: creating, drop: "before" });
    const runId = await queueTool(platform, makesProperty(platform));
    await runOnce(platform, runId, "waiting");
    // Time passes for the system first, so the run looks only once the other record is there.
    await platform.sandboxes.analytics.control("clock", { advance_seconds: 600 });
    await writeProperty(platform.sandboxes.analytics, winterSale);
    platform.app.advance(600);
    await runOnce(platform, runId, "waiting");
    await expect
      .poll(async () => (await platform.call(`runs/${runId}/get`)).body.waiting_for?.detail)
      .toMatch(/the write did not happen/);
    await passTime(platform, 11);
    const { status } = await runOnce(platform, runId, "succeeded", "failed", "outcome_unknown");
    expect([status, await propertiesMade(platform)]).toEqual(["succeeded", { asked: 3, there: 2 }]);
  });

  // "Learn each system's clock from its `Date` header."
  test.each([-600, 600])("is found although the system's clock is %d seconds off", async (seconds) => {
    const platform = await startPlatform(kind);
    const { analytics } = platform.sandboxes;
    await analytics.control("clock", { now: new Date(Date.now() + seconds * 1000).toISOString() });
    await analytics.control("faults", { match: creating, drop: "after" });
    const runId = await queueTool(platform, makesProperty(platform));
    const { status } = await runOnce(platform, runId, "succeeded", "failed", "outcome_unknown", "waiting");
    expect([status, await propertiesMade(platform)]).toEqual(["succeeded", { asked: 1, there: 1 }]);
  });

  test("is not taken for an older record because the system's clock is ahead", async () => {
    const platform = await startPlatform(kind);
    const { analytics } = platform.sandboxes;
    await analytics.control("clock", { now: new Date(Date.now() + 600_000 - 480_000).toISOString() });
    await writeProperty(analytics, winterSale);
    await analytics.control("clock", { now: new Date(Date.now() + 600_000).toISOString() });
    await analytics.control("faults", { match: creating, drop: "before" });
    const runId = await queueTool(platform, makesProperty(platform));
    const { status } = await runOnce(platform, runId, "succeeded", "failed", "outcome_unknown", "waiting");
    expect(status).toBe("waiting");
  });

  // "Believe 'not there' only after the longest time that system may still take, and ask a person where that is unknown."
  describe("at a system without a known settling time", () => {
    async function startUnsettled(): Promise<Platform> {
      const known = analyticsFacts.settlesWithinSeconds;
      Object.assign(analyticsFacts, { settlesWithinSeconds: null });
      cleanUpLater(async () => void Object.assign(analyticsFacts, { settlesWithinSeconds: known }));
      return startPlatform(kind, { settleSeconds: "each system's own" });
    }

    test("waits for a person if it is not there, and is not sent again", async () => {
      const platform = await startUnsettled();
      await platform.sandboxes.analytics.control("faults", { match: creating, drop: "before" });
      const runId = await queueTool(platform, makesProperty(platform));
      // Most late writes happen within seconds, so there is a second probe.
      expect(await runOnce(platform, runId, "waiting")).toMatchObject({ waiting_for: { kind: "retry" } });
      platform.app.advance(11);
      const run = await runOnce(platform, runId, "outcome_unknown", "succeeded", "failed");
      expect([run.status, run.problem.detail]).toEqual([
        "outcome_unknown",
        expect.stringContaining("nobody knows how long the system may keep working on the request"),
      ]);
      expect(await propertiesMade(platform)).toEqual({ asked: 1, there: 0 });
    });

    test("is found if it is there", async () => {
      const platform = await startUnsettled();
      await platform.sandboxes.analytics.control("faults", { match: creating, drop: "after" });
      const { body } = await platform.run("create_properties", propertyInput);
      expect(body).toMatchObject({ status: "succeeded", output: { display_name: "Winter sale" } });
      expect(await propertiesMade(platform)).toEqual({ asked: 1, there: 1 });
    });

    test("waits for a person in a single step too, and is not probed again", async () => {
      const platform = await startUnsettled();
      await platform.sandboxes.analytics.control("faults", { match: creating, drop: "before" });
      const { body } = await platform.run("create_properties", propertyInput, { wait_seconds: 0 });
      expect(body).toMatchObject({
        status: "outcome_unknown",
        problem: { detail: expect.stringMatching(/nobody knows how long .* A person must decide\.$/) },
      });
      const { body: run } = await platform.call(`runs/${body.run_id}/get`);
      expect(run.waiting_for).toBeUndefined();
      expect(await propertiesMade(platform)).toEqual({ asked: 1, there: 0 });
    });
  });
});
