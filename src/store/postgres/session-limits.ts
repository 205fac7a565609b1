/**
 * What a session asks of the server, so that a node which is frozen or cut off does not hold up the others for longer than
 * ten seconds. Its own deadlines do not help: nothing that it sends arrives.
 */
export interface SessionLimits {
  /** Sent when a session starts. A pooler refuses most of these, or ignores them. */
  readonly atStart: Record<string, number>;
  /** Sent in each transaction of a session that did not start with them. */
  readonly inside: string;
}

/** With the last of these, the server also gives up data that nobody receives. */
const keepAlive = {
  tcp_keepalives_idle: 4,
  tcp_keepalives_interval: 2,
  tcp_keepalives_count: 2,
  tcp_user_timeout: 8_000,
};

/** Of a session that builds an index, which waits for others, and lets nobody wait. */
export const noLimits = { statement_timeout: 0, lock_timeout: 0 };

/** Before a migration, which may take long, and wait for others for as long as they take. */
export const takeYourTime = "set local lock_timeout = 0; set local statement_timeout = 0";

/**
 * The server ends a transaction whose node sends nothing (`idleInTransaction`), a statement that takes too long
 * (`statement`), and one that waits for a lock (`lock`). The last is less than half of the first: of the transactions of a lost node that queue for one row, none gets
 * it after the one that has it. Half, because the first of a queue waits twice: for its turn, and for the row.
 */
export function limitSessions(timeouts: { idleInTransaction: number; statement: number; lock: number }): SessionLimits {
  const limits = {
    idle_in_transaction_session_timeout: timeouts.idleInTransaction,
    statement_timeout: timeouts.statement,
    lock_timeout: timeouts.lock,
  };
  return {
    atStart: { ...limits, ...keepAlive },
    inside: Object.entries(limits)
      .map(([name, milliseconds]) => `set local ${name} = ${milliseconds}`)
      .join("; "),
  };
}
