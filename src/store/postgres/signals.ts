import postgres from "postgres";
import type { Log } from "../../kernel/log.ts";
import type { Db } from "../db.ts";
import type { Signal, Signals } from "../signals.ts";
import { type Address, readAddress } from "./address.ts";
import { findUsable } from "./hosts.ts";

const channel = "signalbox";
/** A burst of calls becomes one signal: the server takes a lock for each. */
const gatherMilliseconds = 10;
const reopenMilliseconds = 2_000;
const probeMilliseconds = 5_000;

export interface SignalParts {
  url: string;
  /** Sends through the pool, in no transaction: a commit that notifies waits for every other one that does. */
  db: Pick<Db, "query">;
  /** Null: this node only sends. */
  heard: ((signal: Signal) => void) | null;
  log: Log;
}

/**
 * NOTIFY through the pool, LISTEN over a connection of its own. A pooler in transaction mode accepts LISTEN and delivers nothing; then,
 * and while the connection is lost, work waits for the next poll.
 */
export function createPostgresSignals({ url, db, heard, log }: SignalParts): Signals {
  const pending = new Set<Signal>();
  let closing = false;
  let listening: postgres.Sql | null = null;
  let reopening: NodeJS.Timeout | undefined;

  function flush(): void {
    const signals = [...pending];
    pending.clear();
    for (const signal of signals) {
      void db
        .query("select pg_notify($1, $2)", [channel, signal])
        .catch((error) => log.debug({ err: error }, "no signal was sent"));
    }
  }

  async function listen(onSignal: (signal: Signal) => void): Promise<void> {
    const opened = postgres(await usableUrl(readAddress(url)), {
      max: 1,
      max_lifetime: null,
      connect_timeout: 5,
      fetch_types: false,
      prepare: false,
      onnotice: () => {},
      connection: { application_name: "signalbox signals" },
      onclose: () => reopen(opened, onSignal),
      ...{ onnotify: (_channel: string, payload: string) => onSignal(payload as Signal) },
    });
    listening = opened;
    if (closing) return void (await opened.end({ timeout: 0 }));
    await opened.unsafe(`listen ${channel}`);
    // What was queued while nobody listened.
    for (const signal of ["runs", "deliveries", "events"] as const) onSignal(signal);
  }

  function reopen(left: postgres.Sql | null, onSignal: (signal: Signal) => void): void {
    if (closing || listening !== left) return;
    listening = null;
    // It is broken already.
    void left?.end({ timeout: 0 }).catch(() => {});
    clearTimeout(reopening);
    reopening = setTimeout(() => {
      listen(onSignal).catch((error) => {
        log.debug({ err: error }, "the node does not listen to the others yet");
        reopen(listening, onSignal);
      });
    }, reopenMilliseconds);
    reopening.unref();
  }

  // Nodes also poll, so a signal that is not heard delays work by seconds at most.
  if (heard) listen(heard).catch(() => reopen(listening, heard));
  return {
    send(signal) {
      if (closing) return;
      if (pending.size === 0) setTimeout(flush, gatherMilliseconds).unref();
      pending.add(signal);
    },
    async close() {
      closing = true;
      clearTimeout(reopening);
      await listening?.end({ timeout: 1 });
    },
  };
}

const usableUrl = async (address: Address): Promise<string> =>
  address.urlFor(await findUsable(address, probeMilliseconds));
