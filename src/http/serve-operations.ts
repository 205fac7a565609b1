import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { type Call, type CallSeen, callOperation, type RegionContext } from "../api/call-operation.ts";
import type { Operation } from "../api/define.ts";
import { readIdempotencyKey } from "../api/idempotency.ts";
import { operations } from "../api/index.ts";
import { Problem } from "../kernel/problem.ts";
import type { Metrics, RequestMeter } from "./metrics.ts";

/** What an operation learned about the caller, for the log line of the request. */
declare module "fastify" {
  interface FastifyRequest {
    seen: CallSeen;
    meter: RequestMeter;
    operation: string;
  }
}

/** Projects, people, keys and organizations are small; nothing legitimate comes near this. */
const bodyBytesMax = 64 * 1024;
const jsonType = /^application\/json\s*(?:;|$)/i;

/** Every operation of the contract at its path, by POST alone. */
export function serveOperations(app: FastifyInstance, context: RegionContext, metrics: Metrics): void {
  for (const operation of operations) {
    const url = operation.path.replace(/\{(\w+)\}/g, ":$1");
    const name = operation.path.slice("/latest/".length);
    const meter = metrics.meterFor(context.region, name);
    app.route({
      method: "POST",
      url,
      bodyLimit: bodyBytesMax,
      onRequest: (request, _reply, done) => {
        request.meter = meter;
        request.operation = name;
        done(refuseAtTheDoor(request));
      },
      handler: (request, reply) => answer(operation, request, reply, context),
    });
    allowOnly(app, url, ["POST"]);
  }
}

/** Every other method on a path that exists: 405, and what is allowed there. */
export function allowOnly(app: FastifyInstance, url: string, methods: string[]): void {
  app.route({
    method: app.supportedMethods.filter((method) => !methods.includes(method)),
    url,
    // Before the body is looked at: it is the first thing that is wrong with the call.
    onRequest: (_request, _reply, done) =>
      done(new Problem("method_not_allowed", undefined, { headers: { allow: methods.join(", ") } })),
    handler: async () => {},
  });
}

// Size, then content type: what can be refused without reading the body or asking anyone.
function refuseAtTheDoor(request: FastifyRequest): Problem | undefined {
  const { headers } = request;
  if (Number(headers["content-length"]) > bodyBytesMax) return new Problem("payload_too_large");
  if (!jsonType.test(headers["content-type"] ?? "")) return new Problem("unsupported_media_type");
  if (isRepeated(request, "authorization")) {
    return new Problem("malformed_request", "The call carries two Authorization headers.");
  }
  return undefined;
}

/** Node keeps the first of two such headers and drops the other silently; the raw list has both. */
function isRepeated(request: FastifyRequest, name: string): boolean {
  const raw = request.raw.rawHeaders;
  let count = 0;
  for (let i = 0; i < raw.length; i += 2) {
    const header = raw[i] as string;
    if (header.length === name.length && header.toLowerCase() === name) count++;
  }
  return count > 1;
}

async function answer(
  operation: Operation,
  request: FastifyRequest,
  reply: FastifyReply,
  context: RegionContext,
): Promise<FastifyReply> {
  const call: Call = {
    authorization: request.headers.authorization,
    path: pathOf(request.url),
    inPath: request.params as Record<string, string>,
    bodyText: (request.body as string | undefined) ?? "",
    idempotencyKey: operation.audit === null ? null : idempotencyKeyOf(request),
    requestId: request.id,
    ip: request.ip,
    seen: request.seen,
  };
  const body = await callOperation(operation, call, context);
  if (call.seen.replayed) reply.header("idempotency-replayed", "true");
  return reply.type("application/json; charset=utf-8").send(body);
}

const pathOf = (url: string): string => {
  const query = url.indexOf("?");
  return query < 0 ? url : url.slice(0, query);
};

function idempotencyKeyOf(request: FastifyRequest): string | null {
  const header = request.headers["idempotency-key"];
  if (header === undefined) return null;
  if (isRepeated(request, "idempotency-key")) throw new Problem("idempotency_key_invalid");
  return readIdempotencyKey(String(header));
}
