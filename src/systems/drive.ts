import { type Answer, type Pause, StepFailed, type StepRequest } from "./work.ts";

/**
 * Drives work that yields what it asks for: sends each request and hands the answer back, until the work returns. An error that
 * `send` returns is thrown into the work, which may know another way. An error that `send` throws ends the work.
 */
export async function drive<Asked, T>(
  work: Generator<Asked, T, Answer>,
  send: (asked: Asked) => Promise<Answer | Error>,
): Promise<T> {
  let next = work.next();
  while (!next.done) {
    const answer = await send(next.value);
    next = answer instanceof Error ? work.throw(answer) : work.next(answer);
  }
  return next.value;
}

/** The answer to a pause, which has none. */
export const emptyAnswer: Answer = { status: 0, headers: {}, body: null, bytes: 0 };

/** For a sender whose work may go on after a failed step: any other error ends it. */
export function asFailure(error: unknown): StepFailed {
  if (error instanceof StepFailed) return error;
  throw error;
}

/** For work that must not wait: a drop-down, a look at a name. */
export function requireRequest(asked: StepRequest | Pause): StepRequest {
  if ("pauseSeconds" in asked) throw new Error(`This work must not wait for ${asked.why}.`);
  return asked;
}
