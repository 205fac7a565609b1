import type { Server } from "node:http";
import type { Socket } from "node:net";

/** What a socket has taken of all that was written to it, and since when it has taken no more. */
interface Progress {
  bytes: number;
  since: number;
}

export interface ReaderLimits {
  /** A reader who takes nothing for this long, although something waits for it, is disconnected. */
  unreadTimeout: number;
  connectionsCheckingInterval: number;
}

/**
 * Disconnects readers who have stopped reading. Looks at all connections now and then, so that no response pays for it. What is sent in
 * small pieces shows its progress here; what is written later does not count as progress.
 */
export function watchReaders(server: Server, limits: ReaderLimits): void {
  const open = new Set<Socket>();
  const waiting = new Map<Socket, Progress>();
  server.on("connection", (socket: Socket) => {
    open.add(socket);
    socket.once("close", () => {
      open.delete(socket);
      waiting.delete(socket);
    });
  });

  function look(): void {
    const now = performance.now();
    for (const socket of open) {
      const unsent = socket.writableLength;
      if (unsent === 0) {
        waiting.delete(socket);
        continue;
      }
      const bytes = socket.bytesWritten - unsent;
      const before = waiting.get(socket);
      if (before?.bytes !== bytes) waiting.set(socket, { bytes, since: now });
      else if (now - before.since >= limits.unreadTimeout) socket.destroy();
    }
  }
  const timer = setInterval(look, limits.connectionsCheckingInterval);
  timer.unref();
  server.once("close", () => clearInterval(timer));
}
