import { type SystemId, systemIds } from "../../systems/index.ts";
import type { Outbound } from "../../transport/outbound.ts";
import { sandboxPrincipal } from "../../transport/private-hosts.ts";
import type { SandboxUrls } from "../settings/read-setting-values.ts";

export interface SandboxWatch {
  stop(): Promise<void>;
}

/** Its limits or its clock changed, or it was reset. */
export interface SandboxChange {
  system: SystemId;
  origin: string;
  isReset: boolean;
}

interface Watched {
  system: SystemId;
  origin: string;
  outbound: Outbound;
  signal: AbortSignal;
  onChange(change: SandboxChange): Promise<void>;
}

interface Counts {
  changes: number;
  resets: number;
}

/** A sandbox responds after twenty seconds if nothing changes. */
const longPollMilliseconds = 30_000;
const retryMilliseconds = 1000;

/**
 * "`POST /_sandbox/reset`: back to the seeded state: records, faults, limits …; the grants of first-run connections
 * keep working". So the server drops its state about the sandbox too: a test that uses up a quota or breaks a sign-in
 * would otherwise affect the next one.
 */
export function watchSandboxes(
  urls: SandboxUrls,
  outbound: Outbound,
  onChange: (change: SandboxChange) => Promise<void>,
): SandboxWatch {
  const stopping = new AbortController();
  const { signal } = stopping;
  const watching = systemIds.map((system) =>
    watch({ system, origin: new URL(urls[system]).origin, outbound, signal, onChange }),
  );
  return {
    async stop() {
      stopping.abort();
      await Promise.all(watching);
    },
  };
}

async function watch(watched: Watched): Promise<void> {
  const { system, origin, signal, onChange } = watched;
  let known: Counts | null = null;
  while (!signal.aborted) {
    try {
      const counts = await readCounts(watched, known);
      if (known && counts.changes !== known.changes) {
        await onChange({ system, origin, isReset: counts.resets !== known.resets });
      }
      known = counts;
    } catch {
      // An unreachable sandbox, or one without this address, is tried again: nothing else depends on it.
      await pause(signal);
    }
  }
}

async function readCounts({ origin, outbound, signal }: Watched, known: Counts | null): Promise<Counts> {
  const target = `/_sandbox/changes${known === null ? "" : `?after=${known.changes}`}`;
  const headers = { accept: "application/json" };
  const request = { origin, method: "GET", target, headers, headersMilliseconds: longPollMilliseconds, signal };
  const { body } = await outbound.send({ ...request, principal: sandboxPrincipal });
  const { changes, resets } = (body ?? {}) as Partial<Record<keyof Counts, unknown>>;
  if (typeof changes === "number" && typeof resets === "number") return { changes, resets };
  throw new Error(`The server at ${origin} is not a sandbox that reports its changes.`);
}

const pause = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, retryMilliseconds);
    timer.unref();
    signal.addEventListener("abort", () => resolve(clearTimeout(timer)), { once: true });
  });
