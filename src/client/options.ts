/** What a program can choose: once for a client, and for each call. */

export interface SignalboxOptions {
  /** The region's base address, such as `http://127.0.0.1:4100`. */
  baseUrl: string;
  /** An API key: `sbk_…`. */
  apiKey: string;
  /** The project of every call; another one with `signalbox.inProject(id)`. */
  projectId?: string;
  /** Milliseconds that a call may take, its retries included; none by default. */
  timeoutMs?: number;
  /** Used in place of the global `fetch`. */
  fetch?: typeof fetch;
}

export interface CallOptions {
  /** A repeat with the same key returns the first response, for 24 hours. By default each call has a key of its own. */
  idempotencyKey?: string;
  /** Ends the call, and the wait for its next attempt. */
  signal?: AbortSignal;
  /** Milliseconds that the call may take, its retries included. */
  timeoutMs?: number;
}
