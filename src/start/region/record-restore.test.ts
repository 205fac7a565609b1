import { expect, test } from "vitest";
import { platformEvent, sendEvent } from "../../../test/support/runs/agents.ts";
import { change, runsIn, startWorld } from "../../../test/support/runs/event-world.ts";
import { describeOnBothStores } from "../../../test/support/stores.ts";
import { asRole } from "../../../test/support/team.ts";
import { readMark } from "../../store/restore-detection.ts";
import { recordRestore } from "./record-restore.ts";

// "Restoring a backup sends writes again." What waited in the backup may have happened in the store that was replaced.
describeOnBothStores("after a restore, what waited when the backup was taken", (kind) => {
  test("is set aside, unless who receives it can recognize it; what comes later is done as ever", async () => {
    const { team, agent, toolId } = await startWorld(kind);
    const invite = (email: string) => change(team, "auth/invite/create", { email, permissions: asRole("viewer") });
    const recipients = async () => (await team.store.query("select recipient from mails")).map((row) => row.recipient);
    const { body: hook } = await change(team, "webhooks/create", {
      url: "https://hooks.example.com/signalbox",
      events: ["invite.created"],
    });
    await change(team, `agents/${agent.id}/pause`);
    const { event_id: early } = (await sendEvent(team, agent, platformEvent("deployment.error"))).body;
    await invite("early@example.com");
    await change(team, "schedules/create", { tool_id: toolId, cron: "*/10 * * * *", misfire: "all" });
    const nextAt = async () =>
      (await team.store.query<{ next_at: string }>("select next_at from schedules"))[0]?.next_at ?? "";
    team.advance(3600);
    expect(await nextAt()).toSatisfy((at: string) => at < team.now().toISOString());
    const said: string[] = [];
    const at = team.now();
    await recordRestore(team.store, at, (sentence) => said.push(sentence));
    expect((await readMark(team.store))?.restoredAt).toBe(at.toISOString());
    expect(said).toEqual([
      "Queued events of agents may have started their runs already, and start nothing (1): replay those that have not.",
      "Mails that waited may have been sent already, and are not sent: invite (1).",
    ]);

    // "Schedules that were missed are not caught up with blindly."
    expect(await nextAt()).toSatisfy((next: string) => next > at.toISOString());
    const { results: schedules } = (await change(team, "schedules/list")).body;
    expect(schedules).toMatchObject([{ last_run_id: null, last_problem: { code: "missed" } }]);

    team.advance(60);
    const { event_id: late } = (await sendEvent(team, agent, platformEvent("deployment.error"))).body;
    await invite("late@example.com");
    expect(await recipients()).toEqual(["late@example.com"]);
    await change(team, `agents/${agent.id}/resume`);
    expect(await team.context.rooms.events.queued.startDue()).toBe(1);
    const event = async (id: string) => (await change(team, `events/${id}/get`)).body;
    expect(await event(late)).toMatchObject({ status: "started" });
    expect(await event(early)).toMatchObject({
      status: "failed",
      run_ids: [],
      problem: expect.stringMatching(/restored from a backup. It is not known whether .* Replay it if it did not/),
    });
    expect(await runsIn(team)).toHaveLength(1);
    expect((await change(team, `events/${early}/replay`)).body).toMatchObject({ status: "started", problem: null });
    expect(await runsIn(team)).toHaveLength(2);
    // A delivery is sent at least once, always with the same id.
    const { results } = (await change(team, `webhooks/${hook.webhook_id}/deliveries`)).body;
    expect(results.map(({ status }: { status: string }) => status)).toEqual(["pending", "pending"]);

    // Repeated after a failure, it changes nothing more.
    const mark = await readMark(team.store);
    await recordRestore(team.store, at, (sentence) => said.push(sentence));
    expect([said.length, await readMark(team.store)]).toEqual([2, mark]);
    expect(await recipients()).toEqual(["late@example.com"]);
  });
});
