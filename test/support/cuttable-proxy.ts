import { connect, createServer, type Socket } from "node:net";
import { cleanUpLater } from "./stores.ts";

/** A stretch of wire that can be cut: bytes pass both ways until somebody does. */
export interface CuttableProxy {
  port: number;
  /** Breaks every connection that exists, without a word to either side. */
  cut(): void;
  /** While closed, new connections are broken too. */
  close(): void;
  open(): void;
  /** From now on nothing passes, nothing is refused and nothing is closed: the server behind stands still. */
  hang(): void;
  goOn(): void;
}

export async function startProxy(targetPort: number): Promise<CuttableProxy> {
  const sockets = new Set<Socket>();
  let isOpen = true;
  let isHanging = false;
  const server = createServer((near) => {
    const far = connect(targetPort, "127.0.0.1");
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.setNoDelay(true);
      socket.on("error", () => {});
      socket.on("close", () => {
        sockets.delete(socket);
        near.destroy();
        far.destroy();
      });
    }
    if (!isOpen) return void near.resetAndDestroy();
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      from.on("data", (chunk) => void to.write(chunk));
      if (isHanging) from.pause();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const cut = () => {
    for (const socket of sockets) socket.resetAndDestroy();
  };
  cleanUpLater(async () => {
    cut();
    await new Promise((resolve) => server.close(resolve));
  });
  const address = server.address();
  return {
    port: typeof address === "object" && address ? address.port : 0,
    cut,
    close() {
      isOpen = false;
      cut();
    },
    open() {
      isOpen = true;
    },
    hang() {
      isHanging = true;
      for (const socket of sockets) socket.pause();
    },
    goOn() {
      isHanging = false;
      for (const socket of sockets) socket.resume();
    },
  };
}
