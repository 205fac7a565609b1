import { expect, test } from "vitest";
import { describeOnBothStores } from "../../../test/support/stores.ts";
import { startTeam } from "../../../test/support/team.ts";

describeOnBothStores("an expiry at the end of time", (kind) => {
  test.each(["9999-12-31T23:59:59.999Z", "9999-12-31T23:59:59-23:59"])("a key until %s works", async (expires_at) => {
    const { call, owner } = await startTeam(kind);
    const { body: key } = await call("auth/keys/create", { expires_at }, { as: owner });
    expect(key.expires_at).toBe("9999-12-31T23:59:59.999Z");
    expect((await call("auth/info", {}, { authorization: `Bearer :${key.api_key}` })).status).toBe(200);
  });

  test("its successor, with the same lifetime, works too", async () => {
    const { call, owner, advance } = await startTeam(kind);
    const { body: old } = await call("auth/keys/create", { expires_at: "9999-12-31T00:00:00Z" }, { as: owner });
    advance(3 * 86_400);
    const { body: key } = await call("auth/keys/reroll", { key_id: old.key_id }, { as: owner });
    expect(key.expires_at).toBe("9999-12-31T23:59:59.999Z");
    expect((await call("auth/info", {}, { authorization: `Bearer :${key.api_key}` })).status).toBe(200);
  });
});
