import type { Credentials } from "../access/callers/authorization-header.ts";
import type { Scope } from "../access/scope.ts";
import type { Work } from "../kernel/loop-watch.ts";
import type { LiveStream } from "../webhooks/live/live-stream.ts";
import type { Operation } from "./define-operation.ts";
import type { RateLimitHeaders } from "./rate-limits/rate-limiter.ts";
import type { RegionContext } from "./region-context.ts";

/** A call as a protocol received it. The pipeline writes what it learns into `seen`, for the log and the headers. */
export interface Call {
  authorization: string | undefined;
  /** Reads the session cookie, or null without one; refuses a call from another site. Used where there is no Authorization. */
  session(): Credentials | null;
  userAgent(): string;
  /** The raw cookie of a browser that has signed in before. */
  browser(): string | null;
  path: string;
  inPath: Record<string, string>;
  body: CallBody;
  /** Reads the Idempotency-Key, or refuses it. Called after the caller is known, in the order of the checks. */
  idempotencyKey(): string | null;
  requestId: string;
  ip: string;
  seen: CallSeen;
  /** The protocol in which it came, if that is another than our own. The audit log names it. */
  through?: "mcp";
  /** Set where the caller accepts a stream: receives it if the operation has one, and the call then answers nothing. */
  stream?: ((opened: OpenedStream) => void) | null;
}

export interface OpenedStream {
  stream: LiveStream;
  /** Rejects if the caller may no longer read it. */
  recheck(): Promise<void>;
}

/** The body of a call. The server reserves memory for it only once the caller is known and allowed. */
export interface CallBody {
  /** The whole text, if it has arrived already. */
  received(): string | null;
  /** Waits for the rest. Its memory counts against an organization, or against the address of an anonymous caller. */
  read(holder: { organization: string } | { address: string }): Promise<string>;
}

/** What becomes known of a call. The watch of the event loop reads it, too. */
export interface CallSeen extends Work {
  userId?: string;
  keyId?: string;
  /** The code of the problem with which it was refused. */
  problem?: string;
  rateLimit?: RateLimitHeaders | null;
  replayed?: true;
  /** The token of the session that this call opened, or null where it ended one. */
  newSession?: string | null;
  /** The new cookie of a browser in which a person has proved that an account is theirs. */
  knownBrowser?: string;
}

/** A call that passed all checks: its caller is known and allowed, its input is valid. */
export interface Admitted {
  operation: Operation;
  credentials: Credentials;
  scope: Scope;
  input: unknown;
  body: unknown;
  call: Call;
  context: RegionContext;
}
