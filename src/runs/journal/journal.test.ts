import { expect, test } from "vitest";
import { aTool, queueTool, runOnce, worldOf } from "../../../test/support/runs/runs.ts";
import { describeOnBothStores } from "../../../test/support/stores.ts";
import { startTeam, type Team } from "../../../test/support/team.ts";
import { newId } from "../../kernel/ids.ts";
import { shareCommits } from "../../store/share-commits.ts";
import { createDueQueue } from "../queue/due-queue.ts";
import { insertPlannedRun, LeaseLost, releaseExpiredLeases, requirePlannedRun } from "../queue/queue.ts";
import { createRunMemory } from "../queue/run-memory.ts";
import { newRun } from "../queue/start-run.ts";
import type { PlannedRun } from "../record/run-record.ts";
import { type FirstCommit, listStepRecords, openJournal, type StepRecord } from "./journal.ts";
import { newRecord } from "./new-record.ts";

const recordOf = (id: string): StepRecord =>
  newRecord({ run: { id }, ports: { now: () => new Date() } }, 0, { name: "each", stepId: "wait", input: [] });

const leaseUntil = () => new Date(Date.now() + 60_000).toISOString();

function unsavedRun(team: Team): PlannedRun {
  return newRun({
    region: "us" as const,
    organizationId: team.owner.organizationId,
    projectId: team.projectId,
    work: { kind: "tool" as const, id: null, version: null, definition: aTool([]) as never },
    params: {},
    source: { kind: "call" as const },
    startedBy: team.owner.userId,
    keyId: null,
    now: team.now(),
  });
}

/** A run that worker `w` holds, with its first fence. */
async function runningRun(team: Team): Promise<PlannedRun> {
  const held = { worker: "w", leaseUntil: leaseUntil(), fence: 1 };
  const run = { ...unsavedRun(team), ...held, id: newId("run", "us"), status: "running" as const };
  await team.store.transaction((db) => insertPlannedRun(db, run));
  return run;
}

const request = {
  request: { method: "POST", url: "http://system.test/", headers: {} },
  sent_at: "2026-01-01",
  waited_ms: 0,
};

const memory = createRunMemory().open("an organization");

describeOnBothStores("checkpoints of a run", (kind) => {
  test("are applied in the order in which they were made, however many are under way", async () => {
    const team = await startTeam(kind);
    const commit = shareCommits(team.store);
    const one = async (): Promise<string[]> => {
      const run = await runningRun(team);
      const journal = await openJournal(
        { store: team.store, commit },
        { runId: run.id, worker: "w", fence: 1 },
        true,
        memory,
      );
      const first = recordOf(run.id);
      journal.saveSoon(first);
      for (let tries = 1; tries <= 5; tries++) journal.saveSoon({ ...first, tries });
      await journal.save({ ...first, status: "succeeded", output: [], tries: 5, finishedAt: leaseUntil() });
      return (await listStepRecords(team.store, run.id)).map(({ status, tries }) => `${status} ${tries}`);
    };
    const ends = await Promise.all(Array.from({ length: 40 }, one));
    expect(new Set(ends.flat())).toEqual(new Set(["succeeded 5"]));
  });

  test('"a worker that lost its lease can write nothing": no checkpoint, no end, and not the last step with it', async () => {
    const team = await startTeam(kind);
    const run = await runningRun(team);
    const ports = { store: team.store, commit: shareCommits(team.store) };
    const lost = await openJournal(ports, { runId: run.id, worker: "w", fence: 1 }, true, memory);
    const tooLate = await openJournal(ports, { runId: run.id, worker: "w", fence: 1 }, true, memory);
    await team.store.transaction((db) => releaseExpiredLeases(db, new Date(Date.now() + 3_600_000).toISOString()));
    const now = new Date(Date.now() + 7_200_000).toISOString();
    const { runs } = await createDueQueue(team.store, "v").claim({ now, leaseUntil: now }, 1);
    expect(runs[0]).toMatchObject({ id: run.id, fence: 2 });
    const done: StepRecord = { ...recordOf(run.id), status: "succeeded", output: ["done"], finishedAt: leaseUntil() };
    const end = { status: "succeeded", output: "all", problem: null, waitingFor: null, runAt: null } as const;
    await expect(lost.save(done)).rejects.toThrow(LeaseLost);
    await expect(tooLate.leave({ ...end, finishedAt: leaseUntil() }, done)).rejects.toThrow(LeaseLost);
    expect(await listStepRecords(team.store, run.id)).toEqual([]);
    const still = await requirePlannedRun(team.store, team.projectId, run.id);
    expect(still).toMatchObject({ status: "running", output: null, fence: 2 });
    const theirs = await openJournal(ports, { runId: run.id, worker: "v", fence: 2 }, false, memory);
    await theirs.leave({ ...end, finishedAt: leaseUntil() }, done);
    expect(await listStepRecords(team.store, run.id)).toMatchObject([{ output: ["done"], fence: 2 }]);
  });

  test("steps that only read share a commit with what follows; writes, large ones and many are stored at once", async () => {
    const team = await startTeam(kind);
    const shared = shareCommits(team.store);
    const open = async () => {
      const run = await runningRun(team);
      const commits = { count: 0 };
      const commit: typeof shared = (work, key) => {
        commits.count++;
        return shared(work, key);
      };
      const claim = { runId: run.id, worker: "w", fence: 1 };
      const journal = await openJournal({ store: team.store, commit }, claim, true, memory);
      const read = (position: number, output: unknown = []): StepRecord => ({
        ...{ ...recordOf(run.id), position },
        ...{ status: "succeeded", output, finishedAt: leaseUntil() },
      });
      return { journal, commits, read, stored: async () => (await listStepRecords(team.store, run.id)).length };
    };
    const end = { status: "succeeded", output: null, problem: null, waitingFor: null, runAt: null } as const;

    const fast = await open();
    for (const position of [0, 1, 2]) fast.journal.saveSoon(fast.read(position));
    await fast.journal.leave({ ...end, finishedAt: leaseUntil() }, fast.read(3));
    expect([fast.commits.count, await fast.stored()]).toEqual([1, 4]);

    const alone = await open();
    alone.journal.saveSoon(alone.read(0));
    expect(alone.commits.count).toBe(0);
    await expect.poll(alone.stored).toBe(1);

    const many = await open();
    for (let position = 0; position <= 16; position++) many.journal.saveSoon(many.read(position));
    const large = await open();
    large.journal.saveSoon(large.read(0, "x".repeat(100_000)));
    const write = await open();
    const sent = { ...request, effect: "create" as const };
    write.journal.saveSoon({ ...write.read(0), attempts: [sent] });
    expect([many.commits.count, large.commits.count, write.commits.count]).toEqual([1, 1, 1]);
    const counts = () => Promise.all([many.stored(), large.stored(), write.stored()]);
    await expect.poll(counts).toEqual([17, 1, 1]);
  });

  test("what a run has done is stored if its work fails, or the transaction in which it would have left", async () => {
    const team = await startTeam(kind);
    const run = await runningRun(team);
    const claim = { runId: run.id, worker: "w", fence: 1 };
    const journal = await openJournal({ store: team.store, commit: shareCommits(team.store) }, claim, true, memory);
    const done = { status: "succeeded" as const, output: [], finishedAt: leaseUntil() };
    journal.saveSoon({ ...recordOf(run.id), ...done });
    await journal.flush();
    expect(await listStepRecords(team.store, run.id)).toHaveLength(1);
    const waits = { status: "waiting", output: null, problem: null, waitingFor: null, runAt: null, finishedAt: null };
    journal.saveSoon({ ...recordOf(run.id), ...done, position: 1 });
    const failing = journal.leave(waits as never, { ...recordOf(run.id), position: 2, status: "waiting" }, () =>
      Promise.reject(new Error("The answer of the store.")),
    );
    await expect(failing).rejects.toThrow("The answer of the store.");
    await journal.flush();
    expect((await listStepRecords(team.store, run.id)).map(({ position }) => position)).toEqual([0, 1]);
  });

  test("the run counts as stored, even if another worker claims it before the next checkpoint", async () => {
    const team = await startTeam(kind);
    const { store } = team;
    const run = { ...unsavedRun(team), worker: "w", leaseUntil: leaseUntil(), fence: 1, status: "running" as const };
    const firstCommit: FirstCommit = (_end, work) =>
      store.transaction(async (db) => {
        await insertPlannedRun(db, run);
        const value = await work(db);
        await db.query("update runs set worker = 'v', fence = 2 where id = $1", [run.id]);
        return value;
      });
    const claim = { runId: run.id, worker: "w", fence: 1 };
    const journal = await openJournal({ store, commit: shareCommits(store) }, claim, true, memory, firstCommit);
    journal.saveSoon(recordOf(run.id));
    expect(await listStepRecords(store, run.id)).toEqual([]);
    const begun = journal.begin();
    journal.saveSoon({ ...recordOf(run.id), position: 1 });
    await begun;
    expect(await listStepRecords(store, run.id)).toMatchObject([{ position: 0, fence: 1 }]);
    await expect(journal.save(recordOf(run.id))).rejects.toThrow(LeaseLost);
  });

  test("of an empty list end as done, and the output is an empty list", async () => {
    const world = worldOf(await startTeam(kind));
    const none = { name: "none", step: "wait", foreach: [], input: { seconds: 0 } };
    const runIds = await Promise.all(
      Array.from({ length: 20 }, () => queueTool(world, aTool([none, { ...none, name: "again" }]))),
    );
    for (const runId of runIds) {
      const run = await runOnce(world, runId, "succeeded");
      expect([run.output, ...run.steps.map((step: { status: string }) => step.status)]).toEqual([
        [],
        "succeeded",
        "succeeded",
      ]);
    }
  });
});
