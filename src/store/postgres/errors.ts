import postgres from "postgres";
import { StoreUnavailable } from "../db.ts";

/** Serialization failures and deadlocks: the database rolled the transaction back, and a retry may succeed. */
const retried = new Set(["40001", "40P01"]);

/**
 * A prepared statement is missing or belongs to another client: a pooler in transaction mode is in front of the server.
 */
const lostStatement = new Set(["26000", "42P05"]);

const lostCodes = /^(CONNECT|ECONN|ENOTFOUND|EPIPE|ETIMEDOUT|EHOST|ENETUNREACH)/;

const codeOf = (error: unknown): string =>
  error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";

const causeOf = (error: unknown): unknown => (error instanceof StoreUnavailable ? error.cause : error);

/** The code that PostgreSQL gave, also of an error that was taken for an outage; empty if it gave none. */
export const serverCodeOf = (error: unknown): string => codeOf(causeOf(error));

/** The server announced its end, or the connection broke: nothing more can be sent. */
export function isLost(error: unknown): boolean {
  const cause = causeOf(error);
  return cause instanceof postgres.PostgresError ? cause.severity !== "ERROR" : lostCodes.test(codeOf(cause));
}

/** The server is a standby now: another one accepts writes. */
export const isReadOnly = (error: unknown): boolean => serverCodeOf(error) === readOnly;
const readOnly = "25006";

/** An earlier statement of the transaction has failed, and this one was not tried. */
export const isAborted = (error: unknown): boolean => serverCodeOf(error) === "25P02";

/** The server ended it, mostly because it took too long. */
const canceled = "57014";

/** It waited for a lock for too long: another transaction is slow, or its node is frozen or cut off. */
const lockTimeout = "55P03";
export const isLockTimeout = (error: unknown): boolean => serverCodeOf(error) === lockTimeout;

// A read that a standby has to cancel is a serialization failure, too. Class 08 is a lost connection, 25P02 a transaction
// that an earlier statement has ended, 25P03 and 25P04 one that was idle or open for too long, 28 a login that is refused (a
// start takes it for a wrong setting), 53 no resources (53100: the disk), 57P a server shutting down or starting, 58 a
// failing disk.
export function asUnavailable(error: unknown): unknown {
  const code = codeOf(error);
  if (code === "53100") return new StoreUnavailable("full", error);
  if (code === lockTimeout || retried.has(code)) return new StoreUnavailable("busy", error);
  if (code === readOnly) return new StoreUnavailable("read-only", error);
  if (code === canceled) return new StoreUnavailable("overloaded", error);
  const lost = /^(08|25P0[234]|28|53|57P|58)/.test(code) || lostCodes.test(code);
  return lost ? new StoreUnavailable("unreachable", error) : error;
}

export const isLostStatement = (error: unknown): boolean => lostStatement.has(codeOf(error));

/** Whether the transaction left nothing behind and may run again. */
export const isRetryable = (error: unknown): boolean => retried.has(serverCodeOf(error)) || isLostStatement(error);
