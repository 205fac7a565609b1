import type { Identity } from "./account.ts";
import type { Fault, Retry, StepProblemCode } from "./step-problems.ts";

/** What a step sends, what it receives, and how it continues. */

/** What a request does: it decides about retries, approvals, hints to agents and the audit log. */
export type Effect = "read" | "create" | "update" | "delete" | "send";

export const methods = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"] as const;
export type Method = (typeof methods)[number];

export type QueryValue = string | number | boolean | readonly (string | number | boolean)[];
export type Query = Readonly<Record<string, QueryValue>>;

/** One request to a system, without address and credential: the sender adds those. */
export interface StepRequest {
  method: Method;
  /** Which of the system's APIs it goes to; `main` if there is only one. */
  api: string;
  /** Without the origin: starts with a slash, its segments are encoded, and it has no query. */
  path: string;
  query?: Query;
  headers?: Readonly<Record<string, string>>;
  /** A JSON value, or the fields of a form. */
  body?: unknown;
  form?: true;
  /** Members of the body whose values are sent and never stored. */
  hides?: readonly string[];
  effect: Effect;
  /** Sent twice, it has the effect of once. Every read is idempotent. */
  idempotent: boolean;
  /** In a probe: that the record is not there is an answer, and does not end the probe. */
  mayBeAbsent?: true;
}

/** A response with any status: the body is parsed if it is JSON, and text otherwise. */
export interface Answer {
  status: number;
  /** Names in lower case. */
  headers: Readonly<Record<string, string>>;
  body: unknown;
  /** Length of the body after decompression. */
  bytes: number;
}

/** An answer that is not a success, interpreted by its system: the status alone is not enough. */
export interface Failure {
  code: StepProblemCode;
  /** A sentence for a person, with the system's own message. */
  detail: string;
  /** Set if the general remedy of the code is not enough. */
  remedy?: string;
  /** Whether the same call may be retried, if it differs from the code's default. */
  retry?: Retry;
  /** What may help before giving up. */
  cure: "give up" | "fresh token" | "wait" | "try again";
  /** With "wait": how long, if the system says so. */
  waitSeconds?: number;
  /** Whether the system may have done it anyway. */
  done: "no" | "maybe";
  /** With `not_found_there`: the record itself is missing, not the endpoint or something around the record. */
  recordIsAbsent?: true;
  /** The system does not count such refusals against its limits. */
  uncounted?: true;
  /** The system's own code, for programs that know it. */
  systemCode?: string;
  /** Who can fix it, if it differs from the code's default. */
  fault?: Fault;
}

/** Thrown into a step's work if an answer is a failure and nothing helped; a step may catch it and try another way. */
export class StepFailed extends Error {
  readonly failure: Failure;
  /** Null without an answer. */
  readonly answer: Answer | null;
  /** What the step knows of the record although it failed; it becomes the output in place of the answer. */
  readonly output: unknown;

  constructor(failure: Failure, answer: Answer | null, output: unknown = null) {
    super(failure.detail);
    this.name = "StepFailed";
    this.failure = failure;
    this.answer = answer;
    this.output = output;
  }
}

/** Continue after a while: a deployment is still building. */
export interface Pause {
  pauseSeconds: number;
  /** What it waits for, for people. */
  why: string;
}

/** Yields the event loop to other work: work on very many items does so now and then. */
export interface EventLoopYield {
  yieldsEventLoop: true;
}

export const eventLoopYield: EventLoopYield = { yieldsEventLoop: true };
/** So many items are worked on before the event loop is yielded. */
export const itemsInSlice = 2_000;

export interface Done<O> {
  output: O;
  warnings?: string[];
}

/**
 * A running step: it yields requests, pauses and the event loop, receives the answers, and returns its output. Run again with the same
 * answers, it yields the same requests, so a journal of answers suffices to continue after a crash.
 */
export type Work<T> = Generator<StepRequest | Pause | EventLoopYield, T, Answer>;

/** `const answer = yield* send({...})` */
export function* send(request: StepRequest): Work<Answer> {
  return yield request;
}

/** What becomes of each item: none, one or several. Long lists are worked on in slices. */
export function* flatMapInSlices<T, R>(
  items: readonly T[],
  become: (item: T) => readonly R[],
): Generator<EventLoopYield, R[], Answer> {
  const made: R[] = [];
  for (const [index, item] of items.entries()) {
    if (index % itemsInSlice === itemsInSlice - 1) yield eventLoopYield;
    for (const each of become(item)) made.push(each);
  }
  return made;
}

export function* pause(pauseSeconds: number, why: string): Work<void> {
  yield { pauseSeconds, why };
}

/** What a step may know beside its input. */
export interface StepContext {
  /** The same on every attempt of one step of one run: a marker to store in created records, to find them again. */
  intentId: string;
  now: Date;
  /** Who the connection acts as, as its system reported. */
  identity: Identity;
}
