import type { CallOptions } from "./options.ts";
import { SignalboxProblem, unreachable, unreadable } from "./problem.ts";
import { readRetryAfter, retryDelay } from "./retry.ts";
import type { InputOf, OutputOf, Path } from "./wire.ts";

export type { CallOptions } from "./options.ts";

export interface CallerOptions {
  /** The region's base address; empty for the page's own. */
  baseUrl: string;
  /** Headers that say who calls, read before each attempt. */
  headers: () => Record<string, string>;
  /** Called after each attempt: true when a response came, whatever it was. */
  onAttempt?: (answered: boolean) => void;
  /** An answer to this address that is under way already, or null. */
  underWay?: (url: string) => Promise<Response> | null;
  /** Goes on at the address that a wrong region's answer names. */
  followsRegion?: true;
  /** Called with the address of the right region. */
  onMoved?: (baseUrl: string) => void;
  fetch?: typeof fetch;
}

/** Calls one operation by its path. The types follow from the path. */
export type Call = <P extends Path>(path: P, input: InputOf<P>, options?: CallOptions) => Promise<OutputOf<P>>;

export function createCaller(options: CallerOptions): Call {
  const { headers, onAttempt, underWay, followsRegion } = options;
  let base = options.baseUrl;

  async function send(url: string, init: RequestInit): Promise<{ response: Response; text: string }> {
    try {
      const response = await (underWay?.(url) ?? (options.fetch ?? fetch)(url, init));
      const text = await response.text();
      onAttempt?.(true);
      return { response, text };
    } catch (error) {
      if (init.signal?.aborted) throw init.signal.reason;
      onAttempt?.(false);
      throw unreachable(error);
    }
  }

  /** The address of the region that the answer names, once. It is trusted as far as the first address was. */
  function addressElsewhere({ status, body }: SignalboxProblem): string | null {
    const named = typeof body.base_url === "string" ? body.base_url.replace(/\/+$/, "") : "";
    if (!followsRegion || status !== 421 || named === "" || named === base) return null;
    return base.startsWith("https:") && !named.startsWith("https:") ? null : named;
  }

  return async <P extends Path>(path: P, input: InputOf<P>, given: CallOptions = {}): Promise<OutputOf<P>> => {
    const { url, body } = fillPath(path, input as Record<string, unknown>);
    const key = given.idempotencyKey ?? randomKey();
    const signal = signalOf(given);
    let hasMoved = false;
    for (let attempt = 1; ; attempt++) {
      try {
        const { response, text } = await send(`${base}${url}`, {
          method: "POST",
          headers: { "content-type": "application/json", "idempotency-key": key, ...headers() },
          body,
          ...(signal ? { signal } : {}),
        });
        if (response.ok) return jsonOf(response, text) as OutputOf<P>;
        throw problemOf(response, text);
      } catch (error) {
        if (!(error instanceof SignalboxProblem)) throw error;
        const elsewhere = hasMoved ? null : addressElsewhere(error);
        if (elsewhere !== null) {
          hasMoved = true;
          base = elsewhere;
          options.onMoved?.(base);
          continue;
        }
        const delay = retryDelay(path, error, attempt);
        if (delay === null) throw error;
        await pause(delay, signal);
      }
    }
  };
}

/** Puts the ids into the path. The other members are the body. */
function fillPath(path: string, input: Record<string, unknown>): { url: string; body: string } {
  const rest = { ...input };
  const url = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = rest[name];
    delete rest[name];
    return encodeURIComponent(String(value));
  });
  return { url, body: JSON.stringify(rest) };
}

function jsonOf({ status }: Response, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw unreadable(status, error);
  }
}

function problemOf(response: Response, text: string): SignalboxProblem {
  const retryAfterSeconds = readRetryAfter(response.headers.get("retry-after"));
  const { status } = response;
  try {
    const body: unknown = JSON.parse(text);
    if (typeof body === "object" && body !== null)
      return new SignalboxProblem(status, { ...body }, { retryAfterSeconds });
  } catch {
    // Not JSON: a proxy answered. The status says what it meant.
  }
  return new SignalboxProblem(status, unreadable(status).body, { retryAfterSeconds });
}

/** Pages that were not loaded over TLS have no `randomUUID`. */
const randomKey = (): string =>
  crypto.randomUUID?.() ??
  Array.from(crypto.getRandomValues(new Uint32Array(4)), (each) => each.toString(36)).join("-");

function signalOf({ signal, timeoutMs }: CallOptions): AbortSignal | undefined {
  if (timeoutMs === undefined) return signal;
  const deadline = AbortSignal.timeout(timeoutMs);
  return signal ? AbortSignal.any([signal, deadline]) : deadline;
}

const pause = (milliseconds: number, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve, reject) => {
    // An event that has passed is not sent again.
    if (signal?.aborted) return reject(signal.reason);
    const abort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", abort);
      resolve();
    }, milliseconds);
    signal?.addEventListener("abort", abort, { once: true });
  });
