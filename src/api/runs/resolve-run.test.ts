import { expect, test } from "vitest";
import { type Platform, startPlatform } from "../../../test/support/platform.ts";
import { describeOnBothStores } from "../../../test/support/stores.ts";

/** A write whose response is lost after its effect, so many times; the marketing system has no way to look it up. */
async function cutOff(platform: Platform, times: number) {
  const { marketing } = platform.sandboxes;
  const endpoint = `/rest/v1/campaigns/${marketing.ids.trigger_campaign_id}/trigger.json`;
  await marketing.control("faults", { match: { method: "POST", path: endpoint }, times, drop: "after" });
  const input = { method: "POST", endpoint, body: { input: { leads: [{ id: marketing.ids.lead_id }] } } };
  const { body } = await platform.run("marketing_api_call", input);
  expect(body.status).toBe("outcome_unknown");
  const sent = async () => (await marketing.requests(endpoint)).length;
  return { runId: body.run_id as string, sent };
}

describeOnBothStores('"outcome: happened | did_not | retry", of a run of one step', (kind) => {
  test("retry sends the same request again in the same run, which shows both attempts", async () => {
    const platform = await startPlatform(kind);
    const { runId, sent } = await cutOff(platform, 1);
    const { status, body } = await platform.call(`runs/${runId}/resolve`, { outcome: "retry" });
    expect({ status, run_id: body.run_id, as: body.status }).toEqual({ status: 200, run_id: runId, as: "succeeded" });
    expect(body.steps[0].attempts).toHaveLength(2);
    expect(body.finished_at).not.toBeNull();
    expect(await sent()).toBe(2);
    const again = await platform.call(`runs/${runId}/resolve`, { outcome: "retry" });
    expect([again.status, again.body.code, await sent()]).toEqual([409, "run_not_waiting", 2]);
    const { body: log } = await platform.call("audit/list", {});
    const resolved = log.results.filter(({ action }: { action: string }) => action === "run.resolved");
    expect(resolved).toMatchObject([{ target: runId, details: { outcome: "retry" } }]);
  });

  test("retry with another lost response has an unknown outcome again, which a person can resolve", async () => {
    const platform = await startPlatform(kind);
    const { runId, sent } = await cutOff(platform, 2);
    const { body } = await platform.call(`runs/${runId}/resolve`, { outcome: "retry" });
    expect([body.status, body.finished_at, await sent()]).toEqual(["outcome_unknown", null, 2]);
    const { body: settled } = await platform.call(`runs/${runId}/resolve`, { outcome: "did_not" });
    expect(settled).toMatchObject({ status: "failed", problem: { code: "system_unavailable" } });
    expect([settled.steps[0].attempts.length, await sent()]).toEqual([2, 2]);
  });

  test("of two concurrent retries one succeeds; of two calls with one Idempotency-Key, one has an effect", async () => {
    const platform = await startPlatform(kind);
    const { runId, sent } = await cutOff(platform, 1);
    const retry = (key: string) =>
      platform.call(`runs/${runId}/resolve`, { outcome: "retry" }, { "idempotency-key": key });
    const answers = await Promise.all([retry("one"), retry("two")]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409]);
    const heard = answers[0]?.status === 200 ? "one" : "two";
    const repeated = await retry(heard);
    expect([repeated.status, repeated.body.status, await sent()]).toEqual([200, "succeeded", 2]);
  });

  test("a step with a secret in its input cannot be retried from its record", async () => {
    const platform = await startPlatform(kind);
    const { deployment } = platform.sandboxes;
    const path = "/v10/projects/web/env";
    await deployment.control("faults", { match: { method: "POST", path }, times: 1, drop: "after" });
    const body = { key: "HIDDEN", value: "correct-horse", type: "encrypted", target: ["preview"] };
    const { body: run } = await platform.run("deployment_api_call", { method: "POST", path, body });
    expect(run.status).toBe("outcome_unknown");
    const answer = await platform.call(`runs/${run.run_id}/resolve`, { outcome: "retry" });
    expect([answer.status, answer.body.code]).toEqual([409, "run_not_repeatable"]);
    const { body: seen } = await platform.call(`runs/${run.run_id}/get`);
    expect(seen.status).toBe("outcome_unknown");
    expect(await deployment.requests(path)).toHaveLength(1);
  });
});
