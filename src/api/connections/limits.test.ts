import { expect, test } from "vitest";
import { describeOnBothStores, type StoreKind } from "../../../test/support/stores.ts";
import { sandboxUrls, startSandbox } from "../../../test/support/systems/vault.ts";
import { expectGuarded, expectRefused, startTeam } from "../../../test/support/team.ts";

describeOnBothStores("list the limits", (kind) => {
  test("a project without connections has none", async () => {
    const team = await startTeam(kind);
    const answer = await team.call("limits/list", {}, team.inProject(team.owner));
    expect([answer.status, answer.body]).toEqual([200, { results: [], next: null }]);
  });

  test("bad input is refused", async () => {
    const team = await startTeam(kind);
    await expectRefused(team, "limits/list", team.inProject(team.owner), [
      [[], 400, "malformed_request"],
      ["{", 400, "malformed_request"],
    ]);
  });

  test("a viewer may read them, and a person outside the project may not", async () => {
    const team = await startTeam(kind);
    const viewer = await team.colleague("viewer", "viewer");
    expect((await team.call("limits/list", {}, team.inProject(viewer))).status).toBe(200);
    await expectGuarded(team, "limits/list", {}, "viewer");
  });

  test("a connection shows every limit of its account before its first call, and what is left after it", async () => {
    const { team, connectionId } = await startConnected(kind);
    const list = async () => (await team.call("limits/list", {}, team.inProject(team.owner))).body.results;
    const base = { connection_id: connectionId, system: "marketing", waiting: [], waiting_others: 0 };
    expect(await list()).toMatchObject([
      { ...base, name: "burst", max: 100, used: 0, left: 100, resets_at: null },
      { ...base, name: "concurrent", max: 10, used: 0, left: 10, resets_at: null },
      { ...base, name: "daily", max: 10_000, used: 0, left: 10_000 },
    ]);
    const input = { method: "GET", endpoint: "/rest/v1/stats/usage.json" };
    const run = await team.call(
      "steps/marketing_api_call/run",
      { connection_id: connectionId, input },
      team.inProject(team.owner),
    );
    expect(run.body.status).toBe("succeeded");
    expect(await list()).toMatchObject([
      { name: "burst", used: 1, left: 99, resets_at: expect.any(String) },
      { name: "concurrent", used: 0 },
      // The system says what all programs have used today: connecting the account took two calls.
      { name: "daily", max: 10_000, assumed: true, used: 3, left: 9997 },
    ]);
  });
});

// "Refuse locally only what the vendor would refuse; the message says which of the two it was."
describeOnBothStores("the daily quota of a marketing account", (kind) => {
  const lists = { method: "GET", endpoint: "/rest/v1/lists.json" };

  test("that an admin has set is kept here, with a warning before it ends; without one, only the system itself refuses", async () => {
    const { team, connectionId, sandbox } = await startConnected(kind, { settings: { daily_quota: 2 } });
    const owner = team.inProject(team.owner);
    const call = async () =>
      (await team.call("steps/marketing_api_call/run", { connection_id: connectionId, input: lists }, owner)).body;
    const set = (settings: object) => team.call(`connections/${connectionId}/update`, { settings }, owner);
    expect((await call()).warnings).toEqual([]);
    expect((await call()).warnings).toEqual([expect.stringMatching(/2 of the 2 calls .*daily_quota/)]);
    const sent = async () => (await sandbox.requests("/rest/v1/lists.json")).length;
    const before = await sent();
    expect((await call()).problem).toMatchObject({
      code: "quota_exhausted",
      system_code: "607",
      fault: "limit kept here",
      detail: expect.stringContaining("by its own count"),
      remedy: expect.stringContaining("daily_quota"),
    });
    await set({ daily_quota: null });
    expect((await call()).status).toBe("succeeded");
    await set({ burst_calls: 1 });
    const limited = { connection_id: connectionId, input: lists, wait_seconds: 0 };
    const { body } = await team.call("steps/marketing_api_call/run", limited, owner);
    expect(body.problem).toMatchObject({ code: "rate_limited", system_code: "606", fault: "limit kept here" });
    await set({ burst_calls: null });
    await sandbox.control("limits", { daily_calls: 1 });
    expect((await call()).problem).toMatchObject({ code: "quota_exhausted", system_code: "607", fault: "system" });
    expect((await sent()) - before).toBe(2);
    expect((await call()).problem).toMatchObject({
      system_code: "607",
      fault: "limit kept here",
      detail: expect.stringContaining("The system itself refused an earlier call with 607"),
    });
    expect((await sent()) - before).toBe(2);
  });
});

async function startConnected(kind: StoreKind, more: object = {}) {
  const sandbox = await startSandbox("marketing");
  const team = await startTeam(kind, { sandboxes: sandboxUrls({ marketing: sandbox.url }) });
  const { client_id, client_secret } = sandbox.credentials;
  const wish = { system: "marketing", instance: "sandbox", credentials: { client_id, client_secret }, ...more };
  const { body } = await team.call("connections/connect", wish, team.inProject(team.owner));
  return { team, sandbox, connectionId: body.connection_id as string };
}
