import { expect, test } from "vitest";
import { describeOnBothStores } from "../../../test/support/stores.ts";
import { sandboxUrls, startSandbox } from "../../../test/support/systems/vault.ts";
import { startTeam } from "../../../test/support/team.ts";

describeOnBothStores("the sandboxes of a server", (kind) => {
  test("an owner moves a clock, adds a fault from the list and takes it back, and reads the calls; each is audited", async () => {
    const sandbox = await startSandbox("deployment");
    const team = await startTeam(kind, { sandboxes: sandboxUrls({ deployment: sandbox.url }) });
    const call = async (operation: string, body = {}) => team.call(`sandboxes/${operation}`, body, { as: team.owner });
    const mine = async () => (await call("list")).body.results[1];
    const before = Date.parse((await mine()).now);
    expect((await call("list")).body.results[0]).toMatchObject({ system: "marketing", now: null, faults: [] });
    const moved = await call("deployment/advance_clock", { seconds: 3600 });
    expect(Date.parse(moved.body.now)).toBeGreaterThanOrEqual(before + 3_600_000);
    expect(await team.lastAudit()).toMatchObject({ action: "sandbox.clock_advanced", details: { seconds: 3600 } });
    const wish = { kind: "unavailable", times: 2, method: "GET", path: "/v2/user" };
    const fault = { method: "GET", path: "/v2/user", status: 503, delay_ms: null, drop: null };
    const added = await call("deployment/add_fault", wish);
    expect(added.body).toEqual({ ...fault, fault_id: expect.any(String), times: 2 });
    expect((await fetch(`${sandbox.url}/v2/user`)).status).toBe(503);
    expect((await mine()).faults).toEqual([{ ...fault, fault_id: added.body.fault_id, times: 1 }]);
    const log = await call("deployment/requests", { limit: 1 });
    expect(log.body.results).toMatchObject([{ method: "GET", path: "/v2/user", status: 503 }]);
    const { fault_id } = added.body;
    expect((await call("deployment/remove_fault", { fault_id })).body).toEqual({ fault_id, removed: true });
    expect((await call("deployment/remove_fault", { fault_id })).body.code).toBe("fault_not_found");
    expect((await fetch(`${sandbox.url}/v2/user`)).status).not.toBe(503);
    expect((await call("deployment/reset")).body.reset).toBe(true);
    expect((await call("marketing/reset")).body.code).toBe("sandbox_unreachable");
    for (const body of [
      { kind: "status", status: 418 },
      { kind: "slow", path: "/a?b=1" },
      { kind: "slow", times: 0 },
    ]) {
      expect((await call("deployment/add_fault", body)).status).toBe(422);
    }
    expect((await call("elsewhere/reset")).status).toBe(422);
  });

  test("are out of reach for all but owners, and where the server runs none", async () => {
    const team = await startTeam(kind);
    const admin = await team.colleague("admin", "admin");
    const calls: [string, object][] = [
      ["deployment/requests", {}],
      ["deployment/advance_clock", { seconds: 1 }],
      ["deployment/add_fault", { kind: "slow" }],
      ["deployment/remove_fault", { fault_id: "1" }],
      ["deployment/reset", {}],
    ];
    for (const [operation, body] of calls) {
      const own = await team.call(`sandboxes/${operation}`, body, { as: team.owner });
      expect([operation, own.status, own.body.code]).toEqual([operation, 409, "sandboxes_not_own"]);
      const refused = await team.call(`sandboxes/${operation}`, body, team.inProject(admin));
      expect([operation, refused.status, refused.body.code]).toEqual([operation, 403, "owner_required"]);
    }
    expect((await team.call("sandboxes/list", {}, { as: team.owner })).body).toEqual({ results: [], next: null });
    expect((await team.call("sandboxes/list", {}, { as: admin })).body.code).toBe("owner_required");
  });
});
