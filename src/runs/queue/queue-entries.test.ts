import { expect, test } from "vitest";
import { startPlatform } from "../../../test/support/platform.ts";
import { aTool, queueTool, runOnce, worldOf } from "../../../test/support/runs/runs.ts";
import { describeOnBothStores } from "../../../test/support/stores.ts";
import { startTeam, type Team } from "../../../test/support/team.ts";
import { endAllLeases, requestCancel } from "../runs.ts";
import { createDueQueue } from "./due-queue.ts";
import { createMissingEntries } from "./missing-entries.ts";
import { beginQueuedRun, type Claim, LeaseLost, leaveQueuedRun } from "./queue.ts";

const rests = aTool([{ name: "rest", step: "wait", input: { seconds: 0 } }]);
const later = (team: Team, seconds: number) => new Date(team.now().getTime() + seconds * 1000).toISOString();

/** Claims what is due, as this worker, with a lease of 30 seconds. */
async function claimAs(team: Team, worker: string): Promise<Claim[]> {
  const times = { now: team.now().toISOString(), leaseUntil: later(team, 30) };
  const { runs, haveBegun } = await createDueQueue(team.store, worker).claim(times, 10);
  return runs.map(({ id, fence }) => ({ runId: id, worker, fence: haveBegun ? fence : 1 }));
}

const rowOf = async (team: Team, id: string) =>
  (await team.store.query("select status, worker, fence from runs where id = $1", [id]))[0];
const entries = (team: Team) => team.store.query("select run_id, worker from run_queue");
const begin = (team: Team, claim: Claim) => team.store.transaction((db) => beginQueuedRun(db, claim, later(team, 30)));

describeOnBothStores("a run that no worker has begun", (kind) => {
  test("is claimed by its entry alone: the run does not change, and no other worker gets it meanwhile", async () => {
    const team = await startTeam(kind);
    const id = await queueTool(worldOf(team), rests);
    const before = await team.store.query("select * from runs where id = $1", [id]);
    expect(await claimAs(team, "first")).toEqual([{ runId: id, worker: "first", fence: 1 }]);
    expect(await team.store.query("select * from runs where id = $1", [id])).toEqual(before);
    expect(await claimAs(team, "second")).toEqual([]);
    expect(await entries(team)).toEqual([{ run_id: id, worker: "first" }]);
  });

  test.each(["ends", "begins"])("belongs to the worker that %s it first, if another stood still", async (how) => {
    const team = await startTeam(kind);
    const id = await queueTool(worldOf(team), rests);
    const [frozen] = await claimAs(team, "frozen");
    team.advance(31);
    const [awake] = await claimAs(team, "awake");
    if (!frozen || !awake) throw new Error("It was not claimed twice.");
    const end = { status: "succeeded", output: null, problem: null, waitingFor: null, runAt: null } as const;
    const leave = (claim: Claim) =>
      team.store.transaction((db) => leaveQueuedRun(db, claim, { ...end, finishedAt: team.now().toISOString() }));
    await (how === "ends" ? leave(awake) : begin(team, awake));
    await expect(begin(team, frozen)).rejects.toThrow(LeaseLost);
    await expect(leave(frozen)).rejects.toThrow(LeaseLost);
    const expected = how === "ends" ? { status: "succeeded", worker: null } : { status: "running", worker: "awake" };
    expect(await rowOf(team, id)).toEqual({ ...expected, fence: 1 });
    expect(await entries(team)).toEqual([]);
  });

  test("is cancelled at once, also after a worker has claimed its entry", async () => {
    const team = await startTeam(kind);
    const world = worldOf(team);
    const id = await queueTool(world, rests);
    const [claimed] = await claimAs(team, "w");
    expect((await world.call(`runs/${id}/cancel`)).body.status).toBe("cancelled");
    expect(await entries(team)).toEqual([]);
    await expect(begin(team, claimed as Claim)).rejects.toThrow(LeaseLost);
    expect(await rowOf(team, id)).toMatchObject({ status: "cancelled" });
  });

  test("is not begun any more if it is asked to stop, and is claimed again at once, so that it ends", async () => {
    const team = await startTeam(kind);
    const id = await queueTool(worldOf(team), rests);
    const [claimed] = await claimAs(team, "w");
    await team.store.transaction((db) => requestCancel(db, team.projectId, id, team.now()));
    await expect(begin(team, claimed as Claim)).rejects.toThrow(LeaseLost);
    await runOnce(worldOf(team), id, "cancelled");
    expect(await entries(team)).toEqual([]);
  });

  test("gets an entry from a process that is alone with the store, if it has none", async () => {
    const team = await startTeam(kind);
    const id = await queueTool(worldOf(team), rests);
    await team.store.transaction((db) => db.query("delete from run_queue"));
    await endAllLeases(team.store, team.now());
    expect((await claimAs(team, "w")).map(({ runId }) => runId)).toEqual([id]);
  });

  test("is found behind very many entries of runs that a node of the previous version has claimed", async () => {
    const team = await startTeam(kind);
    const taken = await Promise.all(Array.from({ length: 40 }, () => queueTool(worldOf(team), rests)));
    const marks = taken.map((_, index) => `$${index + 1}`).join(", ");
    await team.store.transaction((db) =>
      db.query(`update runs set fence = 1, run_at = null where id in (${marks})`, taken),
    );
    team.advance(1);
    const id = await queueTool(worldOf(team), rests);
    expect((await claimAs(team, "w")).map(({ runId }) => runId)).toEqual([id]);
    expect(await entries(team)).toEqual([{ run_id: id, worker: "w" }]);
  });

  test("is left to a node of the previous version that has claimed it", async () => {
    const team = await startTeam(kind);
    const id = await queueTool(worldOf(team), rests);
    const theirs = "update runs set status = 'running', worker = 'old', fence = fence + 1, run_at = null where id = $1";
    await team.store.transaction((db) => db.query(theirs, [id]));
    expect(await claimAs(team, "new")).toEqual([]);
    expect(await entries(team)).toEqual([]);
  });

  test.runIf(kind === "postgres")("gets an entry, if a node of the previous version has queued it", async () => {
    const team = await startTeam(kind);
    const id = await queueTool(worldOf(team), rests);
    await team.store.transaction((db) => db.query("delete from run_queue"));
    expect(await createMissingEntries(team.store)()).toBe(1);
    expect((await claimAs(team, "w")).map(({ runId }) => runId)).toEqual([id]);
  });

  test("becomes `running` a moment later, if it is not fast", async () => {
    const platform = await startPlatform(kind);
    const { deployment: connection_id } = platform.connections;
    await platform.sandboxes.deployment.control("faults", { match: {}, times: 1, delay_ms: 2_000 });
    const step = { name: "list", step: "list_deployments", connection_id, input: {} };
    const id = await queueTool(platform, aTool([step]));
    await runOnce(platform, id, "running");
    expect(await platform.app.store.query("select fence from runs where id = $1", [id])).toEqual([{ fence: 1 }]);
    await runOnce(platform, id, "succeeded");
  });
});
