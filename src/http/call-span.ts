import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import type { CallSeen } from "../calls/received-call.ts";
import { isTracing, type Span, startSpan, withinSpan } from "../kernel/tracing.ts";

/** What a span needs of a request. */
interface TracedRequest {
  id: string;
  request: IncomingMessage;
  seen: CallSeen;
  span?: Span | null;
}

/** Serves a request inside a span, which continues the caller's trace. `recordResponse` ends it. */
export function serveInSpan(exchange: TracedRequest, route: string, serve: () => Promise<void>): void {
  if (!isTracing()) return void serve();
  const { method = "", headers } = exchange.request;
  exchange.span = startSpan(`${method} ${route}`, "server", parentIn(headers));
  exchange.span?.set({ "http.request.method": method, "http.route": route, "signalbox.request_id": exchange.id });
  void withinSpan(exchange.span, serve);
}

const parentIn = ({ traceparent, tracestate }: IncomingHttpHeaders) => ({
  traceparent: typeof traceparent === "string" ? traceparent : undefined,
  tracestate: typeof tracestate === "string" ? tracestate : undefined,
});

/** Ids and numbers of our own; nothing that the caller wrote. */
export function endCallSpan({ span, seen }: TracedRequest, region: string, status: number): void {
  if (!span) return;
  span.set({
    "signalbox.region": region,
    "signalbox.organization_id": seen.organizationId,
    "signalbox.project_id": seen.projectId,
    "http.response.status_code": status,
    "signalbox.problem": seen.problem,
  });
  span.end(status >= 500 ? (seen.problem ?? String(status)) : undefined);
}
