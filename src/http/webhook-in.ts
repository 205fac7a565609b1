import type { FastifyInstance } from "fastify";
import type { RegionContext } from "../calls/call.ts";
import { mark } from "../kernel/loop-watch.ts";
import { Problem } from "../kernel/problem.ts";
import { bytesOf } from "./edge/bodies.ts";
import { refuseEarly } from "./edge/refuse-request.ts";
import { answerJson, answerProblem, type Counter, type Exchange, serveNextTurn } from "./exchange.ts";
import type { Metrics } from "./metrics.ts";

/** Takes no API key: whoever sends here knows the address, and signs what they send. */
export const webhookPath = "/latest/agents/{agent_id}/webhook/{webhook_token}";
export const webhookRoute = webhookPath.replace(/\{(\w+)\}/g, ":$1");

const bodyBytesMax = 4 * 1024 * 1024;
const name = webhookPath.slice("/latest/".length);

export function serveWebhooks(app: FastifyInstance, context: RegionContext, counter: Counter, metrics: Metrics): void {
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
        seen: { operation: name },
        startedAt,
        request: raw,
        response: reply.raw,
      };
      serveNextTurn(() => void take(exchange, address, context, counter));
    },
    handler: () => {
      throw new Error("An event was left to the framework.");
    },
  });
}

/** The bytes are handed on as they came: the signature is over them, and not over what they say. */
async function take(
  exchange: Exchange,
  address: { agent_id: string; webhook_token: string },
  context: RegionContext,
  counter: Counter,
): Promise<void> {
  const body = bytesOf(exchange.request, bodyBytesMax, counter.bodies);
  try {
    refuseEarly(exchange.request, bodyBytesMax);
    mark("an event", exchange.seen);
    context.store.shareReads();
    const signature = exchange.request.headers["x-vercel-signature"];
    const event = await context.rooms.webhooks
      .receive({
        agentId: address.agent_id,
        token: address.webhook_token,
        signature: typeof signature === "string" ? signature : undefined,
        // An address that nobody has costs no memory; a known one has its own share, which takes nothing from its organization's.
        readBytes: async (agentId) => {
          const bytes = body.received() ?? (await body.read({ organization: agentId }));
          mark("an event", exchange.seen);
          return bytes;
        },
      })
      .catch((error) => countGuess(error, exchange, context));
    exchange.seen.projectId = event.projectId;
    answerJson(exchange, counter, JSON.stringify({ event_id: event.id, run_id: event.runIds[0] ?? null }), 202);
  } catch (error) {
    answerProblem(exchange, counter, error);
  } finally {
    body.release();
  }
}

/** Whoever tries addresses or signatures is slowed down like one who tries keys. */
function countGuess(error: unknown, { ip }: Exchange, { rooms }: RegionContext): never {
  if (error instanceof Problem && (error.code === "agent_not_found" || error.code === "signature_invalid")) {
    rooms.limits.admit(["auth_failure"], ip);
  }
  throw error;
}
