/** What a statement takes. Times are ISO-8601 text, flags are 0 and 1, JSON is text: both databases store these alike. */
export type Value = string | number | null;

export type Row = Record<string, unknown>;

export interface Db {
  /** Outside a transaction: reads only, of what is committed. Inside one: everything, its own changes included. */
  query<R = Row>(sql: string, values?: readonly Value[]): Promise<R[]>;

  /**
   * All of the work or none of it, durable before the promise resolves. The work uses the `db` it is handed and never
   * waits for anything but that: transactions that arrive together share one commit. On a `db` that is already inside
   * a transaction, the work joins it. The work may run more than once, so it does nothing outside the database.
   */
  transaction<T>(work: (db: Db) => Promise<T>): Promise<T>;

  /** Put behind a `select` that claims work: passes over rows that another worker is claiming. */
  readonly skipLocked: string;

  /** Put behind a `select`: whoever else wants the row so waits for the end of this transaction. */
  readonly lockRow: string;
}

/**
 * Put into a statement whose text depends on what a caller composed: there is no end to such texts, so nobody keeps them
 * prepared, or remembers what they answered.
 */
export const varies = "/* varies */";
export function isOneOfMany(sql: string): boolean {
  if (oneOfFew.has(sql)) return false;
  if (sql.includes(varies)) return true;
  oneOfFew.add(sql);
  return false;
}
const oneOfFew = new Set<string>();

/**
 * What one transaction is handed. It is of no use once that has ended: a promise that somebody forgot to wait for would
 * otherwise write into a neighbour's transaction.
 */
export function insideTransaction(words: Pick<Db, "query" | "skipLocked" | "lockRow">): {
  db: Db;
  end(): void;
  hasEnded(): boolean;
} {
  let ended = false;
  const db: Db = {
    ...words,
    query: (sql, values) =>
      ended ? Promise.reject(new Error("A db was used after its transaction has ended.")) : words.query(sql, values),
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

/** An opened database: the Db that rules see, and what only start and stop need. */
export interface Store extends Db {
  readonly kind: "sqlite" | "postgres";

  /**
   * Called where a request has come in: reads of the requests that came in with it share one look at the database, until
   * this turn of the event loop ends or something of ours is committed. Taking a look costs SQLite as much as a small read.
   * Only there is it safe: whoever sends a request after another process has told them of a change comes in with the
   * next turn, and sees it.
   */
  readTogether(): void;

  /**
   * Reads outside a transaction, like `query`, where a caller chose what is looked for and it may take long: nobody else has to
   * wait for it.
   */
  queryAside<R = Row>(sql: string, values?: readonly Value[]): Promise<R[]>;

  /** Whether a write was refused because the disk is full; whoever finds that there is room again takes it back. */
  readonly room?: { wasRefused: boolean };

  /** Runs `work` while no other process can be in here with the same word. For migrations. */
  exclusively<T>(work: (db: Db, runScript: (sql: string) => Promise<void>) => Promise<T>): Promise<T>;

  close(): Promise<void>;
}

const pingMilliseconds = 2_000;

/** Throws where the database does not answer, or takes so long that nobody would wait for it. */
export async function ping(db: Db): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<never>((_, reject) => {
    timer = setTimeout(reject, pingMilliseconds, new StoreUnavailable("unreachable", new Error("no answer")));
  });
  try {
    await Promise.race([db.query("select 1 as one"), tooLate]);
  } finally {
    clearTimeout(timer);
  }
}

/** The database cannot serve the call; nothing was changed. */
export class StoreUnavailable extends Error {
  readonly reason: "unreachable" | "full";

  constructor(reason: "unreachable" | "full", cause: unknown) {
    super(reason === "full" ? "The disk of the store is full." : "The store cannot be reached.", { cause });
    this.reason = reason;
  }
}
