import type { ProtocolRequest, ProtocolResponse } from "../calls/protocol.ts";
import type { RegionContext } from "../calls/region-context.ts";
import type { Log } from "../kernel/log.ts";
import { Problem } from "../kernel/problem.ts";
import type { LiveStream } from "../webhooks/live/live-stream.ts";
import type { Caller } from "./caller.ts";
import { sessionOf } from "./cancelled-calls.ts";
import { concernsTools, logUnlessRefused } from "./watch-tools.ts";

const eventType = "text/event-stream";
const checkMilliseconds = 15_000;

/**
 * Before 2026-07-28, a client holds a stream open with GET and is notified there when the list of tools changes. Null for every other
 * request, and where the person has too many streams open: the library refuses those with 405, and clients go on without.
 */
export async function listenStream(
  request: ProtocolRequest,
  caller: Caller,
  { rooms, log }: RegionContext,
): Promise<ProtocolResponse | null> {
  const isListening = request.method === "GET" && (request.header("accept") ?? "").includes(eventType);
  if (!isListening || sessionOf(request) === undefined) return null;
  const stream = await rooms.webhooks.live.open(caller, null).catch((error) => {
    if (error instanceof Problem && error.code === "too_many_streams") return null;
    throw error;
  });
  if (!stream) return null;
  const body = notificationsFrom(stream, caller, request.gone, log);
  return { status: 200, headers: { "content-type": eventType, "x-accel-buffering": "no" }, body };
}

const encoder = new TextEncoder();
const comment = encoder.encode(": open\n\n");
const notification = encoder.encode(
  `event: message\ndata: ${JSON.stringify({ jsonrpc: "2.0", method: "notifications/tools/list_changed" })}\n\n`,
);

/** A caller who has lost access gets no more notifications: the stream ends with the next change, or the next check. */
function notificationsFrom(
  stream: LiveStream,
  caller: Caller,
  gone: AbortSignal,
  log: Log,
): ReadableStream<Uint8Array> {
  let isOpen = true;
  let timer: NodeJS.Timeout | undefined;
  const release = (): void => {
    isOpen = false;
    clearInterval(timer);
    stream.close();
  };
  return new ReadableStream<Uint8Array>({
    start(controller) {
      const end = (): void => {
        if (!isOpen) return;
        release();
        controller.close();
      };
      const failed = (error: unknown): void => {
        logUnlessRefused(log, caller, error);
        end();
      };
      const send = async (bytes: Uint8Array): Promise<void> => {
        await caller.call("projects/get");
        if (isOpen) controller.enqueue(bytes);
      };
      controller.enqueue(comment);
      timer = setInterval(() => void send(comment).catch(failed), checkMilliseconds);
      gone.addEventListener("abort", end, { once: true });
      stream.listen({
        changed: (event) => void (concernsTools(event) && send(notification).catch(failed)),
        ended: end,
      });
      if (gone.aborted) end();
    },
    cancel: release,
  });
}
