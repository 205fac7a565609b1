import { EventEmitter } from "node:events";
import { createServer } from "node:http";
import { connect } from "node:net";
import { setImmediate as turn } from "node:timers/promises";
import { expect, test } from "vitest";
import { cleanUpLater } from "../../test/support/stores.ts";
import { Problem } from "../kernel/problem.ts";
import type { LiveEvent } from "../webhooks/live/live-stream.ts";
import { type Exchange, type ServerContext, sendResponse } from "./respond.ts";
import { sendEvents } from "./send-events.ts";

const aChange: LiveEvent = {
  cursor: "c",
  changes: {
    runs: Array.from({ length: 100 }, (_, index) => `run_us_${"x".repeat(30)}${index}`),
    connections: [],
    tools: [],
  },
};

const logged: string[] = [];
const server = {
  requestLog: () => {},
  log: { warn: ({ err }: { err: Error }) => void logged.push(err.message) },
} as unknown as ServerContext;

/** A response that nobody reads. */
function exchangeWith(calls: string[]): Exchange {
  const response = Object.assign(new EventEmitter(), {
    headersSent: false,
    destroyed: false,
    writableLength: 0,
    writeHead: () => {},
    write: () => {},
    end: () => void calls.push("end"),
    destroy: () => void calls.push("destroy"),
  });
  cleanUpLater(async () => void response.emit("close"));
  const exchange = { id: "req", operation: "projects/watch", seen: {}, meter: { observe: () => {} }, startedAt: 0 };
  return { ...exchange, response } as unknown as Exchange;
}

test.each([
  ["a failure is logged", new Error("the store is away"), ["the store is away"]],
  ["a refusal is not", new Problem("project_not_found"), []],
])("of a stream that ends because its reader cannot be checked, %s", async (_, error, lines) => {
  logged.length = 0;
  const calls: string[] = [];
  const listen = ({ changed }: { changed(event: LiveEvent): void }) => changed(aChange);
  const stream = { first: aChange, listen, close: () => {} };
  const exchange = exchangeWith(calls);
  sendEvents(exchange, server, { stream, recheck: () => Promise.reject(error) });
  await turn();
  expect([calls, logged]).toEqual([["end"], lines]);
});

test("a streamed body that fails is logged, and the connection is closed", async () => {
  logged.length = 0;
  const calls: string[] = [];
  const body = new ReadableStream<Uint8Array>({ pull: (controller) => controller.error(new Error("cut off")) });
  sendResponse(exchangeWith(calls), server, { status: 200, headers: {}, body });
  await turn();
  expect([calls, logged]).toEqual([["destroy"], ["cut off"]]);
});

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
