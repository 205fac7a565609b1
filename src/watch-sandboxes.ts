import type { SandboxUrls } from "./setting-values.ts";
import type { Outbound } from "./transport/outbound.ts";

export interface SandboxWatch {
  stop(): Promise<void>;
}

/** A sandbox holds the question for twenty seconds where nothing changes. */
const holdMilliseconds = 30_000;
const askAgainMilliseconds = 1000;

/**
 * "`POST /_sandbox/reset`: back to the seeded state: … limits …": what the server has counted and was told of a sandbox's
 * limits goes with it, or a test that uses up a quota would keep the next one from its work for a day.
 */
export function watchSandboxes(
  urls: SandboxUrls,
  outbound: Outbound,
  onChange: (origin: string) => Promise<void>,
): SandboxWatch {
  const leaving = new AbortController();
  const watching = Object.values(urls).map((url) => watch(new URL(url).origin, outbound, onChange, leaving.signal));
  return {
    async stop() {
      leaving.abort();
      await Promise.all(watching);
    },
  };
}

async function watch(
  origin: string,
  outbound: Outbound,
  onChange: (origin: string) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  let known: number | null = null;
  while (!signal.aborted) {
    try {
      const changes = await ask(origin, known, outbound, signal);
      if (known !== null && changes !== known) await onChange(origin);
      known = changes;
    } catch {
      // One that is away, or too old to know the question, is asked again: nothing else depends on it.
      await pause(signal);
    }
  }
}

async function ask(origin: string, known: number | null, outbound: Outbound, signal: AbortSignal): Promise<number> {
  const target = `/_sandbox/changes${known === null ? "" : `?after=${known}`}`;
  const headers = { accept: "application/json" };
  const { status, body } = await outbound.send({
    origin,
    method: "GET",
    target,
    headers,
    headersMilliseconds: holdMilliseconds,
    signal,
  });
  const changes = status === 200 && (body as { changes?: unknown } | null)?.changes;
  if (typeof changes !== "number") throw new Error(`At ${origin} is no sandbox that tells its changes.`);
  return changes;
}

const pause = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, askAgainMilliseconds);
    timer.unref();
    signal.addEventListener("abort", () => resolve(clearTimeout(timer)), { once: true });
  });
