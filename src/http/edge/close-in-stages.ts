import type { IncomingMessage, ServerResponse } from "node:http";

const restBytesMax = 64 * 1024 * 1024;
const silenceMillisecondsMax = 1_000;

/**
 * "If a server performs an immediate close of a TCP connection, there is a significant risk that the client will not be
 * able to read the last HTTP response" (RFC 9112, 9.6). So the response is sent at once, the rest of the body is
 * discarded, and the connection closes with its end, or when it stops coming.
 */
export function closeInStages(request: IncomingMessage, response: ServerResponse, body: string | Buffer): void {
  response.once("finish", () => request.destroy());
  response.write(body);
  let bytes = 0;
  const silence = setTimeout(end, silenceMillisecondsMax);
  request.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > restBytesMax) end();
    else silence.refresh();
  });
  request.once("close", end);
  request.once("end", end);
  function end(): void {
    clearTimeout(silence);
    if (!response.writableEnded) response.end();
  }
}
