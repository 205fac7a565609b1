import { describe, expect, inject, test } from "vitest";
import { whileBusy } from "../../../../test/support/databases/busy-pool.ts";
import { scimOf } from "../../../../test/support/scim/scim.ts";
import { newStore } from "../../../../test/support/stores.ts";
import { startTeam } from "../../../../test/support/team.ts";
import { checksumOf, newApiKey } from "../../../access/callers/api-key-format.ts";
import type { Db, Store } from "../../../store/db.ts";
import { defaultPolicies as rateLimits } from "../default-quotas.ts";

const countsOf = async ({ reserve }: Store, policy: string) =>
  (await reserve.query<{ used: number }>("select used from call_counts where policy = $1", [policy])).map(
    ({ used }) => used,
  );

/** The same store, and the statements on the counts that went to it. */
function recording(store: Store): { store: Store; statements: string[] } {
  const statements: string[] = [];
  const noted = <D extends Pick<Db, "query">>(db: D): D => ({
    ...db,
    query: (text, values) => {
      if (text.includes("into call_counts")) statements.push(text);
      return db.query(text, values);
    },
  });
  const recorded = { ...noted(store), reserve: noted(store.reserve) };
  return { statements, store: { ...recorded, transaction: (work) => store.transaction((db) => work(noted(db))) } };
}

const wrong = () => ({ authorization: `Bearer :${newApiKey("us")}` });

// "Pool exhausted by slow queries: authentication keeps a reserve."
describe.skipIf(inject("postgresUrl") === null)("while slow statements use the whole pool", () => {
  test("a wrong key is refused and counted, for its address and for its beginning", async () => {
    const { store, call } = await startTeam("postgres", { rateLimits, sharesLimits: true });
    await whileBusy(store, async () => {
      expect((await call("projects/list", {}, wrong())).status).toBe(401);
      expect(await countsOf(store, "auth_failure")).toEqual([1, 1]);
    });
  });

  test("a wrong token of a directory and of an assistant are refused and counted", async () => {
    const team = await startTeam("postgres", { rateLimits, sharesLimits: true });
    const { scim } = await scimOf(team);
    const unknown = newApiKey("us").replace("sbk_", "sbs_").slice(0, -6);
    const authorization = `Bearer ${unknown}${checksumOf(unknown)}`;
    await whileBusy(team.store, async () => {
      expect((await scim("GET", "/Users", undefined, { authorization })).status).toBe(401);
      const headers = { ...wrong(), "content-type": "application/json" };
      // As for SCIM, counted for its address and for its beginning.
      const mcp = await team.app.inject({ method: "POST", url: "/mcp", headers, payload: "{}" });
      expect(mcp.statusCode).toBe(401);
      expect((await countsOf(team.store, "auth_failure")).toSorted()).toEqual([1, 1, 2]);
    });
  });

  test("an attempt to sign in is counted", async () => {
    const { store, call } = await startTeam("postgres", { rateLimits, sharesLimits: true });
    let answer: Promise<{ status: number }> | undefined;
    await whileBusy(store, async () => {
      answer = call("auth/sign_in/password", { email: "ada@example.com", password: "not hers" });
      await expect.poll(() => countsOf(store, "sign_in")).toEqual([1]);
    });
    expect((await answer)?.status).toBe(401);
  });
});

describe.skipIf(inject("postgresUrl") === null)("a call that needs two counts", () => {
  test("is counted with one statement", async () => {
    const { store, statements } = recording(await newStore("postgres"));
    const { call } = await startTeam("postgres", { rateLimits, sharesLimits: true, store });
    statements.splice(0);
    expect((await call("projects/list", {}, wrong())).status).toBe(401);
    expect(statements).toHaveLength(1);
    expect(await countsOf(store, "auth_failure")).toEqual([1, 1]);
  });
});
