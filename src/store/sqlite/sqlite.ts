import type { DatabaseSync } from "node:sqlite";
import { nextTurn } from "../../kernel/give-way.ts";
import { type Db, insideTransaction, isOneOfMany, type Row, type Store, StoreUnavailable, type Value } from "../db.ts";
import { rememberAnswers } from "./answer-cache.ts";
import { openAside } from "./aside.ts";
import { asUnavailable, openConnection, statementRunner } from "./connection.ts";
import { type LogSizes, openWriteBack } from "./write-back.ts";

/** How many transactions may share one commit: enough to hide the fsync, few enough not to hold up the event loop. */
const batchMax = 256;

/** For so many turns of the event loop a batch waits at most, as long as each of them brings more transactions. */
const gatheringMax = 8;

/** So long a batch holds the event loop; then everybody else has a turn, and the batch goes on. */
const sliceMilliseconds = 4;

/**
 * So few are answered in one turn of the event loop where turns are long: what each of them goes on with comes before the turn ends.
 * Where they are short, twice as many in each, because callers who go on together also come back together.
 */
const answeredMin = 8;

/**
 * A transaction waits for nothing but its own statements, which are done at once, and between many of them for the others' turn;
 * so many turns after the last one it waits for more.
 */
const turnsMax = 100;

const waitsText =
  "A transaction waited for something besides its own statements: the network, a timer, or a transaction opened inside it.";

interface Job {
  work: (db: Db) => Promise<unknown>;
  resolve: (value: unknown) => void;
  reject: (reason: unknown) => void;
  outcome?: { ok: true; value: unknown } | { ok: false; error: unknown };
}

/**
 * One file, one writing connection, one reading connection beside it. Transactions that arrive together become one commit
 * and one fsync; none is answered before that fsync. Measured with 64 callers: about ten times the durable transactions of
 * committing one by one (npm run bench -- store). Together means: turn after turn of the event loop, as long as there come
 * more. Whoever was answered by the last commit calls again a moment later, and would otherwise always make up another
 * batch (measured with 32 callers: two batches of 16 in turn, and an eighth more time for each call).
 *
 * Each transaction of a batch stands for itself. A savepoint for each would say so to SQLite, which then keeps a copy of every
 * page it touches (measured on creating an invite: a tenth of the whole call). So a batch is first run without; one that
 * fails after writing something spoils it, and the batch is rolled back and run again with a savepoint each.
 *
 * Pages have 4 KiB, as SQLite has them by itself. With 8, creating invites for one organization takes 3 % less, because there
 * is half as much to split; among a million of them, for a thousand organizations in turn, it takes 14 % more, because each
 * page that changes is written whole (npm run bench -- calls, -- big).
 *
 * Reads go through the writing connection as long as no batch is open on it: SQLite empties the page cache of a connection
 * whenever another one has committed, so the reading connection starts cold after every batch.
 */
export function openSqlite(file: string, logSizes?: LogSizes): Store {
  const writer = openConnection(
    file,
    "pragma journal_mode = wal; pragma synchronous = full; pragma foreign_keys = on; pragma temp_store = memory",
  );
  fitToSize(writer);
  const reader = openConnection(file, "pragma query_only = on; pragma cache_size = -4096");

  const aside = openAside(file);
  const writeBack = openWriteBack(file, writer, () => batchOpen, logSizes);

  const write = statementRunner(writer);
  const read = statementRunner(reader);
  const known = rememberAnswers(writer);
  const [beginRead, endRead] = [writer.prepare("begin"), writer.prepare("commit")];
  const [begin, commit] = [writer.prepare("begin immediate"), writer.prepare("commit")];
  const [savepoint, release] = [writer.prepare("savepoint one"), writer.prepare("release one")];
  const undo = writer.prepare("rollback to one");

  const room = { wasRefused: false };
  let closed = false;
  let batchOpen = false;
  let lookedThisTurn = false;
  let reading = false;

  function readTogether(): void {
    if (lookedThisTurn || batchOpen || closed) return;
    lookedThisTurn = true;
    known.forgetIfChanged();
    setImmediate(stopReading);
  }
  function stopReading(): void {
    lookedThisTurn = false;
    if (!reading) return;
    reading = false;
    endRead.run();
  }
  function readOutside(sql: string, values: readonly Value[] = []): Row[] {
    if (isOneOfMany(sql)) return read(sql, values);
    // Nobody else can commit meanwhile, and what the batch itself changes is forgotten with its commit.
    if (batchOpen) return known.answer(sql, values, read);
    if (!lookedThisTurn) known.forgetIfChanged();
    return known.answer(sql, values, ask);
  }

  const onlyReads = new Set<string>();
  function ask(sql: string, values: readonly Value[]): Row[] {
    if (!onlyReads.has(sql)) {
      // The first time it goes to the connection that refuses to write.
      const rows = read(sql, values);
      onlyReads.add(sql);
      return rows;
    }
    if (lookedThisTurn && !reading) {
      reading = true;
      beginRead.run();
    }
    return write(sql, values);
  }

  const queue: Job[] = [];
  let draining = false;
  const unanswered: Job[] = [];

  function enqueue<T>(work: (db: Db) => Promise<T>): Promise<T> {
    if (closed) return Promise.reject(new StoreUnavailable("unreachable", new Error("The store is closed.")));
    return new Promise<T>((resolve, reject) => {
      queue.push({ work, resolve: resolve as Job["resolve"], reject });
      if (!draining) {
        draining = true;
        setImmediate(gather, 0, 0);
      }
    });
  }

  function gather(before: number, turns: number): void {
    const { length } = queue;
    if (length > before && length < batchMax && turns < gatheringMax) setImmediate(gather, length, turns + 1);
    else void drain();
  }

  async function drain(): Promise<void> {
    const held = writeBack.held();
    if (held) await held;
    const batch = queue.splice(0, batchMax);
    stopReading();
    batchOpen = true;
    watchOver();
    try {
      if (!(await runAll(batch, false))) await runAll(batch, true);
    } catch (error) {
      if (writer.isTransaction) writer.exec("rollback");
      const failure = asUnavailable(error);
      for (const job of batch) job.outcome = { ok: false, error: failure };
    }
    batchOpen = false;
    known.forgetWritten();
    writeBack.batchEnded();
    if (unanswered.push(...batch) === batch.length) answerSome();
    if (queue.length > 0) setImmediate(gather, 0, 0);
    else draining = false;
  }

  let answeredAtOnce = answeredMin;
  function answerSome(): void {
    const some = unanswered.splice(0, answeredAtOnce);
    if (unanswered.length > 0) setImmediate(answerMore, performance.now());
    for (const { outcome, resolve, reject } of some) {
      if (outcome?.ok) resolve(outcome.value);
      else {
        if (outcome?.error instanceof StoreUnavailable && outcome.error.reason === "full") room.wasRefused = true;
        reject(outcome?.error);
      }
    }
  }

  function answerMore(before: number): void {
    const wasLong = performance.now() - before > sliceMilliseconds;
    answeredAtOnce = wasLong ? answeredMin : Math.min(batchMax, answeredAtOnce * 2);
    answerSome();
  }

  /** Answers false where the batch was spoilt and nothing of it is left. */
  async function runAll(batch: Job[], withSavepoints: boolean): Promise<boolean> {
    begin.run();
    known.forgetIfChanged();
    let from = performance.now();
    for (const job of batch) {
      if (performance.now() - from > sliceMilliseconds) {
        await nextTurn();
        from = performance.now();
      }
      if (withSavepoints) savepoint.run();
      const wrote = await runOne(job);
      // A full disk or a failed write makes SQLite give up the whole transaction, neighbours included.
      if (!writer.isTransaction) throw job.outcome?.ok === false ? job.outcome.error : new Error("Rolled back.");
      if (wrote && !job.outcome?.ok) {
        if (!withSavepoints) {
          writer.exec("rollback");
          return false;
        }
        undo.run();
      }
      if (withSavepoints) release.run();
    }
    commit.run();
    return true;
  }

  /** Answers whether it wrote anything. */
  async function runOne(job: Job): Promise<boolean> {
    let wrote = false;
    const inside = insideTransaction({
      query: async <R>(sql: string, values?: readonly Value[]) => {
        turnsWaited = 0;
        if (sql.startsWith("select")) return known.answerInside(sql, values ?? [], write) as R[];
        wrote = true;
        known.noteWrite(sql);
        return write(sql, values) as R[];
      },
      skipLocked: "",
      lockRow: "",
    });
    try {
      const value = await new Promise((resolve, reject) => {
        turnsWaited = 0;
        giveUp = reject;
        job.work(inside.db).then(resolve, reject);
      });
      job.outcome = { ok: true, value };
    } catch (error) {
      job.outcome = { ok: false, error: asUnavailable(error) };
    } finally {
      inside.end();
    }
    return wrote;
  }

  // Whoever opens a transaction inside another one waits for itself, and all others wait with it.
  let watching = false;
  let turnsWaited = 0;
  let giveUp: (reason: Error) => void = () => {};
  function watchOver(): void {
    if (watching) return;
    watching = true;
    setImmediate(function look() {
      watching = batchOpen;
      if (++turnsWaited > turnsMax) giveUp(new Error(waitsText));
      if (watching) setImmediate(look);
    });
  }

  async function exclusively<T>(work: (db: Db, runScript: (sql: string) => Promise<void>) => Promise<T>): Promise<T> {
    while (batchOpen) await nextTurn();
    stopReading();
    known.forgetAll();
    batchOpen = true;
    writer.exec("begin immediate");
    try {
      const query = async <R>(sql: string, values?: readonly Value[]) => write(sql, values) as R[];
      const inside = insideTransaction({ query, skipLocked: "", lockRow: "" });
      const result = await work(inside.db, async (sql) => writer.exec(sql));
      writer.exec("commit");
      return result;
    } catch (error) {
      if (writer.isTransaction) writer.exec("rollback");
      throw error;
    } finally {
      batchOpen = false;
      known.forgetAll();
      writeBack.batchEnded();
    }
  }

  return {
    kind: "sqlite",
    room,
    query: async <R>(sql: string, values?: readonly Value[]) => {
      if (closed) throw new StoreUnavailable("unreachable", new Error("The store is closed."));
      try {
        return readOutside(sql, values) as R[];
      } catch (error) {
        throw asUnavailable(error);
      }
    },
    transaction: enqueue,
    skipLocked: "",
    lockRow: "",
    readTogether,
    queryAside: async <R>(sql: string, values: readonly Value[] = []) => {
      if (closed) throw new StoreUnavailable("unreachable", new Error("The store is closed."));
      return (await aside.ask(sql, values)) as R[];
    },
    exclusively,
    async close() {
      closed = true;
      while (draining || unanswered.length > 0) await nextTurn();
      await aside.close();
      await writeBack.close();
      stopReading();
      if (reader.isOpen) reader.close();
      if (writer.isOpen) writer.close();
    },
  };
}

const mebibyte = 1024 * 1024;

/**
 * How much of the file is kept in memory. The cache stays as large as it once was: a million items through `all_pages` leave a
 * server 49 MB above its rest with 32 MB, and 91 MB with 64. Below 1 GiB more of it would not pay either, because SQLite walks
 * through all of it with most commits. Above, what changes lies scattered, and more of it is asked for again.
 */
function fitToSize(writer: DatabaseSync): void {
  const told = (pragma: string): number => Number(writer.prepare(`pragma ${pragma}`).get()?.[pragma]);
  const pageBytes = told("page_size");
  const isLarge = told("page_count") * pageBytes > 1024 * mebibyte;
  const cacheKibibytes = isLarge ? 65_536 : 32_768;
  writer.exec(`pragma cache_size = -${cacheKibibytes}; pragma wal_autocheckpoint = 0`);
}
