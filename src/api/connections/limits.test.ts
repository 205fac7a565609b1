import { expect, test } from "vitest";
import { describeOnBothStores, type StoreKind } from "../../../test/support/stores.ts";
import { expectGuarded, expectRefused, startTeam } from "../../../test/support/team.ts";
import { startSandbox } from "../../../test/support/vault.ts";

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
      { name: "daily", used: 1, left: 9999 },
    ]);
  });
});

async function startConnected(kind: StoreKind) {
  const sandbox = await startSandbox("marketing");
  const nowhere = "http://127.0.0.1:1";
  const team = await startTeam(kind, {
    sandboxes: { marketing: sandbox.url, deployment: nowhere, analytics: nowhere },
  });
  const { client_id, client_secret } = sandbox.credentials;
  const wish = { system: "marketing", instance: "sandbox", credentials: { client_id, client_secret } };
  const { body } = await team.call("connections/connect", wish, team.inProject(team.owner));
  return { team, connectionId: body.connection_id as string };
}
