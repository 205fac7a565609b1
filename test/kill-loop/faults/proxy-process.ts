import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { seededRandom } from "../random.ts";
import { FaultDeck, type FaultKind, noFaults } from "./kinds.ts";
import type { FaultRates, ProxyOrder } from "./proxy.ts";
import { onTheWire, type PlayedSystem, refusalOf, type WireAnswer } from "./refusals.ts";

/*
 * Stands before the three sandboxes and passes HTTP on, but for the faults that the seed decides on. Its parent stops it (SIGSTOP),
 * and then nobody new is let in: the queue of each port is short.
 */
const [from = 0, to = 0, seed = 0, settleMilliseconds = 0] = process.argv.slice(2).map(Number);
const systems: PlayedSystem[] = ["marketing", "deployment", "analytics"];
const queueMax = 8;
/** A caller may believe after the settle time that what is not there will not come. The systems keep that promise here, too. */
const carriedOutMillisecondsMax = settleMilliseconds - 1000;
const lateMillisecondsMax = 70_000;

const random = seededRandom(seed);
const deck = new FaultDeck(random);
const counts = noFaults();
const sockets = new Set<Socket>();
let rates: FaultRates = { writes: 0, reads: 0 };

/** A call as it came in, its body read whole. */
interface Call {
  system: PlayedSystem;
  port: number;
  incoming: IncomingMessage;
  response: ServerResponse;
  near: Socket;
  body: Buffer;
  /** When the caller was gone, by the clock of `performance`; null while it waits. */
  goneAt: number | null;
}

async function serve(incoming: IncomingMessage, response: ServerResponse, index: number): Promise<void> {
  const near = incoming.socket;
  const port = to + index;
  const call: Call = {
    system: systems[index] ?? "marketing",
    port,
    incoming,
    response,
    near,
    body: Buffer.alloc(0),
    goneAt: null,
  };
  const gone = () => {
    call.goneAt ??= performance.now();
  };
  near.once("close", gone);
  try {
    const parts: Buffer[] = [];
    for await (const part of incoming) parts.push(part as Buffer);
    call.body = Buffer.concat(parts);
    const kind = faultFor(call);
    if (kind) counts[kind]++;
    await (kind === null ? answerOf(call) : withFault[kind](call));
  } catch {
    near.destroy();
  } finally {
    near.off("close", gone);
  }
}

function faultFor({ incoming, body }: Call): FaultKind | null {
  const { method = "GET", url = "/" } = incoming;
  if (url.startsWith("/_sandbox")) return null;
  const isWrite = method !== "GET" && !/\/token(?:\?|$)/.test(url);
  if (random() >= (isWrite ? rates.writes : rates.reads)) return null;
  // Only these have a time-out that is worth waiting for: their tools say so.
  const hasTimeOut = isWrite && body.includes("timed-");
  return deck.deal((kind) => kind !== "late answer" || hasTimeOut);
}

const between = (least: number, most: number) => least + random() * (most - least);

const withFault: Record<FaultKind, (call: Call) => Promise<void>> = {
  429: async (call) => refuse(call, "429"),
  500: async (call) => {
    if (random() < 0.5) await passOn(call);
    refuse(call, "500");
  },
  503: async (call) => refuse(call, "503"),
  "cut before": async ({ near }) => void near.destroy(),
  "cut after": async (call) => {
    await passOn(call);
    call.near.destroy();
  },
  "cut while working": async (call) => {
    call.near.destroy();
    await after(between(0, carriedOutMillisecondsMax * 0.8));
    await passOn(call);
  },
  "half an answer": async (call) => {
    const answer = await passOn(call);
    const bytes = onTheWire(answer, Math.floor(answer.body.length / 2));
    call.near.end(answer.body.length > 1 ? bytes : bytes.subarray(0, bytes.length / 2));
  },
  garbage: async (call) => {
    if (random() < 0.5) await passOn(call);
    call.near.end(Buffer.from(Array.from({ length: 64 }, () => Math.floor(random() * 256))));
  },
  "reset after": async (call) => {
    await passOn(call);
    call.near.resetAndDestroy();
  },
  "late answer": async (call) => {
    const answer = await passOn(call);
    for (const end = performance.now() + lateMillisecondsMax; call.goneAt === null && performance.now() < end; )
      await after(50);
    send(call, answer);
  },
  delay: async (call) => {
    await after(between(50, 400));
    await answerOf(call);
  },
  "long delay": async (call) => {
    await after(between(0.5, 0.8) * carriedOutMillisecondsMax);
    await answerOf(call);
  },
};

const after = (milliseconds: number) => new Promise<void>((resolve) => setTimeout(resolve, milliseconds));

const refuse = (call: Call, kind: "429" | "500" | "503") =>
  send(call, refusalOf(call.system, (call.incoming.url ?? "/").split("?")[0] ?? "/", kind));

async function answerOf(call: Call): Promise<void> {
  send(call, await passOn(call));
}

function send({ response, near }: Call, { status, headers, body }: WireAnswer): void {
  if (near.destroyed) return;
  response.writeHead(status, { ...headers, "content-length": body.length });
  response.end(body);
}

/** What the system answers. The caller may be gone by now: the system works on all the same, but not for longer than it may. */
function passOn({ port, incoming, body, goneAt }: Call): Promise<WireAnswer> {
  const isTooLate = goneAt !== null && performance.now() - goneAt > carriedOutMillisecondsMax;
  if (isTooLate) return Promise.reject(new Error("It is not carried out any more."));
  return new Promise((resolve, reject) => {
    const { method = "GET", url = "/" } = incoming;
    const headers = { ...incoming.headers, connection: "close", "content-length": String(body.length) };
    const sent = request({ host: "127.0.0.1", port, method, path: url, headers, agent: false }, (answer) => {
      const parts: Buffer[] = [];
      answer.on("data", (part: Buffer) => void parts.push(part));
      answer.on("error", reject);
      answer.on("end", () => {
        const {
          connection,
          "keep-alive": _kept,
          "transfer-encoding": _coding,
          "content-length": _length,
          ...kept
        } = answer.headers;
        resolve({ status: answer.statusCode ?? 0, headers: kept as WireAnswer["headers"], body: Buffer.concat(parts) });
      });
    });
    sent.on("error", reject);
    sent.end(body);
  });
}

for (const [index] of systems.entries()) {
  const server = createServer(
    { keepAliveTimeout: 60_000 },
    (incoming, response) => void serve(incoming, response, index),
  );
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    socket.on("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) =>
    server.listen({ port: from + index, host: "127.0.0.1", backlog: queueMax }, resolve),
  );
}

process.on("message", (order: ProxyOrder) => {
  if (order === "cut") for (const socket of sockets) socket.resetAndDestroy();
  else if (order !== "count") rates = order;
  process.send?.(order === "count" ? counts : "done");
});
process.on("disconnect", () => process.exit(0));
process.send?.("ready");
