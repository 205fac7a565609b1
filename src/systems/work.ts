import type { Identity } from "./account.ts";
import type { Retry, StepProblemCode } from "./problems.ts";

/** What a step sends, what comes back, and how it goes on from there. */

/** What a request does to the world: it decides about retries, approvals, hints to agents and the audit log. */
export type Effect = "read" | "create" | "update" | "delete" | "send";

export const methods = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"] as const;
export type Method = (typeof methods)[number];

export type QueryValue = string | number | boolean | readonly (string | number | boolean)[];
export type Query = Readonly<Record<string, QueryValue>>;

/** One request to a system, without address and credential: those are attached where it is sent. */
export interface StepRequest {
  method: Method;
  /** Which of the system's addresses it goes to; `main` where there is one only. */
  api: string;
  /** From the origin on: begins with a slash, its segments are encoded, and it holds no query. */
  path: string;
  query?: Query;
  headers?: Readonly<Record<string, string>>;
  /** A JSON value, or the fields of a form. */
  body?: unknown;
  form?: true;
  /** Members of the body whose values are sent and kept nowhere. */
  hides?: readonly string[];
  effect: Effect;
  /** Sent twice, it leaves the world as if sent once. Every read does. */
  idempotent: boolean;
}

/** What came back, whatever its status: the body is the parsed JSON where it is JSON, and text otherwise. */
export interface Answer {
  status: number;
  /** Names in lower case. */
  headers: Readonly<Record<string, string>>;
  body: unknown;
  /** Length of the body after decompression. */
  bytes: number;
}

/** An answer that is not a success, read by its system: the status alone tells too little. */
export interface Failure {
  code: StepProblemCode;
  /** A sentence for a person, with the system's own words in it. */
  detail: string;
  /** Where the general remedy of the code says too little. */
  remedy?: string;
  /** Whether the same call may be made again, where the code's own word would be wrong. */
  retry?: Retry;
  /** What may help before giving up. */
  cure: "give up" | "fresh token" | "wait" | "try again";
  /** With "wait": how long, where the system says so. */
  waitSeconds?: number;
  /** Whether the system may have done it all the same. */
  done: "no" | "maybe";
  /** The system does not count calls that it refuses so against its limits. */
  uncounted?: true;
  /** The system's own code, for programs that know it. */
  systemCode?: string;
}

/** Thrown into a step's work where an answer is a failure and nothing helped; a step may catch it and look elsewhere. */
export class StepFailed extends Error {
  readonly failure: Failure;
  /** Null where no answer came at all. */
  readonly answer: Answer | null;

  constructor(failure: Failure, answer: Answer | null) {
    super(failure.detail);
    this.name = "StepFailed";
    this.failure = failure;
    this.answer = answer;
  }
}

/** Come back after a while: a deployment is still building. */
export interface Pause {
  pauseSeconds: number;
  /** What is waited for, as a person would say it. */
  why: string;
}

export interface Done<O> {
  output: O;
  warnings?: string[];
}

/**
 * A step at work: it yields requests and pauses, is handed the answers, and returns its output. Run again with the answers
 * it was given before, it yields the same requests, so a journal of answers is enough to go on after a crash.
 */
export type Work<T> = Generator<StepRequest | Pause, T, Answer>;

/** `const answer = yield* send({...})` */
export function* send(request: StepRequest): Work<Answer> {
  return yield request;
}

export function* pause(pauseSeconds: number, why: string): Work<void> {
  yield { pauseSeconds, why };
}

/** What a step may know beside its input. */
export interface StepContext {
  /** The same on every attempt of one step of one run: a mark to leave in what is created, to find it again. */
  intentId: string;
  now: Date;
  /** Who the connection acts as, as its system told. */
  identity: Identity;
}
