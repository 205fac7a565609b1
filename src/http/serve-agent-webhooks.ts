import type { FastifyInstance } from "fastify";
import type { RegionContext } from "../calls/region-context.ts";
import { mark } from "../kernel/loop-watch.ts";
import { Problem } from "../kernel/problem.ts";
import { serveInSpan } from "./call-span.ts";
import { refuseEarly } from "./edge/refuse-request.ts";
import { bytesOf } from "./edge/request-body.ts";
import type { Metrics } from "./metrics.ts";
import { type Exchange, type ServerContext, sendJson, sendProblem, serveInBatch } from "./respond.ts";

/** Takes no API key: a sender knows the address and signs its events. */
export const webhookPath = "/latest/agents/{agent_id}/webhook/{webhook_token}";
export const webhookRoute = webhookPath.replace(/\{(\w+)\}/g, ":$1");

const bodyBytesMax = 4 * 1024 * 1024;
const name = webhookPath.slice("/latest/".length);

export function serveWebhooks(
  app: FastifyInstance,
  context: RegionContext,
  server: ServerContext,
  metrics: Metrics,
): void {
  const meter = metrics.meterFor(context.region, name);
  app.route({
    method: "POST",
    url: webhookRoute,
    onRequest: (request, reply) => {
      reply.hijack();
      const { id, ip, raw } = request;
      const address = request.params as { agent_id: string; webhook_token: string };
      const startedAt = performance.now();
      const exchange: Exchange = {
        id,
        operation: name,
        meter,
        ip,
        isSafe: false,
        seen: { operation: name },
        startedAt,
        request: raw,
        response: reply.raw,
      };
      serveInBatch(() => serveInSpan(exchange, webhookPath, () => take(exchange, address, context, server)));
    },
    handler: () => {
      throw new Error("An event was left to the framework.");
    },
  });
}

/** Passes on the raw bytes: the signature covers them. */
async function take(
  exchange: Exchange,
  address: { agent_id: string; webhook_token: string },
  context: RegionContext,
  server: ServerContext,
): Promise<void> {
  const body = bytesOf(exchange.request, bodyBytesMax, server.bodies);
  try {
    refuseEarly(exchange.request, bodyBytesMax);
    mark("an event", exchange.seen);
    context.store.shareReads();
    const event = await context.rooms.events
      .receive({
        agentId: address.agent_id,
        token: address.webhook_token,
        headers: exchange.request.headers,
        // An unknown address costs no memory. A known one has its own share, which takes nothing from its
        // organization's.
        readBytes: async (agentId) => {
          const bytes = body.received() ?? (await body.read({ organization: agentId }));
          mark("an event", exchange.seen);
          return bytes;
        },
      })
      .catch((error) => countGuess(error, exchange, context));
    exchange.seen.projectId = event.projectId;
    sendJson(exchange, server, JSON.stringify({ event_id: event.id, run_id: event.runIds[0] ?? null }), 202);
  } catch (error) {
    sendProblem(exchange, server, error);
  } finally {
    body.release();
  }
}

/** Guessing addresses or signatures is rate limited like guessing keys. */
async function countGuess(error: unknown, { ip }: Exchange, { rooms }: RegionContext): Promise<never> {
  if (error instanceof Problem && (error.code === "agent_not_found" || error.code === "signature_invalid")) {
    await rooms.limits.admit(["auth_failure"], ip);
  }
  throw error;
}
