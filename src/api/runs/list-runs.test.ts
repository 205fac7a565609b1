import { expect, test } from "vitest";
import { newTool } from "../../../test/support/runs/agents.ts";
import { aTool, queueTool, runOnce, worldOf } from "../../../test/support/runs/runs.ts";
import { describeOnBothStores } from "../../../test/support/stores.ts";
import { startTeam } from "../../../test/support/team.ts";

const rest = { name: "rest", step: "wait", input: { seconds: 0 } };

describeOnBothStores("the list of runs", (kind) => {
  async function startRuns() {
    const team = await startTeam(kind);
    const world = worldOf(team);
    const call = async (body: object) => (await world.call("runs/list", body)).body;
    const idsOf = async (body: object): Promise<string[]> =>
      (await call(body)).results.map(({ run_id }: { run_id: string }) => run_id);
    return { team, world, call, idsOf };
  }

  test("is bounded by time: `since` is included, `until` is not", async () => {
    const { team, world, idsOf } = await startRuns();
    const first = await queueTool(world, aTool([rest]));
    team.advance(3600);
    const second = await queueTool(world, aTool([rest]));
    const at = (await world.call(`runs/${second}/get`)).body.created_at;
    expect(await idsOf({ since: at })).toEqual([second]);
    expect(await idsOf({ until: at })).toEqual([first]);
    expect((await world.call("runs/list", { since: "yesterday" })).body.code).toBe("validation_failed");
  });

  test("is read from the replica, if there is one, and callers are never authenticated there", async () => {
    const { team, world, idsOf } = await startRuns();
    const run = await queueTool(world, aTool([rest]));
    const seen: string[] = [];
    const reading = {
      ...team.store,
      query<R>(sql: string, values?: readonly (string | number | null)[]) {
        seen.push(sql);
        return team.store.query<R>(sql, values);
      },
    };
    team.context.replica = { reader: async () => reading, close: async () => {} };
    expect(await idsOf({})).toEqual([run]);
    expect(seen).toEqual([expect.stringMatching(/\bfrom runs\b/)]);
    // One run may be acted on next, so it is read where it changes.
    await world.call(`runs/${run}/get`);
    expect(seen).toHaveLength(1);
  });

  test("finds a text in id, problem and output, whatever its case, and takes % and _ as they are", async () => {
    const { world, idsOf } = await startRuns();
    const found = await queueTool(world, aTool([rest], { output: { note: "Straße 100%_sure" } }));
    const other = await queueTool(world, aTool([rest], { output: { note: "100 percent" } }));
    for (const id of [found, other]) await runOnce(world, id, "succeeded");
    expect(await idsOf({ text: "stra" })).toEqual([found]);
    expect(await idsOf({ text: "100%_SURE" })).toEqual([found]);
    expect(await idsOf({ text: "100__" })).toEqual([]);
    expect(await idsOf({ text: other.slice(4) })).toEqual([other]);
    expect(await idsOf({ text: "100", status: "failed" })).toEqual([]);
  });

  test("finds the runs in which a step ran, beside those of that step alone", async () => {
    const { world, idsOf } = await startRuns();
    const both = await queueTool(world, aTool([rest, { name: "ask", step: "approve", input: { message: "Go?" } }]));
    const other = await queueTool(world, aTool([rest]));
    await runOnce(world, both, "waiting");
    await runOnce(world, other, "succeeded");
    expect(await idsOf({ with_step: "wait" })).toEqual([other, both]);
    expect(await idsOf({ with_step: "wait", text: both.slice(4) })).toEqual([both]);
    expect(await idsOf({ with_step: "approve" })).toEqual([both]);
    expect(await idsOf({ with_step: "approve", status: "failed" })).toEqual([]);
    expect(await idsOf({ step_id: "wait" })).toEqual([]);
  });

  test("names those that wait for an approval among others that wait", async () => {
    const { world, idsOf } = await startRuns();
    const asks = await queueTool(world, aTool([{ name: "ask", step: "approve", input: { message: "Ship it?" } }]));
    const sleeps = await queueTool(world, aTool([{ ...rest, input: { seconds: 3600 } }]));
    for (const id of [asks, sleeps]) await runOnce(world, id, "waiting");
    expect(await idsOf({ status: "waiting" })).toEqual([sleeps, asks]);
    expect(await idsOf({ waiting_for: "approval" })).toEqual([asks]);
    expect(await idsOf({ waiting_for: "approval", status: "failed" })).toEqual([]);
  });

  test("a text tells nothing about params, which may hold what no viewer sees", async () => {
    const { team, world, idsOf } = await startRuns();
    const tool = await newTool(team);
    await world.call(`tools/${tool}/trigger`, { params: { password: "correct horse battery" } });
    expect(await idsOf({})).toHaveLength(1);
    expect(await idsOf({ text: "horse" })).toEqual([]);
  });

  test("a search reads 1,000 runs a page, and goes on behind them", async () => {
    const { team, world, call } = await startRuns();
    const oldest = await queueTool(world, aTool([rest], { output: "needle" }));
    await runOnce(world, oldest, "succeeded");
    await team.store.transaction(async (db) => {
      const columns = `organization_id, project_id, kind, status, params, attempts, output_bytes, warnings, limits, started_by,
        created_at, finished_at`;
      await db.query(
        `insert into runs (id, ${columns})
         with recursive n(i) as (select 1 union all select i + 1 from n where i < 1000)
         select 'run_us_zz' || i, ${columns} from runs, n where id = $1`,
        [oldest],
      );
    });
    const first = await call({ text: "needle" });
    expect(first.results).toEqual([]);
    const second = await call({ text: "needle", after: first.next });
    expect(second).toMatchObject({ results: [{ run_id: oldest }], next: null });
  });
});

describeOnBothStores("an approval", (kind) => {
  test("is bound to the request that was shown: an answer to another one approves nothing", async () => {
    const team = await startTeam(kind);
    const world = worldOf(team);
    const ask = (name: string) => ({ name, step: "approve", input: { message: `${name}?` } });
    const id = await queueTool(world, aTool([ask("first"), ask("second")]));
    await runOnce(world, id, "waiting");
    const answer = (body: object) => world.call(`runs/${id}/approve`, { approved: true, ...body });
    expect((await answer({ step: "second" })).body.code).toBe("run_not_waiting");
    expect((await answer({ step: "first", request: { method: "DELETE" } })).body.code).toBe("run_not_waiting");
    expect((await answer({ step: "first" })).status).toBe(200);
  });
});
