import type { Log } from "../../kernel/log.ts";
import { type Db, type Store, StoreUnavailable } from "../db.ts";
import { defaultTimeouts } from "./pools.ts";
import { openPostgres } from "./postgres.ts";

/** A streaming replica, for lists that a moment's lag does not make wrong. Callers are never authenticated there. */
export interface Replica {
  /**
   * Where to read: the replica, if it has everything that the primary had when this was called. So every caller sees
   * what was committed before their call, through whichever node. Otherwise the primary.
   */
  reader(): Promise<Db>;
  close(): Promise<void>;
}

/** Where a list was read, or why not from the replica. */
export type ReplicaRead = "replica" | "behind" | "away";

interface ReplicaParts {
  url: string;
  connectionsMax: number;
  primary: Store;
  log: Log;
  count(read: ReplicaRead): void;
}

/** How long a list waits for the replica, which is usually some milliseconds behind. */
const catchUpMilliseconds = 50;
const askAgainMilliseconds = 5;
/** A replica that takes longer to say where it stands is away. */
const patienceMilliseconds = 500;
/** For how long a replica that is away is not asked. */
const awayMilliseconds = 5_000;
const complainEveryMilliseconds = 60_000;

const timeouts = { ...defaultTimeouts, slow: 1_000, probe: 1_000, statement: 15_000 };

// The insert position covers commits that are not flushed yet, where the server was told not to wait for that. A replica
// of a former primary may be ahead of the new one, with other data: it is on another timeline.
const primarySql = `select pg_current_wal_insert_lsn()::text as position,
  ('x' || substr(pg_walfile_name(pg_current_wal_insert_lsn()), 1, 8))::bit(32)::int as timeline`;
const replicaSql = `select pg_is_in_recovery() and (select timeline_id from pg_control_checkpoint()) = $2 as follows,
  coalesce(pg_last_wal_replay_lsn() >= $1::pg_lsn, false) as has_all`;

/** How far the primary has come. */
interface Position {
  position: string;
  timeline: number;
}

export function createReplica({ url, connectionsMax, primary, log, count }: ReplicaParts): Replica {
  const store = openPostgres(url, connectionsMax, timeouts);
  let awayUntil = 0;
  let isAway = false;
  let complainedAt = Number.NEGATIVE_INFINITY;

  function leave(error: unknown): void {
    awayUntil = performance.now() + awayMilliseconds;
    if (!isAway) log.warn({ err: error }, "the read replica cannot be used: lists are read from the primary");
    isAway = true;
  }

  function returned(): void {
    if (isAway) log.info("the read replica is back");
    isAway = false;
  }

  function fallBehind(): void {
    if (performance.now() - complainedAt < complainEveryMilliseconds) return;
    complainedAt = performance.now();
    log.warn("the read replica is behind: lists are read from the primary");
  }

  /** Whether it has replayed the position. Throws if it does not follow this primary. */
  async function hasAll({ position, timeline }: Position): Promise<boolean> {
    const asked = store.query<{ follows: boolean; has_all: boolean }>(replicaSql, [position, timeline]);
    const [state] = await inTime(asked);
    if (!state?.follows) throw new Error("It does not follow the current primary.");
    return state.has_all;
  }

  /** Null if the primary does not say it, such as one that is a standby itself, or whose functions we may not call. */
  async function findPosition(): Promise<Position | null> {
    try {
      const [position] = await primary.query<Position>(primarySql);
      return position ?? null;
    } catch (error) {
      // The list would be refused there as well.
      if (error instanceof StoreUnavailable) throw error;
      leave(error);
      return null;
    }
  }

  async function choose(): Promise<ReplicaRead> {
    if (performance.now() < awayUntil) return "away";
    const now = await findPosition();
    if (!now) return "away";
    const until = performance.now() + catchUpMilliseconds;
    try {
      while (!(await hasAll(now))) {
        if (performance.now() > until) return "behind";
        await new Promise((resolve) => setTimeout(resolve, askAgainMilliseconds));
      }
      return "replica";
    } catch (error) {
      leave(error);
      return "away";
    }
  }

  /** What the replica cannot answer, such as a read that its replay has to cancel, the primary answers. */
  const reading: Db = {
    ...primary,
    query: (sql, values) =>
      store.query<never>(sql, values).catch((error) => {
        leave(error);
        count("away");
        return primary.query(sql, values);
      }),
  };

  return {
    async reader() {
      const read = await choose();
      count(read);
      if (read === "behind") fallBehind();
      if (read !== "away") returned();
      return read === "replica" ? reading : primary;
    },
    close: () => store.close(),
  };
}

async function inTime<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error("It does not respond.")), patienceMilliseconds);
  });
  // If it is too late, nobody waits for it any more; if not, the race below throws it.
  work.catch(() => {});
  return Promise.race([work, tooLate]).finally(() => clearTimeout(timer));
}
