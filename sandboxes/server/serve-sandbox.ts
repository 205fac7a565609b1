import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { answersItself, answerWith, takeOverWith } from "./apply-fault.ts";
import { createChanges } from "./changes.ts";
import { answerControl } from "./control.ts";
import type { ControlState, RequestLine } from "./control-state.ts";
import { createFaults, type Fault } from "./faults.ts";
import type { CreateSandbox, Sandbox, SandboxAnswer, SandboxCall } from "./sandbox.ts";

export interface ServedSandbox {
  url: string;
  sandbox: Sandbox;
  stop(): Promise<void>;
}

const bodyBytesMax = 12 * 1024 * 1024;
// Far above Node's own 16 KB, so that an address that is too long gets the vendor's refusal and not Node's.
const headerBytesMax = 128 * 1024;
// Enough for any test and bounded for any soak: the oldest lines go first.
const requestLinesMax = 100_000;

/** Serves one system at the root of an address of its own, with the control API beside it. Port 0 takes any free one. */
export async function serveSandbox(create: CreateSandbox, port: number, host = "127.0.0.1"): Promise<ServedSandbox> {
  const server = createServer({ keepAliveTimeout: 65_000, maxHeaderSize: headerBytesMax });
  await listen(server, port, host);
  const address = server.address();
  const url = `http://${host.includes(":") ? `[${host}]` : host}:${typeof address === "object" && address ? address.port : port}`;
  const sandbox = create(url);
  const state: ControlState = { sandbox, faults: createFaults(), requests: [], changes: createChanges() };
  server.on("request", (request, response) => {
    serve(state, request, response).catch((error) => {
      console.error(`sandbox ${sandbox.system}:`, error);
      if (!response.headersSent) response.writeHead(500);
      response.end();
    });
  });
  return {
    url,
    sandbox,
    async stop() {
      sandbox.stop();
      state.changes.stop();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function listen(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, resolve);
  });
}

async function serve(state: ControlState, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const target = request.url ?? "/";
  const mark = target.indexOf("?");
  const path = mark < 0 ? target : target.slice(0, mark);
  const query = new URLSearchParams(mark < 0 ? "" : target.slice(mark + 1));
  const method = request.method ?? "GET";
  const readCall = async (): Promise<SandboxCall> => {
    const body = await readBody(request);
    return { method, path, query, headers: request.headers, body, raw: request };
  };
  if (path === "/_sandbox" || path.startsWith("/_sandbox/")) {
    send(await answerControl(state, await readCall()), request, response);
    return;
  }
  response.setHeader("date", new Date(state.sandbox.clock.now()).toUTCString());
  const line = keepLine(state, method, path, request.headers.traceparent);
  const fault = state.faults.take(method, path);
  const takeOver = fault && answersItself(fault) ? null : state.sandbox.takeOver?.(method, path);
  try {
    if (takeOver) {
      if (fault?.drop !== "before") noteStatus(line, response);
      await takeOverWith(fault, request, response, takeOver);
    } else {
      await answerCall(state, line, fault, await readCall(), response);
    }
  } catch (error) {
    line.status = 500;
    throw error;
  }
}

async function answerCall(
  state: ControlState,
  line: RequestLine,
  fault: Fault | null,
  call: SandboxCall,
  response: ServerResponse,
): Promise<void> {
  const leave = state.sandbox.arrive?.(call);
  let answer: SandboxAnswer | null;
  try {
    answer = await answerWith(fault, () => state.sandbox.handle(call));
  } finally {
    leave?.();
  }
  line.status = answer?.status ?? 0;
  line.identity = answer?.identity ?? null;
  if (answer && fault?.half) sendHalf(answer, call.raw);
  else if (answer === null || fault?.drop) call.raw.socket.destroy();
  else send(answer, call.raw, response);
}

/** A call is listed as it comes in, with the status 0 until it is answered, which one that is cut off never is. */
function keepLine(state: ControlState, method: string, path: string, trace?: string | string[]): RequestLine {
  const line: RequestLine = { at: new Date().toISOString(), method, path, status: 0, identity: null };
  if (typeof trace === "string") line.traceparent = trace;
  state.requests.push(line);
  if (state.requests.length > requestLinesMax) state.requests.splice(0, requestLinesMax / 10);
  return line;
}

/** Where a library answers, its status is known at the end: of the answer, or of a connection that was cut. */
function noteStatus(line: RequestLine, response: ServerResponse): void {
  const note = () => {
    line.status = response.statusCode;
  };
  response.once("finish", note);
  response.once("close", note);
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  if (request.method === "GET" && request.headers["content-length"] === undefined) return Buffer.alloc(0);
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes <= bodyBytesMax) chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function sendHalf({ status, body = "" }: SandboxAnswer, { socket }: IncomingMessage): void {
  const payload = Buffer.from(typeof body === "string" || Buffer.isBuffer(body) ? body : JSON.stringify(body));
  const head = `HTTP/1.1 ${status} -\r\ncontent-type: application/json\r\ncontent-length: ${payload.length}\r\n`;
  // Of an answer without a body, half of the head.
  const half = payload.length === 0 ? [head] : [head, "\r\n", payload.subarray(0, payload.length / 2)];
  socket.write(Buffer.concat(half.map((part) => Buffer.from(part))), () => socket.destroy());
}

function send(answer: SandboxAnswer, request: IncomingMessage, response: ServerResponse): void {
  if (answer.stream) {
    answer.stream(request, response);
    return;
  }
  const { status, headers = {}, body } = answer;
  const isText = typeof body === "string" || Buffer.isBuffer(body);
  const payload = body === undefined ? "" : isText ? body : JSON.stringify(body);
  const type = isText || body === undefined ? {} : { "content-type": "application/json; charset=utf-8" };
  response.writeHead(status, {
    ...type,
    ...headers,
    ...(status === 204 ? {} : { "content-length": Buffer.byteLength(payload) }),
  });
  response.end(request.method === "HEAD" || status === 204 ? undefined : payload);
}
