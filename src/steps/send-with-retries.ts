import { isLarge, writeInSlices } from "../kernel/write-in-slices.ts";
import { type Answer, type Done, type Failure, StepFailed, type StepRequest } from "../systems/work.ts";
import type { Connection, Token } from "../vault/vault.ts";
import { type Envelope, envelopeOf } from "./address-request.ts";
import { decide, type RetryState } from "./decide-resend.ts";
import { enforcePolicy } from "./enforce-policy.ts";
import type { Gathered, StepCall, StepPorts } from "./ports.ts";
import type { Redirect } from "./read-redirect.ts";
import { type Failed, sendOnce } from "./send-once.ts";

/** Judges a request by the current policy; null for our own lookups, which skip it. */
type Judge = ((request: StepRequest) => Promise<void>) | null;

/**
 * Sends one request of a step: policy, limits, token, a second check after a wait, journal, transport, answer. The
 * order matters: a request that may not be sent counts against no limit, and every request that is sent counts.
 */
export async function sendRequest(
  wanted: StepRequest,
  call: StepCall,
  ports: StepPorts,
  gathered: Gathered,
): Promise<Answer> {
  const { system } = call.step;
  gathered.checkedAt ??= performance.now();
  const request = system.complete(wanted, call.connection.identity);
  const lookUp = (question: StepRequest) =>
    sendAllowed(system.complete(question, call.connection.identity), null, call, ports, gathered);
  const judge = (judged: StepRequest) => enforcePolicy(judged, system, call.connection, lookUp);
  await judge(request);
  return await sendAllowed(request, judge, call, ports, gathered);
}

/** "Redirects: each judged, counted, noted": a hop is a request like the first. Our own lookups follow none. */
async function sendAllowed(
  first: StepRequest,
  judge: Judge,
  call: StepCall,
  ports: StepPorts,
  gathered: Gathered,
): Promise<Answer> {
  let request = first;
  // Megabytes are serialized with turns of the event loop in between.
  const json = isLarge(request.body) ? await writeInSlices(request.body) : undefined;
  let envelope = envelopeOf(request, call.connection, json);
  for (let hops = 1; ; hops++) {
    const sending = { request, envelope, hops: judge && hops };
    const { answer, redirect } = await sendUntilAnswered(sending, judge, call, ports, gathered);
    if (!redirect) return answer;
    request = redirect.request;
    envelope = { ...envelope, target: redirect.target };
    await judge?.(request);
  }
}

interface Sending {
  request: StepRequest;
  envelope: Envelope;
  hops: number | null;
}

async function sendUntilAnswered(
  sending: Sending,
  judge: Judge,
  call: StepCall,
  ports: StepPorts,
  gathered: Gathered,
): Promise<{ answer: Answer; redirect?: Redirect }> {
  const { request } = sending;
  const tried: RetryState = { failures: 0, waits: 0, freshToken: false, lost: false };
  let refused: Token | undefined;
  for (;;) {
    const outcome = await sendOnce({ ...sending, refused }, call, ports, gathered);
    if (outcome === "too late") continue;
    if (outcome === "changed") {
      await judge?.(request);
      continue;
    }
    if (!("failure" in outcome)) {
      if (tried.lost && request.effect !== "read") note(gathered, repeated);
      return outcome;
    }
    if (isLost(outcome)) {
      tried.lost = true;
      if (judge && request.effect !== "read" && request.idempotent) await endIfDone(call, gathered);
    }
    if (tried.lost && isGone(request, outcome)) {
      note(gathered, "The record is gone. The first response was lost, so this call has probably deleted it.");
      return outcome;
    }
    const time = { millisecondsLeft: call.waitUntil.getTime() - ports.now().getTime(), random: ports.random() };
    const decision = decide(request, outcome.failure, tried, time);
    if (decision.verdict === "fail" && tried.lost && request.effect !== "read") note(gathered, lostBefore);
    if (decision.verdict === "fail") throw await giveUp(decision.failure, outcome.answer, call.connection, ports);
    if (decision.counts === "token") {
      tried.freshToken = true;
      refused = outcome.token;
    } else if (decision.counts === "wait") tried.waits++;
    else tried.failures++;
    if (decision.afterMilliseconds > 0) await ports.sleep(decision.afterMilliseconds);
  }
}

const repeated = "The first response was lost, so the request was sent again. This is the response to the repeat.";
const lostBefore = "The first response was lost: this call may have made the change itself.";

function note(gathered: Gathered, sentence: string): void {
  gathered.notes = [...(gathered.notes ?? []), sentence];
}

/** A probe has shown that the whole step happened: there is nothing more to send. */
export class FoundDone extends Error {
  readonly done: Done<unknown>;

  constructor(done: Done<unknown>) {
    super("It has happened already.");
    this.done = done;
  }
}

async function endIfDone({ probe }: StepCall, gathered: Gathered): Promise<void> {
  const sent = gathered.attempts.findLast(({ effect }) => effect !== "read");
  if (!probe || !sent) return;
  const { done, attempts } = await probe(new Date(sent.sent_at));
  gathered.attempts.push(...attempts);
  if (done) throw new FoundDone(done);
}

/** Sent, and never answered. A redirect counts as an answer. */
const isLost = ({ failure, answer }: Failed): boolean =>
  answer === null && failure.done === "maybe" && failure.code !== "invalid_there";

/** A delete that is repeated after a lost answer, and finds nothing to delete. */
const isGone = (request: StepRequest, outcome: Failed): outcome is Failed & { answer: Answer } =>
  request.effect === "delete" && outcome.failure.recordIsAbsent === true && outcome.answer !== null;

async function giveUp(
  failure: Failure,
  answer: Answer | null,
  connection: Connection,
  ports: StepPorts,
): Promise<StepFailed> {
  if (failure.code === "needs_reconnect") await ports.vault.lost(connection, failure.detail);
  return new StepFailed(failure, answer);
}
