import { SignalboxProblem, unreachable } from "./problem.ts";
import { retryDelay } from "./retry.ts";
import type { InputOf, OutputOf, Path } from "./wire.ts";

export interface CallOptions {
  /** A repeat with the same key returns the first answer. By default each call has a key of its own. */
  idempotencyKey?: string;
  signal?: AbortSignal;
  timeoutMs?: number;
}

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
}

/** Calls one operation by its path. The types follow from the path. */
export type Call = <P extends Path>(path: P, input: InputOf<P>, options?: CallOptions) => Promise<OutputOf<P>>;

export function createCaller({ baseUrl, headers, onAttempt, underWay, followsRegion }: CallerOptions): Call {
  let base = baseUrl;

  async function send(url: string, init: RequestInit): Promise<Response> {
    try {
      const response = await (underWay?.(url) ?? fetch(url, init));
      onAttempt?.(true);
      return response;
    } catch (error) {
      if (init.signal?.aborted) throw init.signal.reason;
      onAttempt?.(false);
      throw unreachable(error);
    }
  }

  return async <P extends Path>(path: P, input: InputOf<P>, options: CallOptions = {}): Promise<OutputOf<P>> => {
    const { url, body } = fillPath(path, input as Record<string, unknown>);
    const key = options.idempotencyKey ?? crypto.randomUUID();
    const signal = signalOf(options);
    for (let attempt = 1; ; attempt++) {
      let retryAfter: string | null = null;
      try {
        const response = await send(`${base}${url}`, {
          method: "POST",
          headers: { "content-type": "application/json", "idempotency-key": key, ...headers() },
          body,
          credentials: "same-origin",
          ...(signal ? { signal } : {}),
        });
        if (response.ok) return (await response.json()) as OutputOf<P>;
        retryAfter = response.headers.get("retry-after");
        throw await problemOf(response);
      } catch (error) {
        const problem = error instanceof SignalboxProblem ? error : null;
        const elsewhere = followsRegion && attempt === 1 && problem?.status === 421 && problem.body.base_url;
        if (elsewhere) {
          base = String(elsewhere);
          continue;
        }
        const delay = problem && retryDelay(problem, retryAfter, attempt);
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

async function problemOf(response: Response): Promise<SignalboxProblem> {
  const body: unknown = await response.json().catch(() => null);
  return new SignalboxProblem(response.status, (body ?? {}) as Record<string, unknown>);
}

function signalOf({ signal, timeoutMs }: CallOptions): AbortSignal | undefined {
  if (timeoutMs === undefined) return signal;
  const deadline = AbortSignal.timeout(timeoutMs);
  return signal ? AbortSignal.any([signal, deadline]) : deadline;
}

const pause = (milliseconds: number, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve, reject) => {
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
