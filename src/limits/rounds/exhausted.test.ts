import { expect, test } from "vitest";
import { startPlatform } from "../../../test/support/platform.ts";
import { describeOnBothStores, newStore, type StoreKind } from "../../../test/support/stores.ts";
import { daily, subject, viewerOf } from "../../../test/support/systems/limit-calls.ts";
import { createLimitWorld } from "../../../test/support/systems/limit-world.ts";
import type { Demand } from "../../systems/define.ts";
import { createLimits, type ExhaustedLimit } from "../limits.ts";

const reported: Demand = { subject, name: "reported", kind: "reported", max: null, amount: 1 };
const burst: Demand = { subject, name: "burst", kind: "window", max: 1, amount: 1, windowSeconds: 20 };
const callerOf = (projectId: string) => ({
  id: projectId,
  organizationId: "org_1",
  projectId,
  connectionId: `con_${projectId}`,
  runId: "run_1",
});

async function openWorld(kind: StoreKind) {
  const world = createLimitWorld(await newStore(kind));
  const heard: ExhaustedLimit[] = [];
  const node = () =>
    createLimits({
      store: world.store,
      clock: world.clock,
      time: "own",
      onExhausted: async (_db, exhausted) => void heard.push(exhausted),
    });
  const now = () => new Date(world.now());
  return { world, heard, node, now };
}

describeOnBothStores("a limit that is used up", (kind) => {
  test("is announced once until its reset, by whichever node met it, to every project that uses it", async () => {
    const { world, heard, node, now } = await openWorld(kind);
    const [one, other] = [node(), node()];
    for (const [limits, project] of [
      [one, "prj_1"],
      [other, "prj_2"],
    ] as const) {
      const permit = await limits.admit([daily(2)], callerOf(project), now());
      await permit.settle([], "arrived");
    }
    for (const limits of [one, other, one]) {
      await expect(limits.admit([daily(2)], callerOf("prj_1"), now())).rejects.toThrow("used up");
    }
    const users = ["prj_1", "prj_2"].map((projectId) => ({ projectId, connectionId: `con_${projectId}` }));
    const midnight = new Date("2030-03-06T06:00:00Z");
    expect(heard).toMatchObject([{ name: "daily", resetsAt: midnight, users }]);

    await world.advance(midnight.getTime() - world.now() + 60_000);
    const permit = await one.admit([daily(2, 2)], callerOf("prj_1"), now());
    await permit.settle([], "arrived");
    expect(heard).toHaveLength(2);
  });

  test("is free again once its system was reset, for waiting calls too; that of another system is not", async () => {
    const { node, now } = await openWorld(kind);
    const limits = node();
    const elsewhere = { ...daily(1), subject: "marketing|https://other|acme" };
    const demands = [daily(1), reported, burst, elsewhere];
    const usedUp = { subject, name: "reported", remaining: 0, max: 9, resetsAt: new Date(now().getTime() + 60_000) };
    for (const demand of demands) {
      const permit = await limits.admit([demand], callerOf("prj_1"), now());
      await permit.settle(demand === reported ? [usedUp] : [], "arrived");
    }
    for (const demand of demands) await expect(limits.admit([demand], callerOf("prj_1"), now())).rejects.toThrow();
    const waiting = limits.admit([burst], callerOf("prj_2"), new Date(now().getTime() + 30_000));
    await limits.forget("https://one");
    await waiting;
    for (const demand of [daily(1), reported]) await limits.admit([demand], callerOf("prj_1"), now());
    await expect(limits.admit([elsewhere], callerOf("prj_1"), now())).rejects.toThrow("used up");
  });

  test("includes one with too little left for a call, or one that the system reports as used up", async () => {
    const { heard, node, now } = await openWorld(kind);
    const limits = node();
    const first = await limits.admit([daily(10, 8)], callerOf("prj_1"), now());
    await first.settle([], "arrived");
    expect(heard).toEqual([]);
    await expect(limits.admit([daily(10, 8)], callerOf("prj_1"), now())).rejects.toThrow("used up");
    expect(heard.map(({ name }) => name)).toEqual(["daily"]);

    const resetsAt = new Date(now().getTime() + 3_600_000);
    const second = await limits.admit([reported], callerOf("prj_1"), now());
    await second.settle([{ subject, name: "reported", remaining: 0, max: 100, resetsAt }], "arrived");
    await expect(limits.admit([reported], callerOf("prj_1"), now())).rejects.toThrow("used up");
    expect(heard.map(({ name }) => name)).toEqual(["daily", "reported"]);
    expect(heard[1]?.users).toMatchObject([{ projectId: "prj_1", connectionId: "con_prj_1" }]);
  });

  test("does not include one that is free again in a moment", async () => {
    const { heard, node, now } = await openWorld(kind);
    const limits = node();
    await (await limits.admit([burst], callerOf("prj_1"), now())).settle([], "arrived");
    await expect(limits.admit([burst], callerOf("prj_1"), now())).rejects.toThrow("used up");
    expect(heard).toEqual([]);
  });

  test("is announced to the webhooks of the projects that share it", async () => {
    const platform = await startPlatform(kind);
    const wish = { url: "https://hooks.example.com/signalbox", events: ["limit.exhausted"] };
    const { body: hook } = await platform.call("webhooks/create", wish);
    await platform.sandboxes.marketing.control("faults", {
      match: { method: "GET", path: "/rest/v1/lists.json" },
      status: 200,
      body: { requestId: "1", success: false, errors: [{ code: "607", message: "Daily quota reached" }] },
    });
    const asked = { method: "GET", endpoint: "/rest/v1/lists.json" };
    for (let i = 0; i < 2; i++) await platform.run("marketing_api_call", asked, { wait_seconds: 0 });
    const { body } = await platform.call(`webhooks/${hook.webhook_id}/deliveries`);
    expect(body.results).toHaveLength(1);
    const [row] = await platform.app.store.query<{ body: string }>("select body from deliveries");
    expect(JSON.parse(row?.body ?? "")).toMatchObject({
      type: "limit.exhausted",
      project_id: platform.projectId,
      data: { connection_ids: [platform.connections.marketing], resets_at: expect.any(String) },
    });
  });
});

describeOnBothStores("the state of limits", (kind) => {
  test("is deleted after a month without a call, and created again with the next", async () => {
    const { world, node, now } = await openWorld(kind);
    const limits = node();
    await (await limits.admit([daily(10)], callerOf("prj_1"), now())).settle([], "arrived");
    expect(await limits.forgetOld()).toBe(0);
    expect(await limits.ofProject(viewerOf("prj_1"))).toHaveLength(1);
    world.setWall(31 * 86_400_000);
    expect(await limits.forgetOld()).toBe(1);
    expect(await world.store.query("select * from limit_uses")).toEqual([]);
    await (await limits.admit([daily(10)], callerOf("prj_1"), now())).settle([], "arrived");
    expect(await limits.ofProject(viewerOf("prj_1"))).toHaveLength(1);
  });
});
