import type { RegionContext } from "../../calls/region-context.ts";
import type { Log } from "../../kernel/log.ts";
import type { Outbound } from "../../transport/outbound.ts";
import { type Config, sandboxUrlsOf } from "../settings/config.ts";
import { connectFirstProject } from "./connect-sandboxes.ts";

export interface FirstConnections {
  connect(): Promise<void>;
  /** False while the sandboxes have not answered yet. */
  areMade(): boolean;
  stop(): void;
}

interface Parts {
  /** The regions that are open. */
  regions: () => RegionContext[];
  outbound: Outbound;
  log: Log;
  now: () => Date;
}

const askAgainMilliseconds = 2000;

/** Sandboxes that are not ours may come later than we do: they are asked until they answer, and nothing is ready before. */
export function createFirstConnections(config: Config, { regions, outbound, log, now }: Parts): FirstConnections {
  let connected = true;
  let reconnecting: NodeJS.Timeout | undefined;

  async function connect(): Promise<void> {
    const urls = sandboxUrlsOf(config);
    if (!urls) return;
    try {
      const work = regions().map(({ region, store, rooms }) =>
        connectFirstProject(config, urls, { region, store, vault: rooms.vault, outbound, now }),
      );
      await Promise.all(work);
      connected = true;
    } catch (error) {
      if (config.sandboxes === "own") throw error;
      connected = false;
      log.warn({ err: error }, "the first project cannot be connected to the sandboxes yet");
      reconnecting = setTimeout(() => void connect(), askAgainMilliseconds);
      reconnecting.unref();
    }
  }

  return { connect, areMade: () => connected, stop: () => clearTimeout(reconnecting) };
}
