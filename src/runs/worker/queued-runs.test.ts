import { expect, test } from "vitest";
import { aTool, queueTool, worldOf } from "../../../test/support/runs/runs.ts";
import { describeOnBothStores, type StoreKind } from "../../../test/support/stores.ts";
import { startTeam } from "../../../test/support/team.ts";
import { elapsedTime } from "../../kernel/elapsed-time.ts";
import { leaseFrom } from "../../steps/fence.ts";
import { createDueQueue } from "../queue/due-queue.ts";
import { createQueuedRuns } from "./queued-runs.ts";

const rests = aTool([{ name: "rest", step: "wait", input: { seconds: 0 } }]);

/** How the run stands in the store when its worker starts to work on it, after so many claims of its entry. */
async function whenTaken(kind: StoreKind, claims: number) {
  const team = await startTeam(kind);
  const { store, now } = team;
  const id = await queueTool(worldOf(team), rests);
  await store.transaction((db) => db.query("update run_queue set claims = $1", [claims - 1]));
  const leaseUntil = () => new Date(now().getTime() + 30_000).toISOString();
  const { runs } = await createDueQueue(store, "w").claim({ now: now().toISOString(), leaseUntil: leaseUntil() }, 1);
  const [run] = runs;
  if (!run) throw new Error("It was not claimed.");
  const seen: unknown[] = [];
  const queuedRuns = createQueuedRuns({
    ...{ commit: (work) => store.transaction(work), time: elapsedTime, leaseSeconds: 30, leaseUntil },
    onBegun: () => seen.push("begun"),
    async take({ claim, unsaved }) {
      const [row] = await store.query("select status, worker from runs where id = $1", [id]);
      seen.push({ ...row, fence: claim.fence, isBegun: unsaved === undefined });
      return null;
    },
  });
  const lease = leaseFrom(elapsedTime.mark(), 30, elapsedTime);
  await queuedRuns.take({ run, claim: { runId: id, worker: "w", fence: 1 }, lease, isFresh: false });
  return { seen, left: await store.query("select run_id from run_queue") };
}

describeOnBothStores("a run whose entry is claimed", (kind) => {
  test("is worked on while it is still queued, so that a fast one changes once", async () => {
    const { seen, left } = await whenTaken(kind, 1);
    expect(seen).toEqual([{ status: "queued", worker: null, fence: 1, isBegun: false }]);
    expect(left).toHaveLength(1);
  });

  // Otherwise nobody would count the workers that die because of it, and it would be tried for ever.
  test("is begun before any work, if a worker has claimed it before and died", async () => {
    const { seen, left } = await whenTaken(kind, 2);
    expect(seen).toEqual(["begun", { status: "running", worker: "w", fence: 1, isBegun: true }]);
    expect(left).toEqual([]);
  });
});
