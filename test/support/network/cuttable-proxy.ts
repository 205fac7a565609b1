import { createServer, type Socket } from "node:net";
import { cleanUpLater } from "../stores.ts";
import { connectBehind, cutAll } from "./forward-connection.ts";

/** A TCP proxy whose connections can be cut. */
export interface CuttableProxy {
  port: number;
  /** Breaks every open connection, without notice to either side. */
  cut(): void;
  /** While closed, new connections are broken too. */
  close(): void;
  open(): void;
  /** From now on nothing passes, nothing is refused and nothing is closed, like a server that hangs. */
  hang(): void;
  goOn(): void;
  /** The next answer of the server that contains this text gets lost, and its connection with it. */
  loseAnswer(text: string): void;
  /** The next connection that is opened beside another one breaks, such as because the server has too many. */
  refuseBeside(): void;
}

export async function startProxy(targetPort: number): Promise<CuttableProxy> {
  const sockets = new Set<Socket>();
  let isOpen = true;
  let isHanging = false;
  let lost: string | null = null;
  let refusesBeside = false;
  const server = createServer((near) => {
    const isBeside = sockets.size > 0;
    const far = connectBehind(near, targetPort, sockets);
    if (!isOpen) return void near.resetAndDestroy();
    if (refusesBeside && isBeside) {
      refusesBeside = false;
      return void near.resetAndDestroy();
    }
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      from.on("data", (chunk) => {
        if (from === near || lost === null || !chunk.includes(lost)) return void to.write(chunk);
        lost = null;
        near.resetAndDestroy();
        far.resetAndDestroy();
      });
      if (isHanging) from.pause();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const cut = () => cutAll(sockets);
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
    loseAnswer(text) {
      lost = text;
    },
    refuseBeside() {
      refusesBeside = true;
    },
  };
}
