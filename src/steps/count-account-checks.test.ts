import { expect, test } from "vitest";
import { startPlatform } from "../../test/support/platform.ts";
import { describeOnBothStores } from "../../test/support/stores.ts";

describeOnBothStores("checks of an account", (kind) => {
  test("count against the system's limits, and a used-up limit stops them", async () => {
    const { call, connections, run, sandboxes } = await startPlatform(kind);
    const id = connections.marketing;
    const calls = async () =>
      (await sandboxes.marketing.requests()).filter(({ path }) => path.startsWith("/rest/")).length;
    const before = await calls();
    // A check makes two calls, and the second tells what was used today by all: connecting took two as well.
    await call(`connections/${id}/update`, { settings: { daily_quota: 5 } });
    expect((await call(`connections/${id}/check`)).body.health.ok).toBe(true);
    const read = () => run("marketing_api_call", { method: "GET", endpoint: "/rest/v1/lists.json" });
    expect((await read()).body.status).toBe("succeeded");
    expect((await read()).body.problem.code).toBe("quota_exhausted");
    const { body } = await call(`connections/${id}/check`);
    expect(body).toMatchObject({ state: "connected", health: { ok: false, reason: expect.stringContaining("quota") } });
    expect((await calls()) - before).toBe(3);
  });
});
