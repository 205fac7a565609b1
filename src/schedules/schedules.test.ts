import { expect, test } from "vitest";
import { expectProblem } from "../../test/support/calls/expect-problem.ts";
import { describeOnBothStores, type StoreKind } from "../../test/support/stores.ts";
import { aTime, expectGuarded, expectRefused, startTeam } from "../../test/support/team.ts";
import { newId } from "../kernel/ids.ts";
import { createLog } from "../kernel/log.ts";
import type { RunStart } from "../runs/queue/start-run.ts";
import { StoreUnavailable } from "../store/db.ts";
import { createClockWatch } from "./clock-set-back.ts";
import { createScheduleClock, type ScheduleClockParts, startDue } from "./start-due.ts";

const waiting = {
  title: "Waits",
  params_schema: { type: "object", properties: { seconds: { type: "integer", default: 1 } } },
  steps: [{ name: "pause", step: "wait", input: { seconds: "{{params.seconds}}" } }],
};

async function startWithSchedule(kind: StoreKind, wish: Record<string, unknown> = {}) {
  const team = await startTeam(kind);
  const options = team.inProject(team.owner);
  const call = (operation: string, body: unknown = {}) => team.call(operation, body, options);
  const toolId: string = (await call("tools/create", waiting)).body.tool_id;
  const { body: schedule } = await call("schedules/create", { tool_id: toolId, cron: "*/10 * * * *", ...wish });
  const starts: RunStart[] = [];
  const parts: ScheduleClockParts = {
    store: team.store,
    region: "us",
    compute: team.context.rooms.compute,
    now: team.now,
    // The transaction may run again; the last value counts.
    queueRun: async (_db, start) => {
      starts.push(start);
      return newId("run", "us");
    },
    wake: () => {},
    log: createLog("silent", { write: () => {} }),
  };
  const now = async () => (await call("schedules/list")).body.results[0];
  return { team, call, options, toolId, schedule, starts, parts, now };
}

describeOnBothStores("create a schedule", (kind) => {
  test("it shows its next five times, in its own time zone", async () => {
    const { toolId, schedule, team } = await startWithSchedule(kind, { cron: "30 9 * * *", time_zone: "Asia/Tokyo" });
    expect(schedule).toEqual({
      schedule_id: expect.stringMatching(/^sch_us_/),
      tool_id: toolId,
      cron: "30 9 * * *",
      time_zone: "Asia/Tokyo",
      misfire: "skip",
      params: {},
      enabled: true,
      next_runs: Array(5).fill(expect.stringMatching(/T00:30:00\.000Z$/)),
      last_run_id: null,
      last_run_at: null,
      last_run_status: null,
      last_problem: null,
      run_as: team.owner.userId,
      created_by: team.owner.userId,
      created_at: aTime,
      updated_at: aTime,
    });
    expect(await team.lastAudit()).toMatchObject({ action: "schedule.created", target: schedule.schedule_id });
  });

  test("a schedule that could not start the tool is refused, and nothing is stored", async () => {
    const { team, options, toolId } = await startWithSchedule(kind);
    const cron = "@daily";
    await expectRefused(team, "schedules/create", options, [
      [{ cron }, 400, "malformed_request", "#/tool_id"],
      [{ tool_id: toolId }, 400, "malformed_request", "#/cron"],
      [{ tool_id: newId("tool", "us"), cron }, 404, "tool_not_found"],
      [{ tool_id: toolId, cron: "now and then" }, 422, "validation_failed", "#/cron"],
      [{ tool_id: toolId, cron, time_zone: "Moon" }, 422, "validation_failed", "#/time_zone"],
      [{ tool_id: toolId, cron, misfire: "panic" }, 422, "validation_failed", "#/misfire"],
      [{ tool_id: toolId, cron, params: { seconds: "x" } }, 422, "validation_failed", "#/params/seconds"],
    ]);
    await expectGuarded(team, "schedules/create", { tool_id: toolId, cron }, "editor");
  });
});

describeOnBothStores("change a schedule", (kind) => {
  test("it is disabled and enabled, and missed times are not caught up on", async () => {
    const { team, call, options, schedule, parts, starts } = await startWithSchedule(kind, { misfire: "all" });
    const path = `schedules/${schedule.schedule_id}/update`;
    expect((await call(path, { enabled: false })).body).toMatchObject({ enabled: false, next_runs: [] });
    team.advance(3600);
    await startDue(parts);
    expect((await call(path, { enabled: true, params: { seconds: 2 } })).body.next_runs).toHaveLength(5);
    await startDue(parts);
    expect(starts).toEqual([]);
    await expectRefused(team, path, options, [
      [{ cron: "x" }, 422, "validation_failed", "#/cron"],
      [{ params: { seconds: "x" } }, 422, "validation_failed", "#/params/seconds"],
      [{ enabled: "yes" }, 400, "malformed_request", "#/enabled"],
    ]);
    await expectGuarded(team, path, { enabled: false }, "editor");
  });

  test("it is deleted, once", async () => {
    const { team, call, schedule } = await startWithSchedule(kind);
    const path = `schedules/${schedule.schedule_id}/delete`;
    await expectGuarded(team, path, {}, "editor");
    expect((await call(path)).body).toEqual({ schedule_id: schedule.schedule_id, deleted: true });
    expectProblem(await call(path), "schedule_not_found");
  });

  test("another organization's looks absent", async () => {
    const { team, schedule } = await startWithSchedule(kind);
    const { owner, projectId } = await team.neighbour();
    for (const word of ["update", "delete"]) {
      const answer = await team.call(
        `schedules/${schedule.schedule_id}/${word}`,
        {},
        { as: owner, project: projectId },
      );
      expectProblem(answer, "schedule_not_found");
    }
    const list = await team.call("schedules/list", {}, { as: owner, project: projectId });
    expect(list.body.results).toEqual([]);
  });
});

describeOnBothStores("when a schedule is due", (kind) => {
  test("it starts the tool as it is then, once, and says which run that was", async () => {
    const { team, call, toolId, schedule, parts, starts, now } = await startWithSchedule(kind, { misfire: "once" });
    expect(await startDue(parts)).toEqual([]);
    await call(`tools/${toolId}/publish`);
    team.advance(601);
    const [run] = await startDue(parts);
    expect(starts).toMatchObject([
      {
        projectId: team.projectId,
        organizationId: team.owner.organizationId,
        work: { kind: "tool", id: toolId, version: 1, definition: waiting },
        params: { seconds: 1 },
        source: { kind: "schedule", id: schedule.schedule_id },
        startedBy: team.owner.userId,
        keyId: null,
      },
    ]);
    expect(await startDue(parts)).toEqual([]);
    expect(await now()).toMatchObject({ last_run_id: run, last_run_at: aTime, last_problem: null });
  });

  test("of several nodes that poll at the same moment, one starts it", async () => {
    const { team, call, toolId, parts } = await startWithSchedule(kind, { misfire: "once" });
    for (let i = 0; i < 9; i++) await call("schedules/create", { tool_id: toolId, cron: "0 * * * *", misfire: "once" });
    team.advance(3601);
    const runs = await Promise.all([1, 2, 3, 4].map(() => startDue(parts)));
    expect(runs.flat()).toHaveLength(10);
    expect(await startDue(parts)).toEqual([]);
  });

  test("one organization's many delay no other: they take turns", async () => {
    const { team, call, toolId, parts, starts } = await startWithSchedule(kind, { misfire: "once" });
    const wish = { cron: "*/10 * * * *", misfire: "once" };
    for (let i = 0; i < 44; i++) await call("schedules/create", { tool_id: toolId, ...wish });
    const { owner, projectId } = await team.neighbour();
    const their = { as: owner, project: projectId };
    const { body: tool } = await team.call("tools/create", waiting, their);
    await team.call("schedules/create", { tool_id: tool.tool_id, ...wish }, their);
    team.advance(601);
    expect(await startDue(parts)).toHaveLength(46);
    expect(starts.findIndex((start) => start.projectId === projectId)).toBeLessThan(20);
  });

  test("missed times are skipped, and the schedule says so", async () => {
    const { team, parts, now } = await startWithSchedule(kind, { cron: "0 0 1 1 *" });
    team.advance(2 * 366 * 86_400);
    expect(await startDue(parts)).toEqual([]);
    expect(await now()).toMatchObject({ last_run_id: null, last_problem: { code: "missed" } });
  });

  test("or caught up on, ten at most", async () => {
    const { team, parts, starts } = await startWithSchedule(kind, { misfire: "all" });
    team.advance(86_400);
    expect(await startDue(parts)).toHaveLength(10);
    expect(starts).toHaveLength(10);
  });

  test("a tool that no longer accepts the params is not started, and the schedule says why", async () => {
    const { team, call, toolId, parts, starts, now } = await startWithSchedule(kind, { misfire: "once" });
    const changed = { params_schema: { type: "object", required: ["branch"] } };
    expect((await call(`tools/${toolId}/update`, changed)).status).toBe(200);
    team.advance(601);
    expect(await startDue(parts)).toEqual([]);
    expect(starts).toEqual([]);
    expect((await now()).last_problem).toMatchObject({
      code: "invalid_params",
      detail: expect.stringContaining("branch"),
    });
  });

  test("a crash in the middle leaves it due, and starts nothing", async () => {
    const { team, parts, starts } = await startWithSchedule(kind, { misfire: "once" });
    team.advance(601);
    const lost = new StoreUnavailable("unreachable", new Error("the machine stopped"));
    await expect(startDue({ ...parts, queueRun: () => Promise.reject(lost) })).rejects.toBe(lost);
    expect(await startDue(parts)).toHaveLength(1);
    expect(starts).toHaveLength(1);
  });

  // "Clock jumps of years both ways."
  test("a clock that was years ahead for a moment delays nothing once it is right again", async () => {
    const { team, parts, starts } = await startWithSchedule(kind, { misfire: "once" });
    const tenYears = 3650 * 86_400;
    team.advance(tenYears);
    expect(await startDue(parts)).toHaveLength(1);
    team.advance(-tenYears);
    const clock = createScheduleClock(parts);
    clock.begin();
    await clock.stop();
    team.advance(601);
    expect(await startDue(parts)).toHaveLength(1);
    expect(starts).toHaveLength(2);
  });

  test("a node that starts with a clock a second behind starts nothing again that another node has just started", async () => {
    const { team, schedule, parts, starts } = await startWithSchedule(kind);
    const dueInSeconds = (Date.parse(schedule.next_runs[0]) - team.now().getTime()) / 1000;
    team.advance(dueInSeconds + 0.5);
    expect(await startDue(parts)).toHaveLength(1);
    const behind = { ...parts, now: () => new Date(team.now().getTime() - 1000) };
    const clock = createScheduleClock(behind);
    clock.begin();
    await clock.stop();
    team.advance(5);
    expect(await startDue(behind)).toEqual([]);
    expect(starts).toHaveLength(1);
  });
});

test("a clock that is set back differs from one that is corrected by seconds or runs", () => {
  let [wall, monotonic] = [1_000_000_000, 0];
  const wasSetBack = createClockWatch(
    () => new Date(wall),
    () => monotonic,
  );
  const pass = (wallMilliseconds: number, milliseconds: number): boolean => {
    wall += wallMilliseconds;
    monotonic += milliseconds;
    return wasSetBack();
  };
  expect(pass(5_000, 5_000)).toBe(false);
  expect(pass(3_600_000, 5_000)).toBe(false);
  expect(pass(-20_000, 5_000)).toBe(false);
  expect(pass(-3_600_000, 5_000)).toBe(true);
  expect(pass(5_000, 5_000)).toBe(false);
});
