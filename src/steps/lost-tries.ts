import { type Answer, type Done, type Failure, StepFailed, type StepRequest } from "../systems/work.ts";
import type { Gathered, StepCall } from "./ports.ts";

/*
 * A try of a write may have happened although no answer says so: none came, half of one, or an error of the system
 * itself. What a later try meets, such as a refusal by our own limits or the next error, says nothing about it. So the
 * end of a write remembers such tries: it says what is known, and `outcome_unknown` where nothing is.
 */

/** The tries of one write that may have happened. */
export interface LostTries {
  count: number;
  /** The system may still be working on one of them. */
  mayBeAtWork: boolean;
  /** The first of them was answered with an error of the system. */
  wasAnswered: boolean;
  /** When the first of them was sent; null before. */
  since: Date | null;
  /** What the system showed after the last of them. */
  seen: "did not" | "cannot tell";
}

export const noLostTries = (): LostTries => ({
  count: 0,
  mayBeAtWork: false,
  wasAnswered: false,
  since: null,
  seen: "cannot tell",
});

/** Remembers a try that may have happened. Throws FoundDone if a look shows that it has. */
export async function remember(
  lost: LostTries,
  request: StepRequest,
  { failure, answer }: { failure: Failure; answer: Answer | null },
  call: StepCall,
  gathered: Gathered,
): Promise<void> {
  if (request.effect === "read" || failure.done === "no" || isRefusedRedirect(request, failure)) return;
  if (lost.count === 0) lost.wasAnswered = answer !== null;
  lost.since ??= lastWriteIn(gathered);
  lost.count++;
  // Behind a gateway that gives up (502, 503, 504), or after a time-out, the system may go on.
  if (answer?.status !== 500) lost.mayBeAtWork = true;
  // "Nothing that the system has applied is sent again where a look can tell."
  if (request.idempotent) lost.seen = await look(lost, call, gathered);
}

/** A redirect that is not followed counts as the answer to a write that may be repeated. */
const isRefusedRedirect = ({ idempotent }: StepRequest, { code }: Failure): boolean =>
  idempotent && code === "invalid_there";

/**
 * The end of a write, given what its last try met. It did not happen if the system refuses the very request, or has
 * ended every try with an error, and a look shows no effect. Throws FoundDone if a look shows that it happened.
 */
export async function endOfWrite(
  lost: LostTries,
  request: StepRequest,
  last: StepFailed,
  call: StepCall,
  gathered: Gathered,
): Promise<StepFailed> {
  const { failure } = last;
  if (lost.count === 0) return last;
  if (isRefusal(last) && (await look(lost, call, gathered)) === "did not") return last;
  if (request.idempotent && !lost.mayBeAtWork && lost.seen === "did not") {
    const detail = `${failure.detail} The system shows that the write did not happen.`;
    return new StepFailed(failure.done === "no" ? failure : { ...failure, detail, done: "no" }, last.answer);
  }
  if (request.idempotent) note(gathered, "The first response was lost: this call may have made the change itself.");
  return new StepFailed(unknown(request, failure), last.answer);
}

/** The system does not accept the request as it is, so it has not accepted it before either. */
const isRefusal = ({ failure, answer }: StepFailed): boolean =>
  failure.code === "invalid_there" && failure.done === "no" && answer !== null;

/** For a success that is the response to a repeat. */
export function noteRepeat({ count, wasAnswered }: LostTries, gathered: Gathered): void {
  if (count === 0) return;
  const first = wasAnswered ? "The first response was an error of the system" : "The first response was lost";
  note(gathered, `${first}, so the request was sent again. This is the response to the repeat.`);
}

/** A delete that is repeated after a lost try, and finds nothing to delete. */
export function isGone(
  { count, wasAnswered }: LostTries,
  { effect }: StepRequest,
  { recordIsAbsent }: Failure,
  gathered: Gathered,
): boolean {
  if (count === 0 || effect !== "delete" || recordIsAbsent !== true) return false;
  const first = wasAnswered ? "was an error of the system" : "was lost";
  note(gathered, `The record is gone. The first response ${first}, so this call has probably deleted it.`);
  return true;
}

/** A probe has shown that the whole step happened: there is nothing more to send. */
export class FoundDone extends Error {
  readonly done: Done<unknown>;

  constructor(done: Done<unknown>) {
    super("It has happened already.");
    this.done = done;
  }
}

async function look({ since }: LostTries, { probe }: StepCall, gathered: Gathered): Promise<LostTries["seen"]> {
  const last = lastWriteIn(gathered);
  if (!probe || !last) return "cannot tell";
  const { found, attempts } = await probe({ first: since ?? last, last });
  gathered.attempts.push(...attempts);
  if (found === "did not" || found === "cannot tell") return found;
  throw new FoundDone(found);
}

function lastWriteIn({ attempts }: Gathered): Date | null {
  const sent = attempts.findLast(({ effect }) => effect !== "read");
  return sent ? new Date(sent.sent_at) : null;
}

function note(gathered: Gathered, sentence: string): void {
  gathered.notes = [...(gathered.notes ?? []), sentence];
}

const pathMax = 200;

const unknown = ({ method, path }: StepRequest, failure: Failure): Failure => ({
  code: "outcome_unknown",
  detail: `${method} ${path.slice(0, pathMax)} was sent, and its outcome is not known. ${failure.detail}`,
  cure: "give up",
  done: "maybe",
  ...(failure.systemCode === undefined ? {} : { systemCode: failure.systemCode }),
});
