import type { Store } from "../db.ts";
import { serverCodeOf } from "../postgres/errors.ts";
import { splitLast } from "./add-months.ts";
import { readIndexes, readRights, readState, readTriggers } from "./catalogue.ts";
import { changeTable, TableBusy } from "./change-table.ts";
import { boundsOf, type Change, makePartition, quoted } from "./make-partition.ts";
import { type GrowingTable, monthAfter, monthName, partitionName } from "./months.ts";
import { obstaclesOf } from "./obstacles.ts";

/** Why a table cannot be partitioned, as a sentence. Nothing was changed. */
export class PartitionRefused extends Error {}

/** For how long others may wait for us, and how often we try again. */
export interface Patience {
  lockMilliseconds: number;
  tries: number;
  pauseMilliseconds: number;
}

export const commandPatience: Patience = { lockMilliseconds: 2_000, tries: 10, pauseMilliseconds: 1_000 };

const day = 86_400_000;
/** At least so long before the bound, nothing can go wrong if the command is killed: see `boundCheckOf`. */
const headStart = 7 * day;

/** Until when the table as it is now becomes the first partition. */
export const firstBound = (now: Date): Date => monthAfter(new Date(now.getTime() + headStart), 1);

/**
 * While it is there, the table refuses rows after the bound. That is weeks away, and the check is there for the minutes that
 * PostgreSQL takes to read the table. A command that was killed leaves it behind; the next one, or a server, drops it.
 */
const boundCheckOf = (table: GrowingTable): string => `${table.name}_partition_bound`;

/**
 * Turns a table into one that is partitioned by month. What is there becomes the first partition, without a copy. Only the last
 * step keeps others from the table, for some milliseconds. Each step is a transaction, so a command that is killed leaves a
 * table that works.
 */
export async function partitionTable(
  store: Store,
  table: GrowingTable,
  now: Date,
  patience = commandPatience,
): Promise<void> {
  const [obstacle] = await obstaclesOf(store, table);
  if (obstacle) throw new PartitionRefused(`The table ${table.name} cannot be partitioned. ${obstacle}`);
  const to = firstBound(now);
  const change = <T>(work: (change: Change) => Promise<T>): Promise<T> =>
    patiently(patience, () => changeTable(store, table, patience.lockMilliseconds, work));
  const check = boundCheckOf(table);
  await enforceRule(table, change);
  await change(async ({ runScript }) => {
    await runScript(`alter table ${table.name} drop constraint if exists ${check};
      alter table ${table.name} add constraint ${check} check (${table.column} < '${table.boundAt(to)}') not valid`);
  });
  try {
    // Reads the whole table, beside everybody else.
    await change(({ runScript }) => runScript(`alter table ${table.name} validate constraint ${check}`));
    await change((each) => swap(each, to, now, check));
  } catch (error) {
    const dropCheck = ({ runScript }: Change) =>
      runScript(`alter table ${table.name} drop constraint if exists ${check}`);
    // If this fails too, a server drops the check: see `dropLeftCheck`. The first error is thrown.
    await change(dropCheck).catch(() => {});
    // A row is beyond the check.
    if (serverCodeOf(error) !== "23514") throw error;
    throw new PartitionRefused(
      `The table ${table.name} has rows from ${monthName(to)} or later: a clock was wrong when they were written. Delete them, or run the command after that month has begun.`,
    );
  }
  // Not analyzed: the first partition keeps its statistics, and PostgreSQL would plan for a next month that stays empty.
}

/** A rule that stores something for each row: first for new rows, then for those that are there, so that none is missed. */
async function enforceRule(
  { fillRule, ruleForAll = "" }: GrowingTable,
  change: <T>(work: (change: Change) => Promise<T>) => Promise<T>,
): Promise<void> {
  if (!fillRule) return;
  await change(({ runScript }) => runScript(ruleForAll));
  for (let last: string | null = ""; last !== null; ) {
    const after: string = last;
    last = await change(({ db }) => fillRule(db, after));
  }
}

async function patiently<T>({ tries, pauseMilliseconds }: Patience, work: () => Promise<T>): Promise<T> {
  for (let left = tries - 1; ; left--) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof TableBusy)) throw error;
      if (left <= 0)
        throw new PartitionRefused(
          `${error.message} A transaction held it through ${tries} tries. Nothing was changed for it; run the command again, best when there is little to do.`,
        );
      await new Promise((resolve) => setTimeout(resolve, pauseMilliseconds));
    }
  }
}

/** The old table becomes the first partition of a new one that has its name, its indexes, its triggers and its rights. */
async function swap(change: Change, to: Date, now: Date, check: string): Promise<void> {
  const { db, runScript, table } = change;
  const first = { from: null, to };
  const part = partitionName(table, first);
  await runScript(`lock table ${table.name} in access exclusive mode`);
  // A migration may have changed the table since we looked.
  const [obstacle] = await obstaclesOf(db, table);
  if (obstacle) throw new PartitionRefused(`The table ${table.name} cannot be partitioned. ${obstacle}`);
  const indexes = await readIndexes(db, table.name, table.column);
  const triggers = await readTriggers(db, table.name);
  const rights = await readRights(db, table.name);
  await runScript(`alter table ${table.name} rename to ${quoted(part)}`);
  for (const { name } of indexes)
    await runScript(`alter index ${quoted(name)} rename to ${quoted(indexName(table, part, name))}`);
  await runScript(`create table ${table.name} (like ${quoted(part)} including all excluding indexes)
    partition by range (${table.column}); alter table ${table.name} drop constraint ${check}`);
  for (const { name, text, constraint, isUniqueInPartitionOnly } of indexes) {
    if (isUniqueInPartitionOnly) continue;
    await runScript(constraint ? `alter table ${table.name} add constraint ${quoted(name)} ${constraint}` : text);
  }
  for (const { name, text, isForRows } of triggers) {
    if (isForRows) await runScript(`drop trigger ${quoted(name)} on ${quoted(part)}`);
    await runScript(text);
  }
  await runScript(`alter table ${table.name} attach partition ${quoted(part)} for values ${boundsOf(table, first)};
    alter table ${quoted(part)} drop constraint ${check}; ${table.ruleForAll ?? ""}`);
  if ((await readIndexes(db, part, table.column)).length !== indexes.length)
    throw new Error(`An index of ${table.name} would be built while nobody can use the table.`);
  for (const text of rights) await runScript(text);
  await makePartition(change, { from: to, to: null }, part);
  if ((await readState(db, table))?.partitions.at(-1)?.from?.getTime() !== to.getTime())
    throw new Error(`The bound of ${table.name} is not what was asked for.`);
  if (to < monthAfter(now, 2)) await splitLast(change, now, 0);
}

const indexName = (table: GrowingTable, part: string, name: string): string =>
  `${part}_${name.startsWith(`${table.name}_`) ? name.slice(table.name.length + 1) : name}`;

/** Drops the check of a command that was killed, before it could refuse a row. Returns whether there was one. */
export async function dropLeftCheck(
  store: Store,
  table: GrowingTable,
  now: Date,
  lockMilliseconds: number,
): Promise<boolean> {
  const check = boundCheckOf(table);
  const [left] = await store.query<{ text: string }>(
    "select pg_get_constraintdef(oid) as text from pg_constraint where conrelid = to_regclass($1) and conname = $2",
    [table.name, check],
  );
  const bound = /'([^']+)'/.exec(left?.text ?? "")?.[1];
  // A command at work has one that is further away.
  if (bound === undefined || table.timeOf(bound).getTime() - now.getTime() > headStart / 2) return false;
  await changeTable(store, table, lockMilliseconds, ({ runScript }) =>
    runScript(`alter table ${table.name} drop constraint if exists ${check}`),
  );
  return true;
}
