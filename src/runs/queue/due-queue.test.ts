import { expect, test } from "vitest";
import { aTool, queueTool, worldOf } from "../../../test/support/runs.ts";
import { describeOnBothStores, type StoreKind } from "../../../test/support/stores.ts";
import { startTeam } from "../../../test/support/team.ts";
import { createDueQueue } from "./due-queue.ts";

const rests = aTool([{ name: "rest", step: "wait", input: { seconds: 0 } }]);

/** So many runs, due a second apart, and a worker who claims one at a time. */
async function aLineOf(kind: StoreKind, length: number) {
  const team = await startTeam(kind);
  const ids: string[] = [];
  for (let place = 0; place < length; place++) {
    ids.push(await queueTool(worldOf(team), rests));
    team.advance(1);
  }
  const line = createDueQueue(team.store, "w");
  const claimOne = async () => {
    const now = team.now();
    const leaseUntil = new Date(now.getTime() + 3_600_000).toISOString();
    const { runs } = await line.claim({ now: now.toISOString(), leaseUntil }, 1);
    return runs.map(({ id }) => id);
  };
  const moveBefore = (runId: string) =>
    team.store.transaction((db) =>
      db.query("update runs set run_at = $2 where id = $1", [runId, "2020-01-01T00:00:00.000Z"]),
    );
  return { ids, line, claimOne, moveBefore };
}

describeOnBothStores("the line of runs that are due", (kind) => {
  test("is served in its order, and one who comes in before the front is found when all of it is looked at", async () => {
    const { ids, line, claimOne, moveBefore } = await aLineOf(kind, 4);
    const [first, second, third, late = ""] = ids;
    expect(await claimOne()).toEqual([first]);
    await moveBefore(late);
    expect(await claimOne()).toEqual([second]);
    line.rescan();
    expect(await claimOne()).toEqual([late]);
    expect(await claimOne()).toEqual([third]);
    expect(await claimOne()).toEqual([]);
  });

  test("is looked at from its beginning once nobody is left behind the front", async () => {
    const { ids, claimOne, moveBefore } = await aLineOf(kind, 2);
    const [first, late = ""] = ids;
    expect(await claimOne()).toEqual([first]);
    await moveBefore(late);
    expect(await claimOne()).toEqual([late]);
  });
});
