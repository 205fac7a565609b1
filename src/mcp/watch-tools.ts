import type { ServerEvent, ServerEventBus } from "@modelcontextprotocol/server";
import type { RegionContext } from "../calls/region-context.ts";
import type { Log } from "../kernel/log.ts";
import { Problem } from "../kernel/problem.ts";
import type { LiveEvent, LiveStream } from "../webhooks/live/live-stream.ts";
import type { Caller } from "./caller.ts";

/**
 * Tells a client that listens when the tools of its project change: one is published or deleted, or an account is connected. The
 * stream of the project's changes counts these listeners among those of the person, and ends them when the server stops.
 */
export function watchTools(caller: Caller, { rooms, log }: RegionContext, ended: () => void): ServerEventBus {
  const listeners = new Set<(event: ServerEvent) => void>();
  let stream: LiveStream | null = null;

  function failed(error: unknown): void {
    logUnlessRefused(log, caller, error);
    ended();
  }

  async function open(): Promise<void> {
    const opened = await rooms.webhooks.live.open(caller, null);
    if (listeners.size === 0) return opened.close();
    stream = opened;
    opened.listen({ changed: (event) => void tell(event).catch(failed), ended });
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
      if (listeners.size === 1) void open().catch(failed);
      return () => {
        listeners.delete(listener);
        if (listeners.size === 0) stream?.close();
      };
    },
  };
}

/** One who may not listen any more is refused; anything else is a failure. */
export function logUnlessRefused(log: Log, { projectId, userId }: Caller, error: unknown): void {
  if (error instanceof Problem) return;
  log.warn({ project_id: projectId, user_id: userId, err: error }, "an assistant is no longer notified of its tools");
}

/** Whether the list of tools may be another one: tools and connected accounts are in it. */
export const concernsTools = ({ changes: { tools, connections } }: LiveEvent): boolean =>
  tools?.length !== 0 || connections?.length !== 0;
