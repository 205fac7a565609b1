import { connect, type Socket } from "node:net";

/** Connects to the port behind. Both sockets are in `open` while they last, and end together. Nothing is passed on yet. */
export function connectBehind(near: Socket, port: number, open: Set<Socket>): Socket {
  const far = connect(port, "127.0.0.1");
  for (const socket of [near, far]) {
    open.add(socket);
    socket.setNoDelay(true);
    socket.on("error", () => {});
    socket.on("close", () => {
      open.delete(socket);
      near.destroy();
      far.destroy();
    });
  }
  return far;
}

/** Without a word to either side. */
export function cutAll(open: ReadonlySet<Socket>): void {
  for (const socket of open) socket.resetAndDestroy();
}
