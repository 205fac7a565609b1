import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { Worker } from "node:worker_threads";
import { expect, test } from "vitest";
import { keep, nextTurn } from "../../../test/support/databases/sqlite-notes.ts";
import { cleanUpLater, temporaryFolder } from "../../../test/support/stores.ts";
import { createLog } from "../../kernel/log.ts";
import { type Checkpointer, checkpointChannel, createCheckpointer, logLostCheckpoints } from "./checkpoints.ts";
import { statementRunner } from "./connection.ts";
import { createGroupCommit, type GroupCommit, type GroupCommitParts } from "./group-commit.ts";
import { createQueryCache } from "./query-cache.ts";
import { createSharedReads } from "./shared-reads.ts";

/** Whatever fails around a commit: its callers get an answer, and later transactions are served. */

const noCheckpoints: Checkpointer = { batchEnded() {}, commitsPaused: () => null, close: async () => {} };

type PartsOf = (file: string, writer: DatabaseSync, isBatchOpen: () => boolean) => Partial<GroupCommitParts>;

function openCommits(partsOf: PartsOf) {
  const file = join(temporaryFolder(), "notes.sqlite");
  const writer = new DatabaseSync(file);
  writer.exec(`pragma journal_mode = wal; pragma wal_autocheckpoint = 0; pragma foreign_keys = on;
               create table notes (id text primary key, note text);
               create table answers (note_id text references notes (id) deferrable initially deferred)`);
  const kept = () => {
    const other = new DatabaseSync(file, { readOnly: true });
    const rows = other.prepare("select id from notes order by id").all();
    other.close();
    return rows.map(({ id }) => id);
  };
  const parts: GroupCommitParts = {
    writer,
    write: statementRunner(writer),
    cache: createQueryCache(writer),
    checkpoints: noCheckpoints,
    endRead() {},
    onFull() {},
    ...partsOf(file, writer, () => commits.isOpen()),
  };
  const commits: GroupCommit = createGroupCommit(parts);
  cleanUpLater(async () => {
    await commits.close();
    await parts.checkpoints.close();
    writer.close();
  });
  return { commits, writer, file, cache: parts.cache, kept };
}

/** Takes the place of the test runner's own listeners until the test ends. */
function hearRejections(): unknown[] {
  const heard: unknown[] = [];
  const before = process.listeners("unhandledRejection");
  process.removeAllListeners("unhandledRejection");
  process.on("unhandledRejection", (reason) => void heard.push(reason));
  cleanUpLater(async () => {
    process.removeAllListeners("unhandledRejection");
    for (const listener of before) process.on("unhandledRejection", listener);
  });
  return heard;
}

function hearLostCheckpoints(): string[] {
  const lines: string[] = [];
  const stopLogging = logLostCheckpoints(createLog("warn", { write: (line) => void lines.push(line) }));
  cleanUpLater(async () => stopLogging());
  return lines;
}

test("a checkpoint thread that cannot start is reported, holds up no commit, and is tried again", async () => {
  const lines = hearLostCheckpoints();
  let parts = 0;
  const hear = () => void parts++;
  subscribe(checkpointChannel, hear);
  cleanUpLater(async () => void unsubscribe(checkpointChannel, hear));

  const sizes = { partBytes: 64 * 1024, logBytes: 256 * 1024 };
  let isRefusing = true;
  let refusals = 0;
  const { commits, kept } = openCommits((file, writer, isBatchOpen) => {
    const newThread = (script: URL) => {
      if (!isRefusing) return new Worker(script, { workerData: file, execArgv: [] });
      refusals++;
      throw new Error("ERR_WORKER_INIT_FAILED");
    };
    return { checkpoints: createCheckpointer(file, writer, isBatchOpen, sizes, newThread) };
  });
  let written = 0;
  const write = () => commits.transaction((db) => keep(db, `n${written++}`, "x".repeat(16 * 1024)));

  // The log becomes four times as long as it should: commits have waited for the last part, too.
  while (written < 64) await write();
  expect(refusals).toBeGreaterThan(4);
  expect(lines).toHaveLength(refusals);
  expect(JSON.parse(lines[0] ?? "")).toMatchObject({ err: { message: "ERR_WORKER_INIT_FAILED" } });

  isRefusing = false;
  while (parts === 0) await write();
  expect(lines).toHaveLength(refusals);
  expect(kept()).toHaveLength(written);
});

test("a failure after the commit is reported, and the callers of the commit still resume", async () => {
  const heard = hearRejections();
  const failure = new Error("no checkpoint");
  const batchEnded = () => {
    throw failure;
  };
  const { commits, kept } = openCommits(() => ({ checkpoints: { ...noCheckpoints, batchEnded } }));
  await Promise.all(["a", "b"].map((id) => commits.transaction((db) => keep(db, id))));
  await commits.transaction((db) => keep(db, "c"));
  await commits.close();
  expect(kept()).toEqual(["a", "b", "c"]);
  // Node reports a rejection at the end of the turn.
  await nextTurn();
  expect(heard).toEqual([failure, failure]);
});

test("a batch that finds a read it cannot end is refused, and the next one is not", async () => {
  let failures = 1;
  const endRead = () => {
    if (failures-- > 0) throw new Error("disk I/O error");
  };
  const { commits, kept } = openCommits(() => ({ endRead }));
  await expect(commits.transaction((db) => keep(db, "refused"))).rejects.toThrow("disk I/O error");
  await commits.transaction((db) => keep(db, "after"));
  await commits.close();
  expect(kept()).toEqual(["after"]);
});

test("callers get the first failure if the rollback fails as well, and nothing of their batch is ever read or committed", async () => {
  const { commits, writer, file, cache, kept } = openCommits(() => ({}));
  const reader = new DatabaseSync(file, { readOnly: true });
  cleanUpLater(async () => reader.close());
  const reads = createSharedReads({
    writer,
    write: statementRunner(writer),
    readOnly: statementRunner(reader),
    cache,
    isBatchOpen: commits.isOpen,
  });
  const seen = () => reads.read("select id from notes").map(({ id }) => id);
  expect(seen()).toEqual([]);
  const exec = writer.exec.bind(writer);
  let failures = 2;
  writer.exec = (sql) => {
    if (sql === "rollback" && failures-- > 0) throw new Error("disk I/O error");
    exec(sql);
  };
  const orphan = commits.transaction(async (db) => {
    await keep(db, "refused");
    // Checked at the commit and not before: an answer to a note that does not exist.
    await db.query("insert into answers (note_id) values ('nobody')");
  });
  await expect(orphan).rejects.toThrow("FOREIGN KEY");
  expect(seen()).toEqual([]);
  reads.share();
  expect(seen()).toEqual([]);
  // It finds the transaction still open, and ends it.
  await expect(commits.transaction((db) => keep(db, "refused too"))).rejects.toThrow("within a transaction");
  expect(seen()).toEqual([]);
  await commits.transaction((db) => keep(db, "after"));
  expect([kept(), seen()]).toEqual([["after"], ["after"]]);
});

test("exclusive work that cannot begin leaves the store as it was", async () => {
  const { commits, file, kept } = openCommits(() => ({}));
  const other = new DatabaseSync(file);
  other.exec("begin immediate");
  const work = () => commits.exclusively((db) => keep(db, "exclusive"));
  await expect(work()).rejects.toThrow("locked");
  expect(commits.isOpen()).toBe(false);
  other.close();
  await work();
  expect(kept()).toEqual(["exclusive"]);
});
