import { connect, createServer, type Socket } from "node:net";

/** Passes connections on to another address. */
export interface Forwarder {
  port: number;
  stop(): void;
}

export async function startForwarder(
  at: { host: string; port: number },
  to: { host: string; port: number },
): Promise<Forwarder> {
  const open = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(to.port, to.host);
    for (const [from, other] of [
      [near, far],
      [far, near],
    ] as const) {
      open.add(from);
      from.setNoDelay(true);
      from.on("error", () => other.destroy());
      from.on("close", () => {
        open.delete(from);
        other.destroy();
      });
      from.pipe(other);
    }
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(at.port, at.host, resolve);
  });
  const address = server.address();
  return {
    port: typeof address === "object" && address ? address.port : 0,
    stop() {
      server.close();
      for (const socket of open) socket.destroy();
    },
  };
}
