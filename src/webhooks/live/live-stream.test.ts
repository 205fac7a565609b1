import { expect, test } from "vitest";
import { startApp, type TestApp, type TestPerson } from "../../../test/support/app.ts";
import { listen } from "../../../test/support/processes/raw-http.ts";
import { aTool, queueTool, runOnce, worldOf } from "../../../test/support/runs/runs.ts";
import { describeOnBothStores } from "../../../test/support/stores.ts";
import { startTeam } from "../../../test/support/team.ts";
import { streamsMax } from "./live-stream.ts";

const asks = { name: "ask", step: "approve", input: { message: "Ship it?" } };

interface Told {
  id: string;
  event: string;
  data: { runs: string[] | null; connections: string[] | null };
}

/** Opens a stream at an app that listens. `next` waits for an event; null is the end. */
async function openStream(app: TestApp, person: TestPerson, projectId: string, body: object = {}) {
  const address = app.app.server.address();
  const port = address && typeof address === "object" ? address.port : await listen(app);
  const response = await fetch(`http://127.0.0.1:${port}/latest/projects/watch`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${projectId}:${person.apiKey}`,
      "content-type": "application/json",
      accept: "text/event-stream",
    },
    body: JSON.stringify(body),
  });
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  return {
    status: response.status,
    type: response.headers.get("content-type"),
    close: () => reader?.cancel(),
    async next(): Promise<Told | null> {
      for (;;) {
        const end = text.indexOf("\n\n");
        if (end >= 0) {
          const fields = Object.fromEntries(
            text
              .slice(0, end)
              .split("\n")
              .map((line) => line.split(/: (.*)/)),
          );
          text = text.slice(end + 2);
          if (fields.data) return { ...fields, data: JSON.parse(fields.data) } as unknown as Told;
          continue;
        }
        const { done, value } = (await reader?.read()) ?? { done: true, value: "" };
        if (done) return null;
        text += value;
      }
    },
  };
}

describeOnBothStores("the stream of a project", (kind) => {
  // "Works with several nodes", and "nothing of other projects".
  test("tells at one node what happens at another, and nothing of another project", async () => {
    const team = await startTeam(kind);
    const world = worldOf(team);
    const there = await startApp(kind, { store: team.store });
    const stream = await openStream(there, team.owner, team.projectId);
    expect([stream.status, stream.type]).toEqual([200, "text/event-stream; charset=utf-8"]);
    const ready = await stream.next();
    expect(ready).toMatchObject({ event: "ready", data: { runs: null, connections: null } });
    const elsewhere = await team.project(team.owner, "Another");
    await queueTool({ ...world, projectId: elsewhere }, aTool([asks]));
    const runId = await queueTool(world, aTool([asks]));
    const change = await stream.next();
    expect(change).toMatchObject({ event: "change", data: { runs: [runId], connections: [] } });
    await runOnce(world, runId, "waiting");
    const seen = new Set<string>();
    for (let last = change; last; last = await stream.next()) {
      for (const id of last.data.runs ?? []) seen.add(id);
      const { body } = await world.call("projects/watch", { since: last.id });
      if (!body.has_changed) break;
    }
    expect([...seen]).toEqual([runId]);
    await stream.close();
    const { body: now } = await world.call("projects/watch");
    const again = await openStream(there, team.owner, team.projectId, { since: now.cursor });
    expect(await again.next()).toMatchObject({ event: "ready", id: now.cursor, data: { runs: [], connections: [] } });
    await again.close();
  });

  // "A deactivation takes effect with the next call": and a stream ends before it tells anything more.
  test("ends for a person who is deactivated, for one who left the project, and when the server stops", async () => {
    const team = await startTeam(kind);
    const world = worldOf(team);
    const [leaver, member, stranger] = [
      await team.colleague("leaver", "viewer"),
      await team.colleague("member", "viewer"),
      await team.colleague("stranger"),
    ];
    expect((await openStream(team, stranger, team.projectId)).status).toBe(404);
    const streams = await Promise.all([leaver, member, team.owner].map((as) => openStream(team, as, team.projectId)));
    for (const stream of streams) expect((await stream.next())?.event).toBe("ready");
    await team.call(`auth/users/${member.userId}/delete`, {}, team.inProject(team.owner));
    await team.deactivate(leaver);
    const runId = await queueTool(world, aTool([asks]));
    expect(await streams[0]?.next()).toBeNull();
    expect(await streams[1]?.next()).toBeNull();
    expect((await streams[2]?.next())?.data.runs).toEqual([runId]);
    await team.app.close();
    await expect.poll(async () => (await streams[2]?.next()) === null).toBe(true);
  });
});

test("an account has a bounded number of streams, and one that is closed makes room", async () => {
  const team = await startTeam("sqlite");
  const { live } = team.context.rooms.webhooks;
  const watcher = { organizationId: team.owner.organizationId, userId: team.owner.userId, projectId: team.projectId };
  const open = await Promise.all(Array.from({ length: streamsMax.perPerson }, () => live.open(watcher, null)));
  const refused = await openStream(team, team.owner, team.projectId);
  expect(refused.status).toBe(429);
  open[0]?.close();
  const stream = await openStream(team, team.owner, team.projectId);
  expect(stream.status).toBe(200);
  for (const each of open) each.close();
  await stream.close();
});
