import { isLarge, writeInSlices } from "../kernel/write-in-slices.ts";
import { type Answer, type Failure, StepFailed, type StepRequest } from "../systems/work.ts";
import type { Connection, Token } from "../vault/vault.ts";
import { type Envelope, envelopeOf } from "./address-request.ts";
import { decide, type RetryState } from "./decide-resend.ts";
import { enforcePolicy } from "./enforce-policy.ts";
import { endOfWrite, isGone, type LostTries, noLostTries, noteRepeat, remember } from "./lost-tries.ts";
import type { Gathered, StepCall, StepPorts } from "./ports.ts";
import type { Redirect } from "./read-redirect.ts";
import { sendOnce } from "./send-once.ts";

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

async function sendAllowed(
  first: StepRequest,
  judge: Judge,
  call: StepCall,
  ports: StepPorts,
  gathered: Gathered,
): Promise<Answer> {
  const lost = noLostTries();
  try {
    return await sendAlongRedirects(first, judge, lost, call, ports, gathered);
  } catch (error) {
    throw error instanceof StepFailed ? await endOfWrite(lost, first, error, call, gathered) : error;
  }
}

/** "Redirects: each judged, counted, noted": a hop is a request like the first. Our own lookups follow none. */
async function sendAlongRedirects(
  first: StepRequest,
  judge: Judge,
  lost: LostTries,
  call: StepCall,
  ports: StepPorts,
  gathered: Gathered,
): Promise<Answer> {
  let request = first;
  // Megabytes are serialized with turns of the event loop in between.
  const json = isLarge(request.body) ? await writeInSlices(request.body) : undefined;
  let envelope = envelopeOf(request, call.connection, json);
  for (let hops = 1; ; hops++) {
    const sending = { request, envelope, hops: judge && hops, lost };
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
  lost: LostTries;
}

async function sendUntilAnswered(
  { lost, ...sending }: Sending,
  judge: Judge,
  call: StepCall,
  ports: StepPorts,
  gathered: Gathered,
): Promise<{ answer: Answer; redirect?: Redirect }> {
  const { request } = sending;
  const tried: RetryState = { failures: 0, waits: 0, freshToken: false };
  let refused: Token | undefined;
  for (;;) {
    const outcome = await sendOnce({ ...sending, refused }, call, ports, gathered);
    if (outcome === "too late") continue;
    if (outcome === "changed") {
      await judge?.(request);
      continue;
    }
    if (!("failure" in outcome)) {
      if (!outcome.redirect) noteRepeat(lost, gathered);
      return outcome;
    }
    const { failure, answer } = outcome;
    await remember(lost, request, outcome, call, gathered);
    if (answer !== null && isGone(lost, request, failure, gathered)) return { answer };
    const time = { millisecondsLeft: call.waitUntil.getTime() - ports.now().getTime(), random: ports.random() };
    const next = decide(request, failure, tried, time);
    if (next === "give up") throw await giveUp(failure, answer, call.connection, ports);
    if (next.counts === "token") {
      tried.freshToken = true;
      refused = outcome.token;
    } else if (next.counts === "wait") tried.waits++;
    else tried.failures++;
    if (next.afterMilliseconds > 0) await ports.sleep(next.afterMilliseconds);
  }
}

async function giveUp(
  failure: Failure,
  answer: Answer | null,
  connection: Connection,
  ports: StepPorts,
): Promise<StepFailed> {
  if (failure.code === "needs_reconnect") await ports.vault.lost(connection, failure.detail);
  return new StepFailed(failure, answer);
}
