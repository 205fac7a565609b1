/**
 * Parameters of a statement. Times are ISO-8601 text, flags are 0 and 1, JSON is text: both databases store these
 * alike.
 */
export type Value = string | number | null;

export type Row = Record<string, unknown>;

export interface Db {
  readonly kind: "sqlite" | "postgres";

  /** Outside a transaction: reads only, of committed data. Inside one: everything, including its own changes. */
  query<R = Row>(sql: string, values?: readonly Value[]): Promise<R[]>;

  /**
   * All of the work or none of it, durable before the promise resolves. The work uses only the `db` it receives and
   * waits for nothing else: transactions that arrive together share one commit. On a `db` inside a transaction, the
   * work joins it. The work may run more than once, so it has no effects outside the database.
   */
  transaction<T>(work: (db: Db) => Promise<T>): Promise<T>;

  /** Append to a `select` that claims work: skips rows that another worker is claiming. */
  readonly skipLocked: string;

  /** Append to a `select`: other transactions that lock the row wait until this one ends. */
  readonly lockRow: string;
}

/**
 * Put into a statement whose text depends on a caller's input. The number of such texts is unlimited, so they are
 * neither kept prepared nor cached.
 */
export const dynamicText = "/* dynamic */";
export function isDynamic(sql: string): boolean {
  if (staticTexts.has(sql)) return false;
  if (sql.includes(dynamicText)) return true;
  staticTexts.add(sql);
  return false;
}
const staticTexts = new Set<string>();

/**
 * The `db` of one transaction. It stops working when the transaction ends: a forgotten promise would otherwise write
 * into another caller's transaction.
 */
export function transactionDb(parts: Pick<Db, "kind" | "query" | "skipLocked" | "lockRow">): {
  db: Db;
  end(): void;
  hasEnded(): boolean;
} {
  let ended = false;
  const db: Db = {
    ...parts,
    query: (sql, values) =>
      ended ? Promise.reject(new Error("A db was used after its transaction has ended.")) : parts.query(sql, values),
    transaction: (work) => work(db),
  };
  return {
    db,
    end: () => {
      ended = true;
    },
    hasEnded: () => ended,
  };
}

/** An opened database: the Db for the rules, and what only start and stop need. */
export interface Store extends Db {
  /**
   * Call it when a request arrives. Reads of requests that arrived together then share one version check, until this
   * turn of the event loop ends or we commit something. On SQLite the check costs as much as a small read. It is safe
   * only there: a request that depends on another process's change arrives in a later turn and sees the change.
   */
  shareReads(): void;

  /**
   * Reads outside a transaction, like `query`, for searches that may take long because the caller chose the filter.
   * Other callers do not wait for it.
   */
  querySlow<R = Row>(sql: string, values?: readonly Value[]): Promise<R[]>;

  /**
   * Reads that authentication and health checks depend on, like `query`. PostgreSQL keeps connections for them alone, so
   * they never wait behind slow statements of others. There, it also runs single short writes that authentication waits for.
   */
  readonly reserve: Pick<Db, "query">;

  /** Whether a write was refused because the disk is full. Reset once there is space again. */
  readonly diskSpace?: { wasRefused: boolean };

  /** Runs `work` while no other process runs it on the same store. For migrations. */
  exclusively<T>(work: (db: Db, runScript: (sql: string) => Promise<void>) => Promise<T>): Promise<T>;

  /**
   * On PostgreSQL, for statements that may not be in a transaction: each is run over a connection of its own, for as long as it
   * takes. Nobody else does so on this database meanwhile: null at once, if another process does.
   */
  outside?<T>(work: (run: RunOutside) => Promise<T>): Promise<T | null>;

  close(): Promise<void>;
}

export type RunOutside = <R = Row>(sql: string) => Promise<R[]>;

const pingMilliseconds = 2_000;

/** A standby responds to everything else. As an error, the store hears of it too, and looks for another server. */
const pingTexts = {
  sqlite: "select 1 as one",
  postgres: `do $$ begin
    if pg_is_in_recovery() or current_setting('transaction_read_only') = 'on' then
      raise sqlstate '25006' using message = 'The database accepts no writes.';
    end if;
  end $$`,
} as const;

/**
 * Takes a MiB of the disk for a moment: a change of a row may still fit where new rows do not. Without the right to do so, the
 * next refused write tells.
 */
const roomText = `do $$ begin
    perform set_config('temp_tablespaces', '', true);
    create temporary table signalbox_room on commit drop as select n from generate_series(1, 30000) as n;
  exception when insufficient_privilege then null;
  end $$`;

/**
 * Throws if the database does not respond within two seconds, or accepts no writes. On PostgreSQL, it looks for room if a write
 * was refused for lack of it; on SQLite, others do.
 */
export async function ping(store: Pick<Store, "kind" | "reserve" | "diskSpace">): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<never>((_, reject) => {
    timer = setTimeout(reject, pingMilliseconds, new StoreUnavailable("unreachable", new Error("no response")));
  });
  try {
    await Promise.race([look(store), tooLate]);
  } finally {
    clearTimeout(timer);
  }
}

async function look({ kind, reserve, diskSpace }: Pick<Store, "kind" | "reserve" | "diskSpace">): Promise<void> {
  await reserve.query(pingTexts[kind]);
  if (kind === "sqlite" || !diskSpace?.wasRefused) return;
  await reserve.query(roomText);
  diskSpace.wasRefused = false;
}

/**
 * The database cannot serve the call. Nothing was changed, with one exception: if it is `unreachable`, the transaction may
 * have been committed, and the answer lost.
 */
export class StoreUnavailable extends Error {
  readonly reason: UnavailableReason;

  constructor(reason: UnavailableReason, cause: unknown) {
    super(unavailableTexts[reason], { cause });
    this.reason = reason;
  }
}

/**
 * `busy`: another transaction holds what this one has waited for. `overloaded`: it did not get its turn, or took too long.
 * `read-only`: the server is a standby.
 */
export type UnavailableReason = "unreachable" | "busy" | "overloaded" | "read-only" | "full" | "damaged";

const unavailableTexts: Readonly<Record<UnavailableReason, string>> = {
  unreachable: "The store cannot be reached.",
  busy: "Another transaction holds what this one changes.",
  overloaded: "The store has too much to do.",
  "read-only": "The store accepts no writes.",
  full: "The disk of the store is full.",
  damaged: "The file of the store is damaged.",
};
