import type { IncomingMessage } from "node:http";
import type { OpenedStream } from "../calls/received-call.ts";
import { type Changes, isNothing, together } from "../webhooks/live/project-changes.ts";
import { type Exchange, logBrokenStream, recordResponse, type ServerContext } from "./respond.ts";
import { commonHeaders } from "./response-headers.ts";

const eventType = "text/event-stream";
const checkMilliseconds = 5_000;
/** A comment every so many checks keeps proxies from closing the connection, and shows the reader that it is open. */
const checksPerHeartbeat = 3;
/** A reader that is further behind is cut off; it returns with the cursor of what it has read. */
const unreadBytesMax = 64 * 1024;

export const acceptsEvents = ({ headers }: IncomingMessage): boolean => headers.accept?.includes(eventType) === true;

/**
 * Server-sent events: `ready` with what may have changed since the cursor of the call, then `change` for each change. Before each
 * event, and every five seconds, the caller is checked again; one who may no longer read it is disconnected.
 */
export function sendEvents(exchange: Exchange, server: ServerContext, { stream, recheck }: OpenedStream): void {
  const { response } = exchange;
  const { rateLimit } = exchange.seen;
  if (response.destroyed) {
    stream.close();
    return;
  }
  let pending: { cursor: string; changes: Changes } | null = null;
  let isChecking = false;
  let checks = 0;

  function write(text: string): void {
    if (response.writableLength > unreadBytesMax) response.destroy();
    else if (!response.writableEnded) response.write(text);
  }

  /** Changes that come while the caller is checked are sent together. */
  async function checkAndTell(): Promise<void> {
    if (isChecking) return;
    isChecking = true;
    try {
      await recheck();
      if (pending) write(eventOf("change", pending.cursor, pending.changes));
      pending = null;
    } catch (error) {
      // The reader opens a stream again, and gets the refusal if it may not.
      logBrokenStream(exchange, server, error);
      response.end();
    }
    isChecking = false;
  }

  response.writeHead(200, {
    ...commonHeaders(exchange.id),
    ...(rateLimit && { "ratelimit-policy": rateLimit.policy, ratelimit: rateLimit.state }),
    "content-type": `${eventType}; charset=utf-8`,
    // Reverse proxies that buffer answers are asked not to.
    "x-accel-buffering": "no",
  });
  recordResponse(exchange, server, 200);
  const timer = setInterval(() => {
    if (++checks % checksPerHeartbeat === 0) write(": open\n\n");
    void checkAndTell();
  }, checkMilliseconds);
  response.once("close", () => {
    clearInterval(timer);
    stream.close();
  });
  write(eventOf("ready", stream.first.cursor, stream.first.changes));
  stream.listen({
    changed({ cursor, changes }) {
      if (isNothing(changes)) return;
      pending = { cursor, changes: pending ? together(pending.changes, changes) : changes };
      void checkAndTell();
    },
    ended: () => response.end(),
  });
}

const eventOf = (name: string, cursor: string, changes: Changes): string =>
  `id: ${cursor}\nevent: ${name}\ndata: ${JSON.stringify(changes)}\n\n`;
