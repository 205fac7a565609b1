import { expect, test } from "vitest";
import { aTool, queueTool, worldOf } from "../../../test/support/runs/runs.ts";
import { describeOnBothStores, type StoreKind } from "../../../test/support/stores.ts";
import { startTeam } from "../../../test/support/team.ts";
import { createDueQueue } from "./due-queue.ts";

const rests = aTool([{ name: "rest", step: "wait", input: { seconds: 0 } }]);

/** Some runs, due a second apart, and a worker that claims one at a time. */
async function queueOf(kind: StoreKind, length: number) {
  const team = await startTeam(kind);
  const ids: string[] = [];
  for (let index = 0; index < length; index++) {
    ids.push(await queueTool(worldOf(team), rests));
    team.advance(1);
  }
  const queue = createDueQueue(team.store, "w");
  const claimRuns = async (limit: number) => {
    const now = team.now();
    const leaseUntil = new Date(now.getTime() + 3_600_000).toISOString();
    const { runs } = await queue.claim({ now: now.toISOString(), leaseUntil }, limit);
    return runs;
  };
  const claimOne = async () => (await claimRuns(1)).map(({ id }) => id);
  const moveBefore = (runId: string) =>
    team.store.transaction((db) =>
      db.query("update run_queue set due_at = $2 where run_id = $1", [runId, "2020-01-01T00:00:00.000Z"]),
    );
  return { team, ids, queue, claimRuns, claimOne, moveBefore };
}

describeOnBothStores("the queue of due runs", (kind) => {
  test("is claimed in order; a full scan finds a run that became due before the front", async () => {
    const { ids, queue, claimOne, moveBefore } = await queueOf(kind, 4);
    const [first, second, third, late = ""] = ids;
    expect(await claimOne()).toEqual([first]);
    await moveBefore(late);
    expect(await claimOne()).toEqual([second]);
    queue.rescan();
    expect(await claimOne()).toEqual([late]);
    expect(await claimOne()).toEqual([third]);
    expect(await claimOne()).toEqual([]);
  });

  test("is scanned from its beginning once no run is left behind the front", async () => {
    const { ids, claimOne, moveBefore } = await queueOf(kind, 2);
    const [first, late = ""] = ids;
    expect(await claimOne()).toEqual([first]);
    await moveBefore(late);
    expect(await claimOne()).toEqual([late]);
  });

  test.each([
    ["params are no JSON", "params", "{"],
    ["params are gone", "params", "@gone"],
    ["definition is damaged", "definition", "{"],
    ["source is damaged", "source", "{"],
  ])("a run whose %s says so, and the others of its claim do not", async (_, column, text) => {
    const { team, ids, claimRuns } = await queueOf(kind, 3);
    const [first, damaged = "", last] = ids;
    await team.store.transaction((db) => db.query(`update runs set ${column} = $2 where id = $1`, [damaged, text]));
    const runs = await claimRuns(3);
    expect(runs.map(({ id }) => id).sort()).toEqual([first, damaged, last].sort());
    expect(runs.filter(({ unreadable }) => unreadable).map(({ id }) => id)).toEqual([damaged]);
  });
});
