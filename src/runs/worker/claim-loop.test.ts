import { expect, test } from "vitest";
import { aTool, queueTool, worldOf } from "../../../test/support/runs/runs.ts";
import { describeOnBothStores } from "../../../test/support/stores.ts";
import { startTeam } from "../../../test/support/team.ts";
import { elapsedTime } from "../../kernel/elapsed-time.ts";
import { createLog } from "../../kernel/log.ts";
import { createHeldLeases } from "../queue/held-leases.ts";
import { createClaimLoop } from "./claim-loop.ts";
import { createWorkerCapacity } from "./worker-capacity.ts";

const rests = aTool([{ name: "rest", step: "wait", input: { seconds: 0 } }]);

describeOnBothStores("a worker with much free capacity", (kind) => {
  // "Bound what one turn of the loop does (claims, …)."
  test("begins at most sixteen runs of a long queue in one turn of the event loop, and the others after it", async () => {
    const { store, now, ...team } = await startTeam(kind);
    const queued: string[] = [];
    for (let index = 0; index < 40; index++) queued.push(await queueTool(worldOf({ store, now, ...team }), rests));
    const capacity = createWorkerCapacity(1000);
    const begun: string[] = [];
    const inEachTurn: number[] = [];
    const claims = createClaimLoop({
      ...{
        store,
        name: "w",
        log: createLog("silent", process.stdout),
        now,
        time: elapsedTime,
        capacity,
        pollSeconds: 3600,
      },
      leases: createHeldLeases({ store, worker: "w", leaseSeconds: 30, now, time: elapsedTime }),
      take: () => expect.unreachable(),
      takeQueued({ run }) {
        capacity.take(run.organizationId, true);
        begun.push(run.id);
      },
    });
    void claims.begin();
    while (begun.length < queued.length) {
      const before = begun.length;
      await new Promise((resolve) => setImmediate(resolve));
      inEachTurn.push(begun.length - before);
    }
    await claims.stop();
    expect(Math.max(...inEachTurn)).toBe(16);
    expect(begun.sort()).toEqual(queued.sort());
  });
});
