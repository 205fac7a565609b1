import type { FastifyInstance, FastifyReply } from "fastify";
import type { RegionContext } from "../calls/region-context.ts";
import type { Metrics } from "./metrics.ts";

export interface HealthParts {
  context: RegionContext;
  metrics: Metrics;
  /** Why the region cannot take calls yet, or null. */
  notReady: () => Promise<string | null>;
}

/** Serves health, readiness and metrics by GET. Returns the paths. */
export function serveHealth(app: FastifyInstance, { context, metrics, notReady }: HealthParts): string[] {
  const { region } = context;
  const sendJson = (reply: FastifyReply, status: number, value: object) =>
    reply.code(status).header("content-type", "application/json; charset=utf-8").send(JSON.stringify(value));
  app.get("/healthz", async (_request, reply) => sendJson(reply, 200, { status: "ok", region }));
  app.get("/readyz", async (_request, reply) => {
    const reason = await notReady();
    if (reason === null) return sendJson(reply, 200, { status: "ready", region });
    return sendJson(reply, 503, { status: "not ready", region, reason });
  });
  app.get("/metrics", async (_request, reply) => {
    const { contentType, text } = await metrics.text();
    return reply.header("content-type", contentType).send(text);
  });
  return ["/healthz", "/readyz", "/metrics"];
}
