import { turnAlone } from "../kernel/work-in-slices.ts";
import { type Answer, type EventLoopYield, type Pause, StepFailed, type StepRequest } from "./work.ts";

/**
 * Drives a generator of requests: sends each request and passes the answer back, until the generator returns. An error
 * that `send` returns is thrown into the generator, which may handle it. An error that `send` throws ends the work. Where it
 * yields the event loop, others are served first.
 */
export async function drive<Request extends object, T>(
  work: Generator<Request | EventLoopYield, T, Answer>,
  send: (request: Request) => Promise<Answer | Error>,
): Promise<T> {
  let next = work.next();
  while (!next.done) {
    if ("yieldsEventLoop" in next.value) {
      await turnAlone();
      next = work.next(emptyAnswer);
      continue;
    }
    const answer = await send(next.value);
    next = answer instanceof Error ? work.throw(answer) : work.next(answer);
  }
  return next.value;
}

/** The answer to a pause, or to a yield of the event loop. */
export const emptyAnswer: Answer = { status: 0, headers: {}, body: null, bytes: 0 };

/** For a sender whose work may continue after a failed step: any other error ends it. */
export function asFailure(error: unknown): StepFailed {
  if (error instanceof StepFailed) return error;
  throw error;
}

/** For work that must not wait: a drop-down, or resolving a name. */
export function requireRequest(request: StepRequest | Pause): StepRequest {
  if ("pauseSeconds" in request) throw new Error(`This work must not wait for ${request.why}.`);
  return request;
}
