import { join } from "node:path";
import { expect, test } from "vitest";
import { openSqlite } from "../../src/store/sqlite/sqlite.ts";
import { AnswerLost, createCaller, type HttpAnswer } from "../support/processes/http-caller.ts";
import { firstRunOf, startServer } from "../support/processes/server-process.ts";
import { cleanUpLater, temporaryFolder } from "../support/stores.ts";

interface Asked {
  name: string;
  /** Null where the server never took the call: its connection was refused or closed without an answer. */
  answer: HttpAnswer | null;
}

/** A client that makes one project after the other until the server takes no more calls. */
async function client(port: number, number: number, home: string, onAnswer: () => void): Promise<Asked[]> {
  const first = firstRunOf(home);
  const caller = createCaller(port);
  const asked: Asked[] = [];
  for (let i = 0; ; i++) {
    const name = `Project ${number}-${i}`;
    const body = { name, description: "", organization_id: first.organization_id };
    const answer = await caller
      .call("projects/create", body, { authorization: `Bearer :${first.api_key}` })
      .catch((error) => {
        if (error instanceof AnswerLost) return null;
        throw error;
      });
    asked.push({ name, answer });
    if (answer === null) break;
    onAnswer();
  }
  caller.close();
  return asked;
}

// "Graceful stop that finishes what it accepted."
test("a stop under load responds to every accepted call and loses nothing, and the next start finds all unchanged", async () => {
  const home = temporaryFolder();
  let first: object | null = null;
  for (let round = 0; round < 3; round++) {
    const server = await startServer(home);
    cleanUpLater(() => server.kill());
    // A start after a stop finds everything as it was, and makes no second first run.
    const { base_url: _, ...now } = firstRunOf(home);
    first ??= now;
    expect(now).toEqual(first);
    let answers = 0;
    let isBusy: () => void = () => {};
    const busy = new Promise<void>((resolve) => {
      isBusy = resolve;
    });
    const clients = Array.from({ length: 16 }, (_, i) =>
      client(server.port, round * 16 + i, home, () => ++answers === 200 && isBusy()),
    );
    await busy;
    expect(await server.stop()).toBe(0);
    const asked = (await Promise.all(clients)).flat();

    // Every response has our own form: done, or refused as a problem.
    const done = asked.filter(({ answer }) => answer?.status === 200);
    for (const { answer } of asked) {
      if (answer === null || answer.status === 200) continue;
      expect(answer).toMatchObject({ status: 503, body: { code: "unavailable" } });
    }
    expect(done.length).toBeGreaterThanOrEqual(200);

    // What was done was answered, and what was answered was done: no call was taken and then dropped.
    const store = openSqlite(join(home, "us.sqlite"));
    const kept = await store.query<{ name: string }>("select name from projects where name like $1", ["Project %"]);
    const names = asked.map(({ name }) => name);
    const isOfThisRound = new Set(names);
    expect(
      kept
        .map((row) => row.name)
        .filter((name) => isOfThisRound.has(name))
        .sort(),
    ).toEqual(done.map(({ name }) => name).sort());
    expect(await store.query("pragma integrity_check")).toEqual([{ integrity_check: "ok" }]);
    await store.close();
  }
});
