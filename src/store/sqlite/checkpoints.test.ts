import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Worker } from "node:worker_threads";
import { expect, test } from "vitest";
import { cleanUpLater, temporaryFolder } from "../../../test/support/stores.ts";
import { createLog } from "../../kernel/log.ts";
import type { Store } from "../db.ts";
import { type CheckpointResult, checkpointChannel, logLengthOf, logLostCheckpoints } from "./checkpoints.ts";
import { openSqlite } from "./sqlite.ts";

/** "Bound what one turn of the loop does (… checkpoints of the WAL in small parts …)." */

const kibibyte = 1024;
const sizes = { partBytes: 256 * kibibyte, logBytes: 1024 * kibibyte };

async function newNotes(): Promise<{ store: Store; file: string; parts: CheckpointResult[] }> {
  const file = join(temporaryFolder(), "notes.sqlite");
  const store = openSqlite(file, { logLimits: sizes });
  cleanUpLater(() => store.close());
  await store.exclusively((_db, runScript) => runScript("create table notes (id integer primary key, note text)"));
  const parts: CheckpointResult[] = [];
  const hear = (part: unknown) => void parts.push(part as CheckpointResult);
  subscribe(checkpointChannel, hear);
  cleanUpLater(async () => void unsubscribe(checkpointChannel, hear));
  return { store, file, parts };
}

/** As many callers, each with one transaction after the other. */
async function write(store: Store, megabytes: number): Promise<void> {
  const note = "x".repeat(16 * kibibyte);
  const caller = async () => {
    for (let written = 0; written < megabytes * 4; written++) {
      await store.transaction((db) => db.query("insert into notes (note) values ($1)", [note]));
    }
  };
  await Promise.all(Array.from({ length: 16 }, caller));
}

function lengthsOf(file: string) {
  const database = new DatabaseSync(file);
  const { log, rest } = logLengthOf(database)();
  database.close();
  return { log, rest };
}

const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

test("no commit on the event loop runs a checkpoint: a thread does, in parts", async () => {
  const { store, parts } = await newNotes();
  const told = await store.transaction((db) => db.query("pragma wal_autocheckpoint"));
  expect(told).toEqual([{ wal_autocheckpoint: 0 }]);
  await write(store, 3);
  await expect.poll(() => parts.some(({ log, rest }) => rest < log)).toBe(true);
});

test("the log restarts while callers write without a pause, and so stays short", async () => {
  const { store, file } = await newNotes();
  let longest = 0;
  let isOver = false;
  const watching = (async () => {
    for (; !isOver; await nextTurn()) longest = Math.max(longest, statSync(`${file}-wal`).size);
  })();
  await write(store, 24);
  isOver = true;
  await watching;
  // Twice its length is where commits wait; the batch that comes before that may be 16 notes with their pages.
  expect(longest).toBeLessThan(3 * sizes.logBytes);
  expect(await store.query("select count(*) as count from notes")).toEqual([{ count: 24 * 4 * 16 }]);
  expect(await store.query("pragma integrity_check")).toEqual([{ integrity_check: "ok" }]);
});

test("a long read does not block writers, and the log restarts after it", async () => {
  const { store, file } = await newNotes();
  await write(store, 1);
  const other = new DatabaseSync(file);
  other.exec("begin");
  other.prepare("select count(*) from notes").get();
  await write(store, 8);
  const { log } = lengthsOf(file);
  expect(log * 4096).toBeGreaterThan(2 * sizes.logBytes);
  other.close();
  for (let tries = 0; tries < 20 && lengthsOf(file).log * 4096 > 2 * sizes.logBytes; tries++) await write(store, 1);
  expect(lengthsOf(file).log * 4096).toBeLessThanOrEqual(2 * sizes.logBytes);
});

test("closing ends the thread and leaves one complete file, without a log", async () => {
  const { store, file, parts } = await newNotes();
  await write(store, 2);
  while (parts.length === 0) await nextTurn();
  await Promise.all([write(store, 1), nextTurn()]);
  await store.close();
  expect(existsSync(`${file}-wal`)).toBe(false);
  expect(process.getActiveResourcesInfo().filter((each) => each === "Worker")).toEqual([]);
  const again = new DatabaseSync(file, { readOnly: true });
  expect(again.prepare("select count(*) as count from notes").get()).toEqual({ count: 3 * 4 * 16 });
  again.close();
});

// "The store goes on": the log holds everything that was committed, and the next part has a thread of its own.
test("a checkpoint thread that dies is reported in the log, holds up no commit, and is followed by another", async () => {
  const threads: Worker[] = [];
  const onWorker = (thread: Worker) => void threads.push(thread);
  process.on("worker", onWorker);
  cleanUpLater(async () => void process.off("worker", onWorker));
  const lines: string[] = [];
  cleanUpLater(async () => stopLogging());
  const stopLogging = logLostCheckpoints(createLog("warn", { write: (line) => void lines.push(line) }));
  const { store, file, parts } = await newNotes();

  const writing = write(store, 8);
  while (threads.length === 0) await nextTurn();
  await threads[0]?.terminate();
  await writing;
  expect(lines).toHaveLength(1);
  expect(JSON.parse(lines[0] ?? "")).toMatchObject({ file, msg: expect.stringContaining("checkpoint thread") });

  const before = parts.length;
  for (let tries = 0; tries < 20 && parts.length === before; tries++) await write(store, 1);
  expect(threads.length).toBeGreaterThan(1);
  expect(parts.length).toBeGreaterThan(before);
  expect(await store.query("pragma integrity_check")).toEqual([{ integrity_check: "ok" }]);
});
