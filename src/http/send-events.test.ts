import { createServer } from "node:http";
import { connect } from "node:net";
import { expect, test } from "vitest";
import { cleanUpLater } from "../../test/support/stores.ts";
import type { LiveEvent } from "../webhooks/live/live-stream.ts";
import type { Exchange, ServerContext } from "./respond.ts";
import { sendEvents } from "./send-events.ts";

const aChange: LiveEvent = {
  cursor: "c",
  changes: {
    runs: Array.from({ length: 100 }, (_, index) => `run_us_${"x".repeat(30)}${index}`),
    connections: [],
    tools: [],
  },
};

// "A slow reader is cut off at a bounded buffer."
test("a reader that does not read is cut off, and holds little memory until then", async () => {
  let unreadMax = 0;
  const closed = Promise.withResolvers<void>();
  const server = createServer((request, response) => {
    const exchange = { id: "req", operation: "projects/watch", seen: {}, meter: { observe: () => {} }, startedAt: 0 };
    const stream = {
      first: aChange,
      listen: ({ changed }: { changed(event: LiveEvent): void }) => {
        const go = () => {
          if (response.destroyed) return;
          changed(aChange);
          unreadMax = Math.max(unreadMax, response.writableLength);
          setImmediate(go);
        };
        go();
      },
      close: closed.resolve,
    };
    sendEvents(
      { ...exchange, request, response } as unknown as Exchange,
      { requestLog: () => {} } as unknown as ServerContext,
      {
        stream,
        recheck: async () => {},
      },
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  cleanUpLater(async () => void server.close());
  const { port } = server.address() as { port: number };
  const socket = connect({ host: "127.0.0.1", port });
  socket.on("error", () => {});
  socket.write("GET / HTTP/1.1\r\nhost: x\r\n\r\n");
  socket.pause();
  await closed.promise;
  expect(unreadMax).toBeGreaterThan(0);
  expect(unreadMax).toBeLessThan(256 * 1024);
  socket.destroy();
});
