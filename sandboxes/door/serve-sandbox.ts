import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { answerControl } from "./control.ts";
import type { Door, RequestLine } from "./door.ts";
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

/** Serves one system at the root of an address of its own, with the control door beside it. Port 0 takes any free one. */
export async function serveSandbox(create: CreateSandbox, port: number, host = "127.0.0.1"): Promise<ServedSandbox> {
  const server = createServer({ keepAliveTimeout: 65_000, maxHeaderSize: headerBytesMax });
  await listen(server, port, host);
  const address = server.address();
  const url = `http://${host}:${typeof address === "object" && address ? address.port : port}`;
  const sandbox = create(url);
  const door: Door = { sandbox, faults: createFaults(), requests: [] };
  server.on("request", (request, response) => {
    serve(door, request, response).catch((error) => {
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

async function serve(door: Door, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const target = request.url ?? "/";
  const mark = target.indexOf("?");
  const path = mark < 0 ? target : target.slice(0, mark);
  const method = request.method ?? "GET";
  const isControl = path === "/_sandbox" || path.startsWith("/_sandbox/");
  const fault = isControl ? null : door.faults.take(method, path);
  const takeOver = isControl || fault ? null : door.sandbox.takeOver?.(method, path);
  if (takeOver) {
    const at = new Date().toISOString();
    response.once("close", () => keepLine(door, { at, method, path, status: response.statusCode, identity: null }));
    takeOver(request, response);
    return;
  }
  const body = await readBody(request);
  const call: SandboxCall = {
    method,
    path,
    query: new URLSearchParams(mark < 0 ? "" : target.slice(mark + 1)),
    headers: request.headers,
    body,
    raw: request,
  };
  if (isControl) return send(await answerControl(door, call), request, response);
  const at = new Date().toISOString();
  const leave = door.sandbox.arrive?.(call);
  let answer: SandboxAnswer | null;
  try {
    answer = await answerWith(fault, () => door.sandbox.handle(call));
  } finally {
    leave?.();
  }
  keepLine(door, { at, method, path, status: answer?.status ?? 0, identity: answer?.identity ?? null });
  if (answer === null || fault?.drop) request.socket.destroy();
  else send(answer, request, response);
}

/** Null where the connection is cut before anything happens. */
async function answerWith(
  fault: Fault | null,
  handle: () => SandboxAnswer | Promise<SandboxAnswer>,
): Promise<SandboxAnswer | null> {
  if (!fault) return handle();
  if (fault.delay_ms) await new Promise((resolve) => setTimeout(resolve, fault.delay_ms));
  if (fault.drop === "before") return null;
  if (fault.status === undefined || fault.drop === "after") return handle();
  return { status: fault.status, headers: fault.headers ?? {}, body: fault.body ?? "" };
}

function keepLine(door: Door, line: RequestLine): void {
  door.requests.push(line);
  if (door.requests.length > requestLinesMax) door.requests.splice(0, requestLinesMax / 10);
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
