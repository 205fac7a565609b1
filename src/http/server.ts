import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from "fastify";
import type { RegionContext } from "../api/call-operation.ts";
import type { Log } from "../kernel/log.ts";
import { Problem } from "../kernel/problem.ts";
import type { Region } from "../kernel/regions.ts";
import type { Metrics } from "./metrics.ts";
import { asProblem, toAnswer } from "./problems.ts";
import { newRequestId } from "./request-id.ts";
import { serveOperations } from "./serve-operations.ts";
import { servePages } from "./serve-pages.ts";
import { contractVersion } from "./version.ts";

export interface ServerParts {
  context: RegionContext;
  baseUrls: Record<Region, string>;
  log: Log;
  metrics: Metrics;
  /** Why the region cannot take calls yet, or null. */
  notReady: () => Promise<string | null>;
  /** Addresses of proxies whose X-Forwarded-For is believed; none unless the operator says so. */
  trustedProxies: string[];
}

/** One region's address: the operations, the pages about them, and the answers to everything else. */
export function createServer(parts: ServerParts): FastifyInstance {
  const { context, baseUrls, log, metrics } = parts;
  const app = Fastify({
    genReqId: newRequestId,
    trustProxy: parts.trustedProxies.length > 0 ? parts.trustedProxies : false,
    requestTimeout: 30_000,
    connectionTimeout: 0,
    keepAliveTimeout: 65_000,
    routerOptions: { maxParamLength: 128, ignoreTrailingSlash: false, caseSensitive: true },
    frameworkErrors: (error, request, reply) => refuse(error, request, reply),
  });
  app.server.headersTimeout = 15_000;

  // The body arrives as text: whether it is JSON is asked only after the caller is known.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", { parseAs: "string" }, (_request, body, done) => done(null, body));

  const otherMeter = metrics.meterFor(context.region, "other");
  app.decorateRequest("seen");
  app.decorateRequest("meter");
  app.decorateRequest("operation");
  app.addHook("onRequest", (request, _reply, done) => {
    request.seen = {};
    request.meter = otherMeter;
    request.operation = "";
    done();
  });

  app.addHook("onSend", (request, reply, _payload, done) => {
    const limit = request.seen?.rateLimit;
    if (limit && !reply.hasHeader("ratelimit"))
      reply.headers({ "ratelimit-policy": limit.policy, ratelimit: limit.state });
    reply.headers({
      "x-request-id": request.id,
      "cache-control": (reply.getHeader("cache-control") as string | undefined) ?? "no-store",
      "x-content-type-options": "nosniff",
      "signalbox-version": contractVersion,
    });
    done();
  });

  app.addHook("onResponse", (request, reply, done) => {
    const seconds = reply.elapsedTime / 1000;
    request.meter?.observe(reply.statusCode, seconds);
    log.info(
      {
        request_id: request.id,
        region: context.region,
        method: request.method,
        operation: request.operation || undefined,
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime * 100) / 100,
        user_id: request.seen?.userId,
        key_id: request.seen?.keyId,
        project_id: request.seen?.projectId,
        ip: request.ip,
      },
      "request",
    );
    done();
  });

  function refuse(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
    const problem = asProblem(error);
    if (problem.code === "internal") {
      log.error({ request_id: request.id, operation: request.operation, err: problem.cause }, "internal error");
    } else if (problem.status >= 500 && problem.cause !== undefined) {
      log.error({ request_id: request.id, code: problem.code, err: problem.cause }, "the store refused");
    }
    const answer = toAnswer(problem, request.id, baseUrls, context.region);
    reply.code(answer.status).headers(answer.headers).type("application/problem+json").send(answer.body);
  }
  app.setErrorHandler((error, request, reply) => refuse(error, request, reply));
  app.setNotFoundHandler((request, reply) => refuse(new Problem("route_not_found"), request, reply));

  serveOperations(app, context, metrics);
  servePages(app, parts);
  return app;
}
