import { describe, expect, test } from "vitest";
import { describeOnBothStores } from "../../test/support/stores.ts";
import { startSandbox, startVault, type TestSandbox } from "../../test/support/systems/vault.ts";
import { nextCheckAt, nextCheckSoon } from "./next-health-check.ts";

const hours = 3600;

const viewerOf = ({ credentials }: TestSandbox) => {
  const { refresh_tokens, client_id, client_secret } = credentials.oauth;
  return { refresh_token: refresh_tokens.viewer, client_id, client_secret };
};

describeOnBothStores("health checks of connections", (kind) => {
  async function start() {
    const analytics = await startSandbox("analytics");
    const world = await startVault(kind, { analytics });
    const { refresh_tokens, client_id, client_secret } = analytics.credentials.oauth;
    const credentials = { refresh_token: refresh_tokens.administrator, client_id, client_secret };
    const connection = await world.connect({ system: "analytics", instance: "sandbox", credentials });
    return { analytics, world, connection };
  }

  test("no check runs before it is due; then one does, and the next is hours away", async () => {
    const { analytics, world, connection } = await start();
    const asked = async () => (await analytics.requests("/v1beta/accountSummaries")).length;
    await world.vault.maintain();
    expect(await asked()).toBe(1);
    world.advance(7 * hours);
    await world.vault.maintain();
    await world.vault.maintain();
    expect(await asked()).toBe(2);
    const { health, accessLevel } = await world.again(connection);
    expect(health).toMatchObject({ ok: true, reason: null });
    expect(Date.parse(health.nextCheckAt ?? "")).toBeGreaterThan(world.now().getTime() + 4 * hours * 1000);
    expect(accessLevel).toBe("administrator");
    // Whether the account is an administrator was asked at connect, and is not asked again.
    expect(await analytics.requests("/v1beta/accounts/100:runAccessReport")).toHaveLength(1);
  });

  test("an unreachable system is checked again sooner, and the connection stays", async () => {
    const { analytics, world, connection } = await start();
    world.advance(7 * hours);
    await analytics.control("faults", { match: { path: "/token" }, times: 1, status: 500, body: {} });
    await world.vault.maintain();
    const { state, health } = await world.again(connection);
    expect([state, health.ok]).toEqual(["connected", false]);
    expect(Date.parse(health.nextCheckAt ?? "")).toBeLessThan(world.now().getTime() + hours * 1000);
    world.advance(hours);
    await world.vault.maintain();
    expect((await world.again(connection)).health.ok).toBe(true);
  });

  // "the credentials listed and the grants of first-run connections keep working"
  test("a grant lost by a sandbox fault works again after the sandbox's reset", async () => {
    const { analytics, world, connection } = await start();
    world.advance(7 * hours);
    const body = { error: "invalid_grant" };
    await analytics.control("faults", { match: { path: "/token" }, times: 1, status: 400, body });
    await world.vault.maintain();
    expect((await world.again(connection)).state).toBe("needs_reconnect");
    await analytics.control("reset", {});
    await world.vault.reopenSandboxConnections("analytics");
    await world.vault.token(await world.again(connection));
    expect(await world.again(connection)).toMatchObject({
      state: "connected",
      stateReason: null,
      health: { ok: true },
    });
  });

  test("a withdrawn grant is noticed before it is needed", async () => {
    const { analytics, world, connection } = await start();
    const token = analytics.credentials.oauth.refresh_tokens.administrator;
    await fetch(`${analytics.url}/revoke`, { method: "POST", body: new URLSearchParams({ token }) });
    world.advance(7 * hours);
    await world.vault.maintain();
    expect(await world.again(connection)).toMatchObject({
      state: "needs_reconnect",
      health: { ok: false, nextCheckAt: null, reason: expect.stringContaining("not valid any longer") },
    });
  });

  test("a wrongly configured client does not force a reconnect: the right one works again", async () => {
    const { analytics, world, connection } = await start();
    const refusal = { error: "invalid_client", error_description: "The OAuth client was not found." };
    await analytics.control("faults", { match: { path: "/token" }, times: 1, status: 401, body: refusal });
    world.advance(7 * hours);
    await world.vault.maintain();
    expect(await world.again(connection)).toMatchObject({
      state: "connected",
      health: { ok: false, reason: expect.stringContaining("The OAuth client was not found") },
    });
    world.advance(7 * hours);
    await world.vault.maintain();
    expect((await world.again(connection)).health).toMatchObject({ ok: true, reason: null });
  });

  test("a connection whose secrets cannot be opened is reported, and the connections after it are still checked", async () => {
    const { analytics, world, connection } = await start();
    const other = await world.connect({ system: "analytics", instance: "sandbox", credentials: viewerOf(analytics) });
    await world.store.transaction((db) =>
      db.query("update connections set sealed = 'v2.x.y.z', next_check_at = '2000-01-01T00:00:00.000Z' where id = $1", [
        connection.id,
      ]),
    );
    world.advance(7 * hours);
    await world.vault.maintain();
    expect((await world.again(connection)).health).toMatchObject({
      ok: false,
      reason: expect.stringContaining("cannot be decrypted"),
    });
    expect(Date.parse((await world.again(connection)).health.nextCheckAt ?? "")).toBeGreaterThan(world.now().getTime());
    expect((await world.again(other)).health.checkedAt).not.toBe(other.health.checkedAt);
  });

  test("a connection whose secrets cannot be opened can still be removed", async () => {
    const { world, connection } = await start();
    await world.store.transaction((db) => db.query("update connections set sealed = 'v2.x.y.z'"));
    expect((await world.vault.revoke(connection, { pasted: true })).revoked).toMatchObject({
      at_system: false,
      detail: expect.stringContaining("can no longer be decrypted"),
    });
  });
});

describe("when a connection is checked next", () => {
  const now = new Date("2026-01-01T00:00:00.000Z");
  test.each([
    [nextCheckAt(now, 0), "2026-01-01T05:00:00.000Z"],
    [nextCheckAt(now, 1), "2026-01-01T07:00:00.000Z"],
    [nextCheckSoon(now, 0), "2026-01-01T00:11:15.000Z"],
    [nextCheckSoon(now, 1), "2026-01-01T00:18:45.000Z"],
  ])("%s", (moment, expected) => expect(moment).toBe(expected));
});
