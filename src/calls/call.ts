import type { Credentials } from "../access/callers/authorization-header.ts";
import type { Scope } from "../access/scope.ts";
import type { Log } from "../kernel/log.ts";
import type { Work } from "../kernel/loop-watch.ts";
import type { Region } from "../kernel/regions.ts";
import type { Store } from "../store/db.ts";
import type { Seal } from "../vault/sealing/seal.ts";
import type { Operation, Rooms } from "./define.ts";
import type { KeyLeases } from "./key-leases.ts";
import type { RateLimitHeaders } from "./rate-limits.ts";

/** One region's half of the world, as operations see it. */
export interface RegionContext {
  region: Region;
  store: Store;
  now: () => Date;
  seal: Seal;
  log: Log;
  rooms: Rooms;
  /** Of the Idempotency-Keys whose calls are under way here. */
  keyLeases: KeyLeases;
  /** Told of each key that was used; must not wait for anything. */
  onKeyUsed(keyId: string): void;
}

/** A call as a face received it. What becomes known on the way is written into `seen`, for the log and the headers. */
export interface Call {
  authorization: string | undefined;
  /** What the session cookie says, or null without one; refuses a call that another site has sent. Asked where there is no Authorization. */
  session(): Credentials | null;
  userAgent(): string;
  /** The cookie of a browser that has signed in before, as it came. */
  browser(): string | null;
  path: string;
  inPath: Record<string, string>;
  body: CallBody;
  /** Reads the Idempotency-Key, or refuses it; asked when its turn comes, after the caller is known. */
  idempotencyKey(): string | null;
  requestId: string;
  ip: string;
  seen: CallSeen;
}

/** The body, which nobody keeps before the caller is known and allowed. */
export interface CallBody {
  /** The whole text, if it has arrived already. */
  atHand(): string | null;
  /** Waits for the rest of it, in the name of an organization, or of an address where nobody has said who they are. */
  read(holder: { organization: string } | { address: string }): Promise<string>;
}

/** Also what the watch of the event loop is told. */
export interface CallSeen extends Work {
  userId?: string;
  keyId?: string;
  rateLimit?: RateLimitHeaders | null;
  replayed?: true;
  /** A session was opened (its token) or ended (null) by this call. */
  newSession?: string | null;
  /** Somebody has shown in this browser that an account is theirs: what its cookie says from now on. */
  knownBrowser?: string;
}

/** A call that may go ahead: its caller is known and allowed, its input has the right shape. */
export interface Admitted {
  operation: Operation;
  credentials: Credentials;
  scope: Scope;
  input: unknown;
  body: unknown;
  call: Call;
  context: RegionContext;
}
