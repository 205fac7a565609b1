import { describe, expect, test } from "vitest";
import { describeOnBothStores } from "../../test/support/stores.ts";
import { startSandbox, startVault } from "../../test/support/systems/vault.ts";
import { StoreUnavailable } from "../store/db.ts";
import { StepFailed } from "../systems/work.ts";
import { tokenLifeOf } from "./when-to-refresh.ts";

const tokenPath = "/identity/oauth/token";

async function startMarketing(kind: "sqlite" | "postgres") {
  const sandbox = await startSandbox("marketing");
  const world = await startVault(kind, { marketing: sandbox });
  const connection = await world.connect({ system: "marketing", instance: "sandbox" });
  return { sandbox, world, connection, asked: async () => (await sandbox.requests(tokenPath)).length };
}

async function startAnalytics(kind: "sqlite" | "postgres") {
  const sandbox = await startSandbox("analytics");
  const world = await startVault(kind, { analytics: sandbox });
  const { client_id, client_secret, refresh_tokens } = sandbox.credentials.oauth;
  const credentials = { client_id, client_secret, refresh_token: refresh_tokens.administrator };
  const connection = await world.connect({ system: "analytics", instance: "sandbox", credentials });
  return { sandbox, world, connection, asked: async () => (await sandbox.requests("/token")).length };
}

const failureOf = async (work: Promise<unknown>) => {
  const error = await work.then(
    () => null,
    (reason) => reason,
  );
  if (!(error instanceof StepFailed)) throw error ?? new Error("Nothing failed.");
  return error.failure;
};

describeOnBothStores("a token", (kind) => {
  test("is the one obtained at connect until it is about to expire", async () => {
    const { world, connection, asked } = await startAnalytics(kind);
    const first = await world.vault.token(connection);
    expect(await world.another().token(connection)).toMatchObject({ generation: first.generation });
    expect(await asked()).toBe(1);
    world.advance(3590);
    const second = await world.vault.token(await world.again(connection));
    expect(second.value.reveal()).not.toBe(first.value.reveal());
    expect(second.generation).toBe(first.generation + 1);
    expect(await asked()).toBe(2);
  });

  test("fifty callers with an expired one, in two processes, cause exactly one refresh", async () => {
    const { world, connection, asked } = await startAnalytics(kind);
    world.advance(4000);
    const vaults = [world.vault, world.another()];
    const tokens = await Promise.all(Array.from({ length: 50 }, (_, i) => vaults[i % 2]?.token(connection)));
    expect(new Set(tokens.map((token) => token?.value.reveal())).size).toBe(1);
    expect(await asked()).toBe(2);
  });

  test("fifty callers that were refused with the same one cause exactly one refresh, and all get another", async () => {
    const { sandbox, world, connection, asked } = await startMarketing(kind);
    const refused = await world.vault.token(connection);
    await sandbox.control("limits", { revoke_tokens: true });
    const before = await asked();
    const vaults = [world.vault, world.another()];
    const tokens = await Promise.all(Array.from({ length: 50 }, (_, i) => vaults[i % 2]?.token(connection, refused)));
    expect(new Set(tokens.map((token) => token?.generation))).toEqual(new Set([refused.generation + 1]));
    expect(await asked()).toBe(before + 1);
    // A late caller with the old token gets the new one and causes no third.
    expect((await world.vault.token(connection, refused)).generation).toBe(refused.generation + 1);
    expect(await asked()).toBe(before + 1);
  });

  test("the lease of a dead holder is taken over once it expires", async () => {
    const { world, connection, asked } = await startAnalytics(kind);
    world.advance(4000);
    const until = new Date(world.now().getTime() + 30_000).toISOString();
    await world.store.transaction((db) =>
      db.query("update connections set lease_owner = 'dead', lease_until = $1, lease_fence = lease_fence + 1", [until]),
    );
    const waiting = world.vault.token(connection);
    expect(await Promise.race([waiting, world.another().find(world.projectId, connection.id)])).toHaveProperty("id");
    expect(await asked()).toBe(1);
    world.advance(31);
    expect((await waiting).generation).toBe(2);
    expect(await asked()).toBe(2);
  });

  // Each node has its own clock: two concurrent refreshes would lose a refresh token that rotates.
  test.skipIf(kind === "sqlite")("a node whose clock is ahead does not take a lease that is still valid", async () => {
    const { world, connection, asked } = await startAnalytics(kind);
    const until = new Date(Date.now() + 30_000).toISOString();
    await world.store.transaction((db) =>
      db.query("update connections set lease_owner = 'alive', lease_until = $1, lease_fence = lease_fence + 1", [
        until,
      ]),
    );
    const waiting = world.ahead(4000).token(connection);
    // Time enough for several lookups: each wait is as long as a lookup.
    for (let look = 0; look < 50; look++) await world.store.transaction((db) => db.query("select 1 as one"));
    expect(await world.store.query("select lease_owner from connections")).toEqual([{ lease_owner: "alive" }]);
    expect(await asked()).toBe(1);
    await world.store.transaction((db) => db.query("update connections set lease_until = null"));
    expect((await waiting).generation).toBe(2);
  });

  test("a holder that lost its lease writes nothing and returns the token of the new holder", async () => {
    const { sandbox, world, connection } = await startAnalytics(kind);
    world.advance(4000);
    await sandbox.control("faults", { match: { path: "/token" }, times: 1, delay_ms: 300 });
    const slow = world.vault.token(connection);
    for (;;) {
      const [row] = await world.store.query<{ lease_owner: string | null }>("select lease_owner from connections");
      if (row?.lease_owner) break;
      await new Promise(setImmediate);
    }
    world.advance(60);
    const quick = await world.another().token(connection);
    const late = await slow;
    expect(late.value.reveal()).toBe(quick.value.reveal());
    expect(late.generation).toBe(quick.generation);
  });

  test("a grant that was withdrawn turns the connection to needs_reconnect, and no further request is sent", async () => {
    const { sandbox, world, connection, asked } = await startAnalytics(kind);
    await fetch(`${sandbox.url}/revoke`, {
      method: "POST",
      body: new URLSearchParams({ token: sandbox.credentials.oauth.refresh_tokens.administrator }),
    });
    world.advance(4000);
    const failure = await failureOf(world.vault.token(connection));
    expect(failure).toMatchObject({ code: "needs_reconnect", cure: "give up" });
    const now = await world.again(connection);
    expect(now).toMatchObject({
      state: "needs_reconnect",
      stateReason: expect.stringContaining("not valid any longer"),
    });
    const before = await asked();
    expect(await failureOf(world.vault.token(now))).toMatchObject({ code: "needs_reconnect" });
    expect(await failureOf(world.another().token(connection))).toMatchObject({ code: "needs_reconnect" });
    expect(await asked()).toBe(before);
  });

  test("an unreachable system does not end the connection, and the old token is used until it expires", async () => {
    const { sandbox, world, connection } = await startAnalytics(kind);
    const first = await world.vault.token(connection);
    await sandbox.control("faults", { match: { path: "/token" }, times: 2, status: 503, body: {} });
    world.advance(3590);
    expect((await world.vault.token(connection)).generation).toBe(first.generation);
    world.advance(100);
    expect(await failureOf(world.vault.token(connection))).toMatchObject({
      code: "system_unavailable",
      cure: "try again",
    });
    expect((await world.again(connection)).state).toBe("connected");
    expect((await world.vault.token(connection)).generation).toBe(first.generation + 1);
  });

  test("a rotated refresh token is stored before the new token is used, and the next refresh uses it", async () => {
    const { sandbox, world, connection } = await startAnalytics(kind);
    const body = {
      access_token: "ya29.rotated",
      expires_in: 3599,
      token_type: "Bearer",
      refresh_token: sandbox.credentials.oauth.refresh_tokens.viewer,
    };
    await sandbox.control("faults", { match: { path: "/token" }, times: 1, status: 200, body });
    world.advance(4000);
    expect((await world.vault.token(connection)).value.reveal()).toBe("ya29.rotated");
    world.advance(4000);
    await world.another().token(connection);
    expect((await sandbox.requests("/token")).at(-1)?.identity).toBe("viewer@analytics-sandbox.example");
  });

  test("a token obtained while the store is briefly unavailable is stored once it is available again", async () => {
    const { world, connection, asked } = await startAnalytics(kind);
    const before = await asked();
    world.advance(4000);
    const store = world.store as { transaction: typeof world.store.transaction };
    const { transaction } = store;
    let calls = 0;
    // The first request takes the lease; the second and third would save the token.
    store.transaction = (work) =>
      [2, 3].includes(++calls)
        ? Promise.reject(new StoreUnavailable("unreachable", new Error("gone")))
        : transaction(work);
    const { generation } = await world.vault.token(connection);
    store.transaction = transaction;
    expect([generation, calls, await asked()]).toEqual([2, 4, before + 1]);
    expect((await world.another().token(connection)).generation).toBe(2);
  });

  test("a refusal that arrives after the lease was lost does not end the connection", async () => {
    const { sandbox, world, connection } = await startAnalytics(kind);
    world.advance(4000);
    const refusal = { status: 400, body: { error: "invalid_grant" } };
    await sandbox.control("faults", { match: { path: "/token" }, times: 1, delay_ms: 300, ...refusal });
    const slow = world.vault.token(connection);
    await expect
      .poll(async () => (await world.store.query("select lease_owner from connections"))[0])
      .toMatchObject({
        lease_owner: expect.any(String),
      });
    world.advance(60);
    const quick = await world.another().token(connection);
    expect((await slow).generation).toBe(quick.generation);
    expect((await world.again(connection)).state).toBe("connected");
  });

  test("a pasted token that is refused cannot be renewed", async () => {
    const sandbox = await startSandbox("deployment");
    const world = await startVault(kind, { deployment: sandbox });
    const { token, team_id } = sandbox.credentials;
    const wish = { system: "deployment", instance: "sandbox", credentials: { token, team_id } } as const;
    const connection = await world.connect(wish);
    const refused = await world.vault.token(connection);
    expect(refused.value.reveal()).toBe(token);
    expect(await failureOf(world.vault.token(connection, refused))).toMatchObject({ code: "needs_reconnect" });
    expect((await world.again(connection)).state).toBe("needs_reconnect");
  });

  test("reporting a lost grant does not affect an account that was reconnected meanwhile", async () => {
    const { world, connection } = await startMarketing(kind);
    world.advance(1);
    const renewed = await world.connect({ system: "marketing", instance: "sandbox", connectionId: connection.id });
    expect(renewed.id).toBe(connection.id);
    await world.vault.lost(connection, "an old story");
    expect((await world.again(connection)).state).toBe("connected");
    await world.vault.lost(renewed, "withdrawn");
    expect(await world.again(connection)).toMatchObject({ state: "needs_reconnect", stateReason: "withdrawn" });
  });

  test("a call that began before the account was moved to another address gets no token for the old one", async () => {
    const [before, after] = [await startSandbox("marketing"), await startSandbox("marketing")];
    const world = await startVault(kind, {}, { privateOrigins: [before.url, after.url] });
    const wish = (sandbox: typeof before) =>
      ({ system: "marketing", instance: sandbox.url, credentials: sandbox.credentials }) as const;
    const begun = await world.connect(wish(before));
    world.advance(1);
    const again = await world.connect({ ...wish(before), connectionId: begun.id });
    expect((await world.vault.token(begun)).generation).toBe(again.tokenGeneration);
    world.advance(1);
    const moved = await world.connect({ ...wish(after), connectionId: begun.id });
    await world.vault.token(moved);
    for (const vault of [world.vault, world.another()]) {
      expect(await failureOf(vault.token(begun))).toMatchObject({
        code: "system_unavailable",
        detail: expect.stringContaining("another address"),
      });
    }
  });

  test("a marketing token that arrives expired is requested again", async () => {
    const { sandbox, world, connection, asked } = await startMarketing(kind);
    const body = { access_token: "ending", token_type: "bearer", expires_in: 0, scope: "a@example.com" };
    await sandbox.control("faults", { match: { path: tokenPath }, times: 1, status: 200, body });
    world.advance(4000);
    const before = await asked();
    expect((await world.vault.token(connection)).value.reveal()).not.toBe("ending");
    expect(await asked()).toBe(before + 2);
  });
});

describe("how long a token is used", () => {
  const now = new Date("2026-01-01T00:00:00.000Z");
  const secondsOf = (moment: string | null) => (Date.parse(moment ?? "") - now.getTime()) / 1000;

  test.each([
    [3600, 0, 3540],
    [3600, 1, 3480],
    [10, 0, 9],
    [10, 1, 8],
  ])("of %s seconds, with chance %s, %s", (life, random, expected) => {
    const { refreshAt, expiresAt } = tokenLifeOf({ expiresInSeconds: life }, now, false, random);
    expect(secondsOf(refreshAt)).toBeCloseTo(expected);
    expect(secondsOf(expiresAt)).toBe(life);
  });

  test("a token that the system returns again is used until it expires", () => {
    const { refreshAt, expiresAt } = tokenLifeOf({ expiresInSeconds: 50 }, now, true);
    expect(refreshAt).toBe(expiresAt);
  });

  test("a token that does not expire is never refreshed", () => {
    expect(tokenLifeOf({ expiresInSeconds: null }, now)).toEqual({ refreshAt: null, expiresAt: null });
  });
});
