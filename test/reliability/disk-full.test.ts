import { chownSync, mkdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, inject, test } from "vitest";
import { openPostgres } from "../../src/store/postgres/postgres.ts";
import { openSqlite } from "../../src/store/sqlite/sqlite.ts";
import type { SmallDisk } from "../support/databases/mount-small-disk.ts";
import { newSmallDisk, whyNoSmallDisk } from "../support/databases/small-disk.ts";
import { createCaller, type HttpAnswer } from "../support/processes/http-caller.ts";
import { firstRunOf, type ServerProcess, startServer } from "../support/processes/server-process.ts";
import { cleanUpLater, newPostgresDatabase, temporaryFolder } from "../support/stores.ts";

// R9: "disk full: no corruption, clear 503/507, recovery without hands."
test("on a full disk writes get 507 and reads work; writes work again once there is space", async (context) => {
  const disk = newSmallDisk(24);
  if (!disk) return context.skip(`Not run, because ${whyNoSmallDisk}.`);
  const home = join(disk.folder, "data");
  const server = await startServer(home);
  cleanUpLater(() => server.kill());
  const writers = createWriters(server, home);

  expect(new Set((await writers.each()).map((answer) => answer.status))).toEqual(new Set([200]));
  disk.fill();
  // A page that was begun may still take a little; then every one of them is refused.
  while ((await writers.each()).some((answer) => answer.status === 200));
  for (const { status, body, headers } of await writers.each()) {
    expect([507, 503]).toContain(status);
    expect(headers["content-type"]).toMatch(/^application\/problem\+json/);
    expect(headers["retry-after"]).toMatch(/^\d+$/);
    expect(body).toMatchObject({ status, code: status === 507 ? "storage_full" : "unavailable" });
  }
  expect((await writers.read("auth/info")).status).toBe(200);
  expect((await writers.read("audit/verify")).body.valid).toBe(true);
  await writers.expectExactly();

  disk.free();
  expect(new Set((await writers.each()).map((answer) => answer.status))).toEqual(new Set([200]));
  expect((await writers.read("audit/verify")).body.valid).toBe(true);
  await writers.expectExactly();
  expect(await server.stop()).toBe(0);

  const store = openSqlite(join(home, "us.sqlite"));
  expect(await store.query("pragma integrity_check")).toEqual([{ integrity_check: "ok" }]);
  await store.close();
});

test("a server that was killed on a full disk has everything it acknowledged once there is space", async (context) => {
  const disk = newSmallDisk(24);
  if (!disk) return context.skip(`Not run, because ${whyNoSmallDisk}.`);
  const home = join(disk.folder, "data");
  const first = await startServer(home);
  const writers = createWriters(first, home);
  await writers.each();
  disk.fill();
  while ((await writers.each()).some((answer) => answer.status === 200));
  await first.kill();
  disk.free();
  const second = await startServer(home);
  cleanUpLater(() => second.kill());
  const again = createWriters(second, home, writers.acknowledged);
  await again.expectExactly();
  expect((await again.each()).map((answer) => answer.status)).toEqual(Array(writerCount).fill(200));
  await again.expectExactly();
});

// "A full disk does not prevent a start that only reads, and /readyz is not 200 while every write is refused; writes go on
// without a restart once there is room."
test.for(["killed", "stopped"] as const)(
  "a server that was %s on a full disk starts, serves reads, is not ready, and writes again once there is space",
  async (how, context) => {
    const disk = newSmallDisk(24);
    if (!disk) return context.skip(`Not run, because ${whyNoSmallDisk}.`);
    const home = join(disk.folder, "data");
    const first = await startServer(home);
    cleanUpLater(() => first.kill());
    const writers = createWriters(first, home);
    await writers.each();
    expect(await readiness(first)).toMatchObject({ status: 200 });
    if (how === "stopped") await first.stop();
    disk.fill();
    if (how === "killed") {
      while ((await writers.each()).some((answer) => answer.status === 200));
      expect(await readiness(first)).toMatchObject({ status: 503, reason: expect.stringMatching(/disk is full/) });
      await first.kill();
      disk.fillAgain();
    }

    const second = await startServer(home);
    cleanUpLater(() => second.kill());
    const again = createWriters(second, home, writers.acknowledged);
    expect((await again.read("auth/info")).status).toBe(200);
    await again.expectExactly();
    while ((await again.each()).some((answer) => answer.status === 200)) disk.fillAgain();
    expect(await readiness(second)).toMatchObject({ status: 503, reason: expect.stringMatching(/disk is full/) });
    expect(await fetch(`http://127.0.0.1:${second.port}/healthz`)).toMatchObject({ status: 200 });

    disk.free();
    expect(new Set((await again.each()).map((answer) => answer.status))).toEqual(new Set([200]));
    await expect.poll(() => readiness(second)).toMatchObject({ status: 200 });
    await again.expectExactly();
  },
);

// The same on PostgreSQL, which refuses what needs a new page.
test.skipIf(inject("postgresUrl") === null)(
  "a node whose PostgreSQL has a full disk is not ready, serves reads, and writes again once there is space",
  async (context) => {
    const disk = newSmallDisk(64);
    if (!disk) return context.skip(`Not run, because ${whyNoSmallDisk}.`);
    const home = temporaryFolder();
    // The write-ahead log is on another disk: a server without room for it would end.
    const server = await startServer(home, { SIGNALBOX_DATABASE_URL_US: await databaseOn(disk) });
    cleanUpLater(() => server.kill());
    const writers = createWriters(server, home);
    expect(new Set((await writers.each()).map((answer) => answer.status))).toEqual(new Set([200]));
    expect(await readiness(server)).toMatchObject({ status: 200 });
    disk.fill();
    while ((await writers.each()).some((answer) => answer.status === 200));
    expect((await writers.each())[0]).toMatchObject({ status: 507, body: { code: "storage_full" } });
    const isFull = { status: 503, reason: expect.stringMatching(/disk is full/) };
    await expect.poll(() => readiness(server)).toMatchObject(isFull);
    expect((await writers.read("auth/info")).status).toBe(200);
    disk.free();
    await expect.poll(() => readiness(server)).toMatchObject({ status: 200 });
    expect(new Set((await writers.each()).map((answer) => answer.status))).toEqual(new Set([200]));
    await writers.expectExactly();
  },
);

/** A database of the tests' server whose tables are on this disk. */
async function databaseOn(disk: SmallDisk): Promise<string> {
  const url = await newPostgresDatabase();
  const admin = openPostgres(inject("postgresUrl") ?? "", 1);
  const [server] = await admin.query<{ folder: string }>("select current_setting('data_directory') as folder");
  const { uid, gid } = statSync(server?.folder ?? "");
  const folder = join(disk.folder, "tablespace");
  mkdirSync(folder);
  chownSync(folder, uid, gid);
  const name = new URL(url).pathname.slice(1);
  await admin.query(`create tablespace ${name} location '${folder}'`);
  await admin.query(`alter database ${name} set tablespace ${name}`);
  cleanUpLater(async () => {
    await admin.query(`drop database ${name} with (force)`);
    await admin.query(`drop tablespace ${name}`);
    await admin.close();
  });
  return url;
}

async function readiness({ port }: ServerProcess): Promise<{ status: number; reason: string | undefined }> {
  const answer = await fetch(`http://127.0.0.1:${port}/readyz`);
  const { reason } = (await answer.json()) as { reason?: string };
  return { status: answer.status, reason };
}

const writerCount = 8;

/** Eight clients that make projects at the same moment, and know which of them were acknowledged. */
function createWriters(server: ServerProcess, home: string, acknowledged: string[] = []) {
  const first = firstRunOf(home);
  const authorization = `Bearer ${first.project_id}:${first.api_key}`;
  const callers = Array.from({ length: writerCount }, () => createCaller(server.port));
  cleanUpLater(async () => {
    for (const caller of callers) caller.close();
  });
  const [reader] = callers;
  if (!reader) throw new Error("There are no clients.");
  let count = acknowledged.length * 1000;
  const read = (operation: string, body: object = {}): Promise<HttpAnswer> =>
    reader.call(operation, body, { authorization });
  return {
    acknowledged,
    read,
    each: () =>
      Promise.all(
        callers.map(async (caller) => {
          const name = `Project ${count++}`;
          const body = { name, description: "x".repeat(2000), organization_id: first.organization_id };
          const answer = await caller.call("projects/create", body, { authorization });
          if (answer.status === 200) acknowledged.push(answer.body.project_id);
          return answer;
        }),
      ),
    /** Every project that was acknowledged is listed, and none that was refused. */
    async expectExactly(): Promise<void> {
      const listed: string[] = [];
      let after: string | null = null;
      do {
        const { body } = await read("projects/list", { limit: 100, after });
        listed.push(...body.results.map((each: { project_id: string }) => each.project_id));
        after = body.next;
      } while (after !== null);
      expect(listed.sort()).toEqual([first.project_id, ...acknowledged].sort());
    },
  };
}
