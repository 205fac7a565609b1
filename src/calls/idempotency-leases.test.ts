import { expect, test, vi } from "vitest";
import { cleanUpLater, describeOnBothStores, newStore, type StoreKind } from "../../test/support/stores.ts";
import { startTeam, type Team } from "../../test/support/team.ts";
import { type Store, StoreUnavailable } from "../store/db.ts";
import { endKeyLeases } from "./idempotency-leases.ts";

const tool = {
  title: "Waits",
  params_schema: { type: "object" },
  steps: [{ name: "wait", step: "wait", input: { seconds: 0 } }],
};
const create = (team: Team, body: object = tool) =>
  team.call("tools/create", body, { ...team.inProject(team.owner), headers: { "idempotency-key": "k1" } });
const countTools = async ({ store }: Team) => (await store.query("select 1 from tools")).length;
const keptIn = async ({ store }: Team) =>
  store.query<{ body: string | null; holder: string; lease_until: string | null }>(
    "select body, holder, lease_until from idempotent_answers",
  );

/** A store that holds back transactions after a given number of them. */
async function startFreezable(kind: StoreKind) {
  const store = await newStore(kind);
  let left = Number.POSITIVE_INFINITY;
  let frozen = 0;
  let thaw = () => {};
  let thawed = Promise.resolve();
  const freezable: Store = {
    ...store,
    async transaction(work) {
      if (--left < 0) {
        frozen++;
        await thawed;
      }
      return store.transaction(work);
    },
  };
  const team = await startTeam(kind, { store: freezable });
  return {
    team,
    store,
    /** The next call stops after this many of its transactions; other calls continue once it has stopped. */
    async freezing<T>(after: number, begin: () => Promise<T>): Promise<{ going: Promise<T>; thaw: () => void }> {
      thawed = new Promise((resolve) => {
        thaw = resolve;
      });
      cleanUpLater(async () => thaw());
      left = after;
      frozen = 0;
      const going = begin();
      await expect.poll(() => frozen).toBe(1);
      left = Number.POSITIVE_INFINITY;
      return { going, thaw };
    },
    /** As if the process had missed the renewals. */
    endLeases: () =>
      store.transaction((db) =>
        db.query(
          "update idempotent_answers set lease_until = '2020-01-01T00:00:00.000Z' where lease_until is not null",
        ),
      ),
  };
}

// "A key's place is held by a lease that is renewed while the call lives and ends with its process: a repeat is taken up within seconds."
describeOnBothStores("the slot of an Idempotency-Key", (kind) => {
  test("returns Retry-After while its call runs, and is free within seconds after the call died", async () => {
    const { team, freezing, endLeases } = await startFreezable(kind);
    await freezing(1, () => create(team));
    const refused = await create(team);
    expect(refused.body).toMatchObject({ status: 409, code: "idempotency_in_progress" });
    const seconds = Number(refused.headers["retry-after"]);
    expect(seconds).toBeGreaterThanOrEqual(1);
    expect(seconds).toBeLessThanOrEqual(15);
    await endLeases();
    expect((await create(team, { ...tool, title: "Other" })).body.code).toBe("idempotency_mismatch");
    const taken = await create(team);
    expect([taken.status, taken.headers["idempotency-replayed"]]).toEqual([200, undefined]);
    expect((await create(team)).text).toBe(taken.text);
    expect(await countTools(team)).toBe(1);
  });

  test("goes to one of ten concurrent claims", async () => {
    const { team, freezing, endLeases } = await startFreezable(kind);
    await freezing(1, () => create(team));
    await endLeases();
    const answers = await Promise.all(Array.from({ length: 10 }, () => create(team)));
    const served = answers.filter(({ status }) => status === 200);
    expect(new Set(served.map(({ text }) => text)).size).toBe(1);
    expect(served.filter(({ headers }) => headers["idempotency-replayed"] === undefined)).toHaveLength(1);
    expect(answers.filter(({ status }) => status !== 200).map(({ body }) => body.code)).toEqual(
      Array(10 - served.length).fill("idempotency_in_progress"),
    );
    expect(await countTools(team)).toBe(1);
  });

  test("is lost by a call that stalled, and the effect happens once", async () => {
    const { team, freezing, endLeases } = await startFreezable(kind);
    const { going, thaw } = await freezing(1, () => create(team));
    await endLeases();
    const taken = await create(team);
    thaw();
    const late = await going;
    expect(late.body).toMatchObject({ status: 409, code: "idempotency_in_progress" });
    expect(late.headers["retry-after"]).toBe("1");
    expect(await countTools(team)).toBe(1);
    expect((await create(team)).text).toBe(taken.text);
  });

  test("keeps what the call began, also after its lease has expired", async () => {
    const { team, freezing, endLeases } = await startFreezable(kind);
    const { going, thaw } = await freezing(2, () => create(team));
    await endLeases();
    const again = await create(team);
    expect([again.status, again.headers["idempotency-replayed"]]).toEqual([200, "true"]);
    thaw();
    expect((await going).body.tool_id).toBe(again.body.tool_id);
    expect(await countTools(team)).toBe(1);
  });

  test("is renewed while its call lives, and no longer", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    cleanUpLater(async () => void vi.useRealTimers());
    const { team, freezing, endLeases } = await startFreezable(kind);
    const { going, thaw } = await freezing(1, () => create(team));
    const intervals = vi.getTimerCount();
    await endLeases();
    await vi.advanceTimersByTimeAsync(5000);
    await expect.poll(async () => (await keptIn(team))[0]?.lease_until).toMatch(/^(?!2020)/);
    expect((await create(team)).body.code).toBe("idempotency_in_progress");
    thaw();
    expect((await going).status).toBe(200);
    expect(await keptIn(team)).toEqual([expect.objectContaining({ lease_until: null })]);
    expect(vi.getTimerCount()).toBe(intervals - 1);
  });

  test("is free after a process that starts alone has ended all leases", async () => {
    const { team, store, freezing } = await startFreezable(kind);
    await freezing(1, () => create(team));
    await store.transaction(endKeyLeases);
    expect((await create(team)).status).toBe(200);
  });

  test("is in the log if a failed call cannot release it", async () => {
    const store = await newStore(kind);
    let left = Number.POSITIVE_INFINITY;
    const failing: Store = {
      ...store,
      async transaction(work) {
        if (--left < 0) throw new StoreUnavailable("unreachable", new Error("The connection was lost."));
        return store.transaction(work);
      },
    };
    const team = await startTeam(kind, { store: failing });
    left = 1;
    const refused = await create(team);
    expect(refused.body).toMatchObject({ status: 503, code: "unavailable" });
    const line = team.logged.map((each) => JSON.parse(each)).find(({ msg }) => msg.startsWith("an idempotency key"));
    expect(line).toMatchObject({ level: 40, operation: "/latest/tools/create", request_id: refused.body.request_id });
    expect(line.err.message).toContain("The store cannot be reached.");
  });
});
