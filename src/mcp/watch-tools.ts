import type { ServerEvent, ServerEventBus } from "@modelcontextprotocol/server";
import type { RegionContext } from "../calls/region-context.ts";
import type { LiveEvent, LiveStream } from "../webhooks/live/live-stream.ts";
import type { Caller } from "./caller.ts";

/**
 * Tells a client that listens when the tools of its project change: one is published or deleted, or an account is connected. The
 * stream of the project's changes counts these listeners among those of the person, and ends them when the server stops.
 */
export function watchTools(caller: Caller, { rooms }: RegionContext, ended: () => void): ServerEventBus {
  const listeners = new Set<(event: ServerEvent) => void>();
  let stream: LiveStream | null = null;

  async function open(): Promise<void> {
    const opened = await rooms.webhooks.live.open(caller, null);
    if (listeners.size === 0) return opened.close();
    stream = opened;
    opened.listen({ changed: (event) => void tell(event).catch(ended), ended });
  }

  /** A caller who has lost access gets no more notifications. */
  async function tell(event: LiveEvent): Promise<void> {
    if (!concernsTools(event)) return;
    await caller.call("projects/get");
    for (const listener of listeners) listener({ kind: "tools_list_changed" });
  }

  return {
    publish: (event) => {
      for (const listener of listeners) listener(event);
    },
    subscribe(listener) {
      listeners.add(listener);
      if (listeners.size === 1) void open().catch(ended);
      return () => {
        listeners.delete(listener);
        if (listeners.size === 0) stream?.close();
      };
    },
  };
}

/** Whether the list of tools may be another one: tools and connected accounts are in it. */
export const concernsTools = ({ changes: { tools, connections } }: LiveEvent): boolean =>
  tools?.length !== 0 || connections?.length !== 0;
