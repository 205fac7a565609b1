import type { Db, Store } from "../store/db.ts";
import { sharedNow } from "../store/shared-time.ts";
import { type LimitClock, type Moment, notBefore } from "./state/clock.ts";
import { emptyState, momentOf, readState, type SubjectState, writeState } from "./state/limit-row.ts";
import type { Waiting } from "./waiting/shared-waiters.ts";

/** The rows of some subjects at one moment. */
export interface Seen {
  now: Moment;
  states: Map<string, SubjectState>;
}

export interface Use {
  projectId: string;
  connectionId: string;
  subject: string;
}

/** What a round decided: with `changed` the states are written back. */
export interface Decided<T> {
  result: T;
  changed: boolean;
  uses: readonly Use[];
  /** Further work in the same transaction. */
  inside?: ((db: Db) => Promise<void>) | undefined;
}

interface StateRow {
  subject: string;
  state: string;
  now?: number;
}

/**
 * Whose clock the times in the rows follow. Nodes that share a PostgreSQL have different clocks, so they use the database's.
 * Processes that share a SQLite file share the machine's clock.
 */
export type RowTime = "database" | "own";

const databaseTime = ", (extract(epoch from clock_timestamp()) * 1000)::bigint as now";

const momentIn = (row: StateRow | undefined, clock: LimitClock): Moment =>
  row?.now === undefined ? { wall: clock.wall(), steady: clock.steady() } : { wall: row.now, steady: null };

const columns = (time: RowTime): string => `subject, state${time === "database" ? databaseTime : ""}`;

/** One short transaction: locks the rows, decides, and writes changed rows back. */
export function updateStates<T>(
  { store, time, clock }: { store: Store; time: RowTime; clock: LimitClock },
  subjects: readonly string[],
  decide: (seen: Seen) => Decided<T>,
): Promise<T> {
  return store.transaction(async (db) => {
    const rows: StateRow[] = [];
    // Always in the same order, so that two transactions never deadlock.
    for (const subject of subjects) rows.push(await lockRow(db, time, subject));
    const seen = seenOf(rows, clock);
    const { result, changed, uses, inside } = decide(seen);
    if (changed) for (const [subject, state] of seen.states) await saveState(db, subject, state, seen.now);
    for (const use of uses) await insertUse(db, use);
    await inside?.(db);
    return result;
  });
}

async function lockRow(db: Db, time: RowTime, subject: string): Promise<StateRow> {
  const select = `select ${columns(time)} from limit_states where subject = $1 ${db.lockRow}`;
  const [row] = await db.query<StateRow>(select, [subject]);
  if (row) return row;
  await db.query("insert into limit_states (subject, state, low) values ($1, '', 0) on conflict (subject) do nothing", [
    subject,
  ]);
  const [made] = await db.query<StateRow>(select, [subject]);
  return made ?? { subject, state: "" };
}

function seenOf(rows: readonly StateRow[], clock: LimitClock): Seen {
  const written = rows.filter(({ state }) => state !== "").map(({ state }) => momentOf(state));
  const now = written.reduce(notBefore, momentIn(rows[0], clock));
  return {
    now,
    states: new Map(rows.map(({ subject, state }) => [subject, state === "" ? emptyState() : readState(state, now)])),
  };
}

async function saveState(db: Db, subject: string, state: SubjectState, now: Moment): Promise<void> {
  const isLow = [...state.limits.values()].some((limit) => limit.kind === "reported" && limit.resetsAt > now.wall);
  await db.query("update limit_states set state = $2, low = $3 where subject = $1", [
    subject,
    writeState(state, now),
    isLow ? 1 : 0,
  ]);
}

async function insertUse(db: Db, { projectId, connectionId, subject }: Use): Promise<void> {
  await db.query(
    "insert into limit_uses (project_id, connection_id, subject) values ($1, $2, $3) on conflict do nothing",
    [projectId, connectionId, subject],
  );
}

/** Reads without a lock. */
export async function readStates(db: Db, time: RowTime, clock: LimitClock, subjects: readonly string[]): Promise<Seen> {
  const rows: StateRow[] = [];
  for (const subject of subjects) {
    rows.push(...(await db.query<StateRow>(`select ${columns(time)} from limit_states where subject = $1`, [subject])));
  }
  return seenOf(rows, clock);
}

export async function readLow(db: Db, time: RowTime, clock: LimitClock): Promise<Seen> {
  return seenOf(await db.query<StateRow>(`select ${columns(time)} from limit_states where low = 1`), clock);
}

export async function listUses(db: Db, projectId: string): Promise<{ connectionId: string; subject: string }[]> {
  const rows = await db.query<{ connection_id: string; subject: string }>(
    "select connection_id, subject from limit_uses where project_id = $1 order by connection_id, subject",
    [projectId],
  );
  return rows.map((row) => ({ connectionId: row.connection_id, subject: row.subject }));
}

export async function listUsers(db: Db, subject: string): Promise<Use[]> {
  const rows = await db.query<{ project_id: string; connection_id: string }>(
    "select project_id, connection_id from limit_uses where subject = $1 order by project_id, connection_id",
    [subject],
  );
  return rows.map((row) => ({ projectId: row.project_id, connectionId: row.connection_id, subject }));
}

/** In the order in which rounds lock them. */
export async function emptyStates(db: Db, subjects: readonly string[]): Promise<void> {
  for (const subject of subjects) {
    await db.query("update limit_states set state = '', low = 0 where subject = $1", [subject]);
  }
}

/** A page of rows, in the order of their subjects. */
export async function listStates(db: Db, after: string, limit: number): Promise<{ subject: string; state: string }[]> {
  return db.query("select subject, state from limit_states where subject > $1 order by subject limit $2", [
    after,
    limit,
  ]);
}

/** Deletes each row only if it has not changed since it was read. Returns how many were deleted. */
export function deleteStates(store: Store, rows: readonly { subject: string; state: string }[]): Promise<number> {
  return store.transaction(async (db) => {
    let count = 0;
    for (const { subject, state } of rows) {
      const gone = await db.query("delete from limit_states where subject = $1 and state = $2 returning subject", [
        subject,
        state,
      ]);
      if (gone.length > 0) await db.query("delete from limit_uses where subject = $1", [subject]);
      count += gone.length;
    }
    return count;
  });
}

/** Stands in the column `subject` of a heartbeat. */
const heartbeat = "";

const nowIn = async (db: Db, time: RowTime, clock: LimitClock): Promise<number> =>
  (await sharedNow(db, time === "database" ? "postgres" : "sqlite", new Date(clock.wall()))).getTime();

const isoNowIn = async (db: Db, time: RowTime, clock: LimitClock): Promise<string> =>
  new Date(await nowIn(db, time, clock)).toISOString();

/** The heartbeat holds for this time, and is renewed before that. */
export async function putHeartbeat(
  db: Db,
  { time, clock }: { time: RowTime; clock: LimitClock },
  process: string,
  milliseconds: number,
): Promise<void> {
  const until = new Date((await nowIn(db, time, clock)) + milliseconds).toISOString();
  await db.query(
    `insert into limit_waiters (process, subject, waiting, until) values ($1, $2, '[]', $3)
     on conflict (process, subject) do update set until = excluded.until`,
    [process, heartbeat, until],
  );
}

export async function deleteHeartbeat(store: Store, process: string): Promise<void> {
  await store.transaction((db) =>
    db.query("delete from limit_waiters where process = $1 and subject = $2", [process, heartbeat]),
  );
}

/** Processes whose heartbeat has ended. */
export async function listDeadProcesses(db: Db, time: RowTime, clock: LimitClock): Promise<string[]> {
  const rows = await db.query<{ process: string }>(
    "select process from limit_waiters where subject = $1 and until < $2 order by process",
    [heartbeat, await isoNowIn(db, time, clock)],
  );
  return rows.map((row) => row.process);
}

/** Forgets these processes, except one that has renewed its heartbeat meanwhile. */
export function forgetDeadProcesses(
  store: Store,
  time: RowTime,
  clock: LimitClock,
  processes: Iterable<string>,
): Promise<void> {
  return store.transaction(async (db) => {
    const now = await isoNowIn(db, time, clock);
    for (const process of processes) {
      await db.query("delete from limit_waiters where process = $1 and subject = $2 and until < $3", [
        process,
        heartbeat,
        now,
      ]);
    }
  });
}

/** The waiting calls of one process. A subject without any is deleted. */
export async function saveWaiting(
  store: Store,
  process: string,
  bySubject: ReadonlyMap<string, readonly Waiting[]>,
  { now, until }: { now: string; until: string },
): Promise<void> {
  await store.transaction(async (db) => {
    await db.query("delete from limit_waiters where until < $1 and subject <> $2", [now, heartbeat]);
    for (const [subject, waiting] of bySubject) {
      if (waiting.length === 0) {
        await db.query("delete from limit_waiters where process = $1 and subject = $2", [process, subject]);
      } else {
        await db.query(
          `insert into limit_waiters (process, subject, waiting, until) values ($1, $2, $3, $4)
           on conflict (process, subject) do update set waiting = excluded.waiting, until = excluded.until`,
          [process, subject, JSON.stringify(waiting), until],
        );
      }
    }
  });
}

/** Deletes all waiting calls and heartbeats. */
export async function forgetWaiting(db: Db): Promise<void> {
  await db.query("delete from limit_waiters");
}

/** The waiting calls of other processes. */
export async function readWaiting(db: Db, process: string, subject: string, now: string): Promise<Waiting[]> {
  const rows = await db.query<{ waiting: string }>(
    "select waiting from limit_waiters where subject = $1 and process <> $2 and until >= $3 order by process",
    [subject, process, now],
  );
  return rows.flatMap((row) => JSON.parse(row.waiting) as Waiting[]);
}
