import { connect } from "node:net";
import type { TestApp } from "../app.ts";
import { cleanUpLater } from "../stores.ts";

/** The maximum of any wait here; reaching it is a failure. */
const patienceMilliseconds = 60_000;

/** Lets the app listen on a free port of 127.0.0.1; it is closed with the app. */
export async function listen({ app }: Pick<TestApp, "app">): Promise<number> {
  await app.listen({ host: "127.0.0.1", port: 0 });
  const address = app.server.address();
  if (typeof address !== "object" || !address) throw new Error("The server listens on no port.");
  return address.port;
}

export interface RawConnection {
  send(text: string): void;
  /** Resolves with everything received once it matches. */
  received(pattern: RegExp): Promise<string>;
  /** Resolves with everything received once the server has closed the connection. */
  closed(): Promise<string>;
  /** Begins to read. */
  read(): void;
  /** Disconnects without notice. */
  leave(): void;
}

/** A client that writes raw bytes, so that it can also write invalid ones. It reads nothing where `reads` is false. */
export async function connectTo(
  port: number,
  { from, reads = true }: { from?: string; reads?: boolean } = {},
): Promise<RawConnection> {
  const socket = connect({ host: "127.0.0.1", port, ...(from !== undefined && { localAddress: from }) });
  const waiting = new Set<() => void>();
  let text = "";
  let isClosed = false;
  const changed = () => {
    for (const look of waiting) look();
  };
  socket.setEncoding("latin1");
  const read = () =>
    socket.on("data", (chunk) => {
      text += chunk;
      changed();
    });
  if (reads) read();
  else socket.pause();
  socket.on("close", () => {
    isClosed = true;
    changed();
  });
  // A server may also close with a reset; what it sent before stays readable.
  socket.on("error", () => {});
  cleanUpLater(async () => socket.destroy());
  await new Promise((resolve) => socket.once("connect", resolve));

  const until = (isDone: () => boolean, wanted: string): Promise<string> =>
    new Promise((resolve, reject) => {
      const giveUp = setTimeout(() => end(new Error(`Waited for ${wanted}; received: ${text}`)), patienceMilliseconds);
      function end(error?: Error): void {
        clearTimeout(giveUp);
        waiting.delete(look);
        if (error) reject(error);
        else resolve(text);
      }
      function look(): void {
        if (isDone()) end();
        else if (isClosed) end(new Error(`Closed before ${wanted}; received: ${text}`));
      }
      waiting.add(look);
      look();
    });

  return {
    send: (bytes) => void socket.write(bytes, "latin1"),
    received: (pattern) => until(() => pattern.test(text), String(pattern)),
    closed: () => until(() => isClosed, "the end of the connection"),
    read: () => void read().resume(),
    leave: () => void socket.resetAndDestroy(),
  };
}

/** The statuses of the responses in a received text, in order. */
export const statusesIn = (text: string): number[] =>
  [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map((match) => Number(match[1]));

/** One raw response, in the form of an in-memory response. */
export function readAnswer(text: string) {
  const [head = "", payload = ""] = text.split("\r\n\r\n", 2);
  const [statusLine = "", ...lines] = head.split("\r\n");
  const headers = Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(":")).toLowerCase(), line.slice(line.indexOf(":") + 1).trim()]),
  );
  const body = String(headers["content-type"]).includes("json") && payload !== "" ? JSON.parse(payload) : payload;
  return { status: Number(statusLine.split(" ")[1]), headers, text: payload, body };
}
