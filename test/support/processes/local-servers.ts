import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { type AddressInfo, createServer as createRawServer, type Server, type Socket } from "node:net";
import { expect } from "vitest";
import {
  createOutbound,
  type OutboundOptions,
  type OutboundRequest,
  SendFailed,
} from "../../../src/transport/outbound.ts";
import { cleanUpLater } from "../stores.ts";

/** Real servers on this machine, well-behaved and not, and clients for them. All end with the test. */

/** Starts on a free port; returns the origin. */
export async function listen(server: Server, host = "127.0.0.1"): Promise<string> {
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket)).on("error", () => {});
  });
  server.listen(0, host);
  await once(server, "listening");
  cleanUpLater(async () => {
    for (const socket of sockets) socket.destroy();
    if (server.listening) await new Promise((resolve) => server.close(resolve));
  });
  return `http://${host.includes(":") ? `[${host}]` : host}:${(server.address() as AddressInfo).port}`;
}

export const serve = (answer: (request: IncomingMessage, response: ServerResponse) => void): Promise<string> =>
  listen(createServer(answer));

/** Sends these bytes to any client that has started a request, then runs `then`. */
export const speak = (bytes: string | Buffer, then: (socket: Socket) => void = () => {}): Promise<string> =>
  listen(
    createRawServer((socket) => {
      socket.once("data", () => socket.write(bytes, () => then(socket)));
    }),
  );

/** An outbound for one origin, which may be private. */
export function outboundTo(origin: string, options: Partial<OutboundOptions> = {}) {
  const outbound = createOutbound({ privateOrigins: [origin], ...options });
  cleanUpLater(() => outbound.close());
  return (wish: Partial<OutboundRequest> = {}) =>
    outbound.send({ origin, method: "GET", target: "/x", headers: {}, ...wish });
}

export async function failureOf(sending: Promise<unknown>): Promise<Pick<SendFailed, "reason" | "sent" | "message">> {
  const error = await sending.then(
    () => new Error("it was answered"),
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof SendFailed)) throw error;
  return { reason: error.reason, sent: error.sent, message: error.message };
}

export const failed = (reason: SendFailed["reason"], sent: SendFailed["sent"]): unknown =>
  expect.objectContaining({ reason, sent });
