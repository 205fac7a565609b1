import { connect, createServer, type Socket } from "node:net";

/** Stands before the database, and can be slow or away. */
export interface SlowProxy {
  port: number;
  /** Each message takes so much longer, each way. */
  delay(milliseconds: number): void;
  /** Breaks every connection and refuses new ones, like a machine that is away. */
  close(): void;
  open(): void;
  /** How many connections are open. */
  count(): number;
  stop(): void;
}

export async function startSlowProxy(targetPort: number): Promise<SlowProxy> {
  const pairs = new Set<{ near: Socket; far: Socket }>();
  let milliseconds = 0;
  let isOpen = true;
  const server = createServer((near) => {
    if (!isOpen) return void near.resetAndDestroy();
    const pair = { near, far: connect(targetPort, "127.0.0.1") };
    pairs.add(pair);
    join(pair.near, pair.far);
    join(pair.far, pair.near);
    near.on("close", () => pairs.delete(pair));
  });

  /** In order: each message waits for those before it. */
  function join(from: Socket, to: Socket): void {
    let last = Promise.resolve();
    from.setNoDelay(true);
    from.on("data", (chunk) => {
      if (milliseconds > 0) last = Promise.all([last, after(milliseconds)]).then(() => {});
      last = last.then(() => void (to.destroyed || to.write(chunk)));
    });
    from.on("error", () => {});
    from.on("close", () => to.destroy());
  }

  const breakAll = () => {
    for (const { near, far } of pairs) {
      near.resetAndDestroy();
      far.destroy();
    }
  };
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  return {
    port: typeof address === "object" && address ? address.port : 0,
    delay(added) {
      milliseconds = added;
    },
    close() {
      isOpen = false;
      breakAll();
    },
    open() {
      isOpen = true;
    },
    count: () => pairs.size,
    stop() {
      server.close();
      breakAll();
    },
  };
}

const after = (milliseconds: number) => new Promise<void>((resolve) => setTimeout(resolve, milliseconds));
