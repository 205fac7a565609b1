import type { Log } from "../../kernel/log.ts";
import type { Db } from "../db.ts";

/*
 * Nodes that share a PostgreSQL server take their time from it. Otherwise a node whose clock is wrong by more than a lease would
 * take over the runs of all others, or lose its own. Nobody waits for the server: its time is read now and then, and
 * the time that has passed since is measured here.
 */

/** The time of the database server, as this process knows it without asking. */
export interface DatabaseClock {
  now(): Date;
  /** Reads the server's time now. Rejects if it does not respond: then the clock continues by itself. */
  measure(): Promise<void>;
  stop(): void;
}

/** Milliseconds each. */
export interface OwnClocks {
  /** Goes on steadily while this process is stopped, and may stand still while the machine is suspended. */
  steady(): number;
  /** May be set to any time. */
  wall(): number;
}

const ownClocks: OwnClocks = { steady: () => performance.now(), wall: () => Date.now() };

const everyMilliseconds = 10_000;
/** The machine was suspended, or somebody set its clock: is the time that has passed still known? */
const checkMilliseconds = 1000;
const jumpMilliseconds = 500;
/** A slow response says little. A first reading is repeated, and the fastest one counts. */
const firstReadings = 3;

/** `readTime` returns the server's time, in milliseconds since 1970. Rejects if the server does not respond now. */
export async function followDatabaseClock(
  readTime: () => Promise<number>,
  log: Log,
  own: OwnClocks = ownClocks,
): Promise<DatabaseClock> {
  /** At `steady`, the server's clock showed `time`, give or take `error`. */
  let known = { time: 0, steady: 0, error: Number.POSITIVE_INFINITY };
  let difference = own.wall() - own.steady();
  let measuredAt = Number.NEGATIVE_INFINITY;

  const timeAt = (steady: number): number => known.time + (steady - known.steady);

  async function measure(): Promise<void> {
    measuredAt = own.steady();
    const asked = own.steady();
    const read = await readTime();
    const answered = own.steady();
    const error = (answered - asked) / 2;
    const time = read + error;
    // Within what both readings may be wrong by, the better one stays: the clock does not jitter.
    if (error >= known.error && Math.abs(timeAt(answered) - time) <= error + known.error) return;
    known = { time, steady: answered, error };
  }

  function check(): void {
    const before = difference;
    difference = own.wall() - own.steady();
    const hasJumped = Math.abs(difference - before) > jumpMilliseconds;
    if (!hasJumped && own.steady() - measuredAt < everyMilliseconds) return;
    measure().catch((error: unknown) =>
      log.warn({ err: error }, "reading the time of the database failed, will be tried again"),
    );
  }

  for (let reading = 0; reading < firstReadings; reading++) await measure();
  const timer = setInterval(check, checkMilliseconds).unref();
  return {
    now: () => new Date(timeAt(own.steady())),
    measure,
    stop: () => clearInterval(timer),
  };
}

export async function readDatabaseTime(db: Pick<Db, "query">): Promise<number> {
  const [row] = await db.query<{ now: number }>("select (extract(epoch from clock_timestamp()) * 1000)::bigint as now");
  if (!row) throw new Error("The database returned no time.");
  return row.now;
}
