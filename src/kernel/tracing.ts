import { AsyncLocalStorage } from "node:async_hooks";

/**
 * Traces across calls, steps, requests, runs and webhooks. Without a tracer (the default) every function here is one
 * comparison. `start/telemetry` sets the tracer where a collector is configured.
 *
 * Attributes are ids, words and numbers of our own. A secret, a query, a path that a caller chose or a person's address
 * is never one.
 */

export type SpanKind = "server" | "client" | "internal" | "producer" | "consumer";

/** What a span knows of a caller elsewhere: the headers of W3C Trace Context. */
export interface RemoteParent {
  traceparent: string | undefined;
  tracestate?: string | undefined;
}

export interface Span {
  readonly traceId: string;
  /** The header for whatever this span causes. */
  readonly traceparent: string;
  readonly tracestate: string | undefined;
  set(attributes: Record<string, string | number | undefined>): void;
  /** `problem` is the code of what failed. */
  end(problem?: string): void;
}

export interface Tracer {
  start(name: string, kind: SpanKind, parent: Span | RemoteParent | null): Span;
}

let tracer: Tracer | null = null;
const current = new AsyncLocalStorage<Span | null>();

/** Null ends tracing. */
export function setTracer(next: Tracer | null): void {
  tracer = next;
}

export const isTracing = (): boolean => tracer !== null;

export const currentSpan = (): Span | null => (tracer === null ? null : (current.getStore() ?? null));

/** Begins a trace, or continues the one of a caller elsewhere. Null without a tracer. */
export const startSpan = (name: string, kind: SpanKind, parent: RemoteParent | null): Span | null =>
  tracer === null ? null : tracer.start(name, kind, parent);

/** A part of the current work. Null without a tracer, and outside of any trace. */
export function startChild(name: string, kind: SpanKind): Span | null {
  if (tracer === null) return null;
  const parent = current.getStore();
  return parent ? tracer.start(name, kind, parent) : null;
}

/** Runs work inside a span; without one, it just runs. */
export const withinSpan = <T>(span: Span | null, work: () => T): T =>
  span === null ? work() : current.run(span, work);

/** The header to store beside work that somebody does later, perhaps in another process. */
export const traceToKeep = (): string | undefined => currentSpan()?.traceparent;

/** Work that a batch runs later, in the trace of the caller that handed it in. */
export function keepTrace<A extends unknown[], T>(work: (...given: A) => T): (...given: A) => T {
  if (tracer === null) return work;
  const span = current.getStore() ?? null;
  return (...given) => current.run(span, () => work(...given));
}
