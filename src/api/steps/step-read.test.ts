import { expect, test } from "vitest";
import { startPlatform } from "../../../test/support/platform.ts";
import { describeOnBothStores } from "../../../test/support/stores.ts";

describeOnBothStores("reading with a step, without a run", (kind) => {
  test("policy and account apply, no run and no audit row is left, and a step that writes is refused", async () => {
    const { call, connections, sandboxes } = await startPlatform(kind);
    const connection_id = connections.deployment;
    const rows = async () => (await call("audit/list")).body.results.length;
    const before = await rows();
    const read = (step: string, input: object) => call(`steps/${step}/read`, { connection_id, input });

    const { body: listed } = await read("list_deployments", { limit: 2 });
    expect([listed.status, listed.output.deployments.length, "run_id" in listed]).toEqual(["succeeded", 2, false]);
    const { body: missing } = await read("deployment_api_call", { method: "GET", path: "/v13/deployments/dpl_none" });
    expect(missing).toMatchObject({ status: "failed", problem: { code: "not_found_there" }, output: { status: 404 } });
    const writes = (await sandboxes.deployment.requests()).filter(({ method }) => method !== "GET");
    for (const [step, input] of [
      ["create_deployment", { project: "web" }],
      ["deployment_api_call", { method: "DELETE", path: "/v9/projects/web" }],
    ] as const) {
      expect((await read(step, input)).body).toMatchObject({ status: 422, errors: [{ code: "not_a_read" }] });
    }
    expect((await sandboxes.deployment.requests()).filter(({ method }) => method !== "GET")).toEqual(writes);
    expect((await call("runs/list")).body.results).toEqual([]);
    expect(await rows()).toBe(before);

    await call(`connections/${connection_id}/update`, { policy: { rules: [{ effect: "deny", methods: ["GET"] }] } });
    expect((await read("list_deployments", {})).body).toMatchObject({
      status: "failed",
      problem: { code: "policy_denied" },
    });
  });
});
