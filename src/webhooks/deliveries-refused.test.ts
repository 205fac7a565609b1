import { expect, test } from "vitest";
import { describeOnBothStores } from "../../test/support/stores.ts";
import { startDeliveries } from "../../test/support/webhooks/delivery-world.ts";

const hour = 3600;

const hugeBytes = 11 * 1024 * 1024;

describeOnBothStores("a response that cannot be read", (kind) => {
  test("counts as accepted if its status says so, and 410 disables", async () => {
    const { receiver, announceRun, sendDue, deliveries, record } = await startDeliveries(kind);
    const unreadable: [Record<string, string>, string][] = [
      [{}, "a".repeat(hugeBytes)],
      [{ "content-encoding": "deflate" }, "not compressed at all"],
      [{ "content-type": "application/json" }, "[".repeat(200)],
    ];
    for (const [headers, body] of unreadable) {
      receiver.answerWith(200, headers, body);
      await announceRun();
      expect(await sendDue()).toBe(1);
    }
    expect(new Set((await deliveries()).map(({ status }) => status))).toEqual(new Set(["delivered"]));
    receiver.answerWith(410, {}, "a".repeat(hugeBytes));
    await announceRun();
    await sendDue();
    expect(await record()).toMatchObject({ status: "disabled", status_reason: expect.stringContaining("410") });
  });
});

describeOnBothStores("an event", (kind) => {
  test("that is refused is retried over three days under the same id, then the webhook is disabled and says why", async () => {
    const { team, receiver, announceRun, sendDue, deliveries, record } = await startDeliveries(kind);
    receiver.answerWith(500);
    await announceRun();
    expect(await sendDue()).toBe(0);
    expect(await sendDue()).toBe(0);
    expect(receiver.received).toHaveLength(1);
    expect(await deliveries()).toMatchObject([
      { status: "pending", attempts: 1, response_status: 500, problem: "The address returned 500." },
    ]);
    let hours = 0;
    for (; (await record()).status === "enabled" && hours < 120; hours++) {
      team.advance(hour);
      await sendDue();
    }
    expect(hours).toBeGreaterThan(55);
    expect(hours).toBeLessThan(100);
    expect(receiver.received).toHaveLength(10);
    expect(new Set(receiver.received.map(({ id }) => id)).size).toBe(1);
    expect(await deliveries()).toMatchObject([{ status: "failed", attempts: 10, next_attempt_at: null }]);
    expect((await record()).status_reason).toContain("three days");
    expect(await announceRun()).toBe(0);
  });

  test("that is refused alone, among others that are accepted, fails alone: the webhook stays enabled", async () => {
    const { team, receiver, announceRun, sendDue, deliveries, record } = await startDeliveries(kind);
    receiver.answerWith(500);
    await announceRun();
    await sendDue();
    receiver.answerWith(204);
    const refused = (await deliveries())[0].event_id;
    await announceRun();
    await sendDue();
    receiver.answerWith(500);
    for (let hours = 0; (await deliveries())[1].status === "pending" && hours < 240; hours += 12) {
      team.advance(12 * hour);
      await sendDue();
    }
    expect(receiver.received.filter(({ id }) => id === refused)).toHaveLength(10);
    expect((await deliveries()).map(({ status }) => status)).toEqual(["delivered", "failed"]);
    expect((await record()).status).toBe("enabled");
  });

  test("that is queued for a webhook which a person disables is not sent", async () => {
    const { team, receiver, announceRun, sendDue, deliveries, webhookId } = await startDeliveries(kind);
    receiver.answerWith(500);
    await announceRun();
    await sendDue();
    const change = (body: object) => team.call(`webhooks/${webhookId}/update`, body, team.inProject(team.owner));
    await change({ status: "disabled" });
    team.advance(hour);
    await sendDue();
    expect(receiver.received).toHaveLength(1);
    expect(await deliveries()).toMatchObject([{ status: "failed", problem: expect.stringContaining("disabled") }]);
  });

  test("that meets 410 disables the webhook at once, and fails its queued deliveries", async () => {
    const { team, receiver, announceRun, sendDue, deliveries, record, webhookId } = await startDeliveries(kind);
    receiver.answerWith(503);
    await announceRun();
    await sendDue();
    receiver.answerWith(410);
    await announceRun();
    await sendDue();
    expect(await record()).toMatchObject({ status: "disabled", status_reason: expect.stringContaining("410") });
    expect((await deliveries()).map((each) => [each.status, each.next_attempt_at])).toEqual([
      ["failed", null],
      ["failed", null],
    ]);
    const replay = await team.call(`webhooks/${webhookId}/replay`, {}, team.inProject(team.owner));
    expect([replay.status, replay.body.code]).toEqual([409, "webhook_disabled"]);
    const failures = async (project = team.projectId) =>
      (await team.call("webhooks/failures", {}, { as: team.owner, project })).body.failures;
    expect(await failures()).toMatchObject([
      {
        webhook_id: webhookId,
        status: "disabled",
        failed: 2,
        last: { status: "failed", body: { type: "run.failed" } },
      },
    ]);
    expect(await failures(await team.project(team.owner, "Another"))).toEqual([]);
  });

  test("that failed is sent again on demand once the webhook is enabled, one or all, and keeps its id", async () => {
    const { team, receiver, announceRun, sendDue, deliveries, webhookId, record } = await startDeliveries(kind);
    const change = (what: string, body: object) =>
      team.call(`webhooks/${webhookId}/${what}`, body, team.inProject(team.owner));
    await announceRun();
    await announceRun();
    receiver.answerWith(410);
    await sendDue();
    receiver.answerWith(200);
    expect((await change("update", { status: "enabled" })).body).toMatchObject({
      status: "enabled",
      status_reason: null,
    });
    expect((await change("replay", {})).body).toEqual({ webhook_id: webhookId, queued: 2 });
    expect(await sendDue()).toBe(2);
    const [first] = await deliveries();
    expect((await change("replay", { delivery_id: first.delivery_id })).body.queued).toBe(1);
    expect(await sendDue()).toBe(1);
    expect(receiver.received.at(-1)?.id).toBe(first.event_id);
    expect((await change("replay", { failed_since: team.now().toISOString() })).body.queued).toBe(0);
    expect((await change("replay", { delivery_id: "dlv_us_none" })).body.code).toBe("delivery_not_found");
    expect((await record()).status).toBe("enabled");
  });

  test("waits as long as the receiver's Retry-After says", async () => {
    const { team, receiver, announceRun, sendDue } = await startDeliveries(kind);
    receiver.answerWith(429, { "retry-after": "3600" });
    await announceRun();
    await sendDue();
    receiver.answerWith(200);
    team.advance(hour - 10);
    expect(await sendDue()).toBe(0);
    team.advance(20);
    expect(await sendDue()).toBe(1);
  });
});
