import { expect, test } from "vitest";
import { startPlatform } from "../../../test/support/platform.ts";
import { describeOnBothStores } from "../../../test/support/stores.ts";

describeOnBothStores("a policy tried by dry run", (kind) => {
  test("judges the call before the policy is saved, and changes and sends nothing", async () => {
    const platform = await startPlatform(kind);
    const { call, connections, sandboxes } = platform;
    const connection_id = connections.deployment;
    const before = await sandboxes.deployment.requests();
    const tryCall = async (method: string, more: object) => {
      const input = { method, path: "/v9/projects/web" };
      const body = { connection_id, input, dry_run: true, ...more };
      return (await call("steps/deployment_api_call/run", body)).body.policy.allowed;
    };
    const policy = { rules: [{ effect: "allow", methods: ["GET"] }] };
    expect(await tryCall("DELETE", {})).toBe(true);
    expect(await tryCall("DELETE", { policy })).toBe(false);
    expect(await tryCall("GET", { policy })).toBe(true);
    await call(`connections/${connection_id}/update`, { policy });
    expect(await tryCall("DELETE", {})).toBe(false);
    expect(await tryCall("DELETE", { policy: null })).toBe(true);
    expect((await call(`connections/${connection_id}/get`)).body.policy).toEqual(policy);
    expect(await sandboxes.deployment.requests()).toEqual(before);
  });

  test("never replaces the account's own policy in a run", async () => {
    const { call, connections } = await startPlatform(kind);
    const input = { method: "GET", path: "/v9/projects" };
    const body = { connection_id: connections.deployment, input, policy: null };
    const refused = await call("steps/deployment_api_call/run", body);
    expect([refused.status, refused.body.code, refused.body.errors[0].pointer]).toEqual([
      422,
      "validation_failed",
      "#/policy",
    ]);
    expect((await call("runs/list")).body.results).toEqual([]);
  });
});
