/*
 * Advisory locks, each with any fixed number. All are held by a transaction, never by a session: a pooler in transaction mode
 * gives the session to others.
 */

/** Migrations, changes of partitions and restores queue here. */
export const migrationLock = 7_346_421;

/**
 * Who builds indexes beside others. Nobody waits for it: `create index concurrently` waits for all that wait for a lock in a
 * statement, so the two would wait for each other.
 */
export const outsideLock = 7_346_422;
