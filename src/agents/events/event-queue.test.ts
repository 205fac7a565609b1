import { expect, test } from "vitest";
import { expectProblem } from "../../../test/support/calls/expect-problem.ts";
import { platformEvent, sendEvent } from "../../../test/support/runs/agents.ts";
import { change, eventsIn, runsIn, startWorld } from "../../../test/support/runs/event-world.ts";
import { describeOnBothStores } from "../../../test/support/stores.ts";
import type { Team } from "../../../test/support/team.ts";
import { newId } from "../../kernel/ids.ts";
import { createLog } from "../../kernel/log.ts";
import { createEventQueue } from "./event-queue.ts";
import { queuedMax } from "./store-event.ts";

/** Inserts this many more events. */
const queueCopies = ({ store }: Team, count: number) =>
  store.transaction(async (db) => {
    const [event] = await db.query<Record<string, string>>("select * from events order by id limit 1");
    const columns = Object.keys(event ?? {});
    const marks = columns.map((_, index) => `$${index + 1}`).join(", ");
    for (let i = 0; i < count; i++) {
      const copy = { ...event, id: newId("event", "us"), repeat_key: `copy ${i}` } as Record<string, string>;
      await db.query(
        `insert into events (${columns.join(", ")}) values (${marks})`,
        columns.map((name) => copy[name] ?? null),
      );
    }
  });

describeOnBothStores("a paused agent", (kind) => {
  test("stores up to 1,000 events and refuses the next one; once it is resumed, each is started once and none is lost", async () => {
    const { team, agent } = await startWorld(kind);
    expect((await change(team, `agents/${agent.id}/pause`)).body.paused).toBe(true);
    const events = Array.from({ length: 50 }, () => platformEvent("deployment.error"));
    const answers = await Promise.all(events.map((event) => sendEvent(team, agent, event)));
    expect(new Set(answers.map(({ status, body }) => `${status} ${body.run_id}`))).toEqual(new Set(["202 null"]));
    await queueCopies(team, queuedMax - events.length);
    const late = platformEvent("deployment.error");
    const full = await sendEvent(team, agent, late);
    expectProblem(full, "event_queue_full");
    expect(Number(full.headers["retry-after"])).toBeGreaterThan(0);
    // A repeat of a queued event is no new one.
    expect((await sendEvent(team, agent, events[0])).status).toBe(202);
    expect((await change(team, `agents/${agent.id}/webhook`)).body.queued_events).toBe(queuedMax);
    expect(await runsIn(team)).toEqual([]);

    expect((await change(team, `agents/${agent.id}/resume`)).body.paused).toBe(false);
    const { events: ports } = team.context.rooms;
    const nodes = [0, 1, 2].map(() => createEventQueue({ ...ports, log: createLog("info", { write: () => {} }) }));
    await Promise.all(nodes.map((node) => node.startDue()));
    await team.context.rooms.events.queued.startDue();
    expect(await runsIn(team)).toHaveLength(queuedMax);
    expect((await sendEvent(team, agent, late)).body.run_id).toMatch(/^run_us_/);
    const answer = await sendEvent(team, agent, events[7]);
    expect(answer.body.run_id).toMatch(/^run_us_/);
    expect(await eventsIn(team)).toHaveLength(queuedMax + 1);
  });

  test("that is resumed starts the runs of its events in the order in which they arrived", async () => {
    const { team, agent } = await startWorld(kind, { params: { n: "{{event.n}}" } });
    await change(team, `agents/${agent.id}/pause`);
    for (let n = 0; n < 45; n++) await sendEvent(team, agent, platformEvent("deployment.error", { n }));
    await change(team, `agents/${agent.id}/resume`);
    expect(await team.context.rooms.events.queued.startDue()).toBe(45);
    const runs = await team.store.query<{ params: string }>("select params from runs order by id");
    expect(runs.map(({ params }) => JSON.parse(params).n)).toEqual(Array.from({ length: 45 }, (_, n) => n));
  });

  test("whose first events cannot be started starts those after them", async () => {
    const { team, agent } = await startWorld(kind, { params: { n: "{{event.n}}" } });
    await change(team, `agents/${agent.id}/pause`);
    for (let n = 0; n < 25; n++) await sendEvent(team, agent, platformEvent("deployment.error", { n }));
    await change(team, `agents/${agent.id}/resume`);
    const { events: ports } = team.context.rooms;
    const breaks = (params: unknown) => (params as { n: number }).n < 22;
    const queue: typeof ports.tools.queue = (db, start) =>
      breaks(start.params) ? Promise.reject(new Error("It breaks.")) : ports.tools.queue(db, start);
    const log = createLog("silent", process.stderr);
    const started = await createEventQueue({ ...ports, tools: { ...ports.tools, queue }, log }).startDue();
    expect([started, (await runsIn(team)).length]).toEqual([3, 3]);
    // The others stay queued.
    expect(await team.context.rooms.events.queued.startDue()).toBe(22);
  });

  test.each([
    ["gone", "@gone"],
    ["no JSON", "{"],
  ])("with a queued event whose body is %s starts those before and after it", async (_, body) => {
    const { team, agent } = await startWorld(kind, { params: { n: "{{event.n}}" } });
    await change(team, `agents/${agent.id}/pause`);
    for (let n = 0; n < 25; n++) await sendEvent(team, agent, platformEvent("deployment.error", { n }));
    const [, damaged] = await eventsIn(team);
    await team.store.transaction((db) =>
      db.query("update events set body = $2 where id = $1", [damaged?.id ?? "", body]),
    );
    await change(team, `agents/${agent.id}/resume`);
    const { events: ports } = team.context.rooms;
    const lines: unknown[] = [];
    const log = createLog("error", { write: (line) => lines.push(JSON.parse(line)) });
    expect(await createEventQueue({ ...ports, log }).startDue()).toBe(24);
    expect(await runsIn(team)).toHaveLength(24);
    expect(lines).toMatchObject([{ event_id: damaged?.id }]);
    expect(await team.store.query("select id from events where status = 'queued'")).toEqual([damaged]);
  });

  test("that is deleted marks its queued events as ignored", async () => {
    const { team, agent } = await startWorld(kind);
    await change(team, `agents/${agent.id}/pause`);
    await sendEvent(team, agent, platformEvent("deployment.error"));
    expect((await change(team, `agents/${agent.id}/delete`)).body).toMatchObject({ deleted: true, left_at_system: [] });
    expect((await change(team, "events/list")).body.results).toMatchObject([
      { status: "ignored", problem: expect.stringContaining("deleted") },
    ]);
  });

  test("of one tenant, with slow rules, delays no other tenant's events", async () => {
    const { team, agent } = await startWorld(kind, { params: { n: "{{event.n}}" } });
    await change(team, `agents/${agent.id}/pause`);
    await sendEvent(team, agent, platformEvent("deployment.error", { n: 1 }));
    await team.neighbour();
    const [{ id: other } = { id: "" }] = await team.store.query<{ id: string }>(
      "select id from organizations where id <> $1",
      [team.owner.organizationId],
    );
    await queueCopies(team, 1);
    // The second agent belongs to the neighbour.
    await team.store.transaction((db) =>
      db.query("update events set organization_id = $1 where repeat_key = 'copy 0'", [other]),
    );
    await change(team, `agents/${agent.id}/resume`);
    const { events: ports } = team.context.rooms;
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const started: string[] = [];
    const tools: typeof ports.tools = {
      ...ports.tools,
      async queue(db, start) {
        started.push(start.organizationId);
        return ports.tools.queue(db, start);
      },
    };
    const slowFirst: typeof ports.tools.find = async (db, projectId, toolId) => {
      if (finds++ === 0) await held;
      return ports.tools.find(db, projectId, toolId);
    };
    let finds = 0;
    const queue = createEventQueue({
      ...ports,
      tools: { ...tools, find: slowFirst },
      log: createLog("silent", process.stderr),
    });
    queue.wake();
    await expect.poll(() => started.length).toBe(1);
    release();
    await expect.poll(() => started.length).toBe(2);
    await queue.stop();
  });
});
