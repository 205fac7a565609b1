import {
  type Answer,
  type Demand,
  type Failure,
  type LimitTold,
  StepFailed,
  type StepRequest,
} from "../systems/define.ts";
import { failed } from "../systems/failed.ts";
import { SendFailed } from "../transport/outbound.ts";
import { redact } from "../transport/redact.ts";
import type { Connection, Token } from "../vault/vault.ts";
import { attemptOf, noteAnswer, noteFailure, noteLimits, showBodies } from "./attempts.ts";
import { decide, failureOfSending, type Tried } from "./decide.ts";
import { enforcePolicy } from "./enforce-policy.ts";
import { type Envelope, envelopeOf } from "./envelope.ts";
import type { Permit } from "./limits.ts";
import type { Attempt, Gathered, StepCall, StepPorts } from "./ports.ts";

const callMilliseconds = 60_000;
/** What is sent at all gets the time to arrive. */
const millisecondsMin = 100;
/**
 * A process that slept after noting a write must not send it: whoever took its run over believes ten seconds after the note
 * that what is not there will not come any more. It notes it anew instead, and so learns whether the run is still its own.
 */
const intendMillisecondsMax = 8_000;

/**
 * One request, through everything that stands between a step and the outside: policy, limits, token, journal, transport,
 * answer. The order is the policy: nothing is counted for what may not be sent, and nothing is sent that is not counted.
 */
export async function sendAsked(
  asked: StepRequest,
  call: StepCall,
  ports: StepPorts,
  gathered: Gathered,
): Promise<Answer> {
  const { system } = call.step;
  const request = system.complete(asked, call.connection.identity);
  const lookUp = (question: StepRequest) =>
    sendAllowed(system.complete(question, call.connection.identity), call, ports, gathered);
  await enforcePolicy(request, system, call.connection, lookUp);
  return sendAllowed(request, call, ports, gathered);
}

async function sendAllowed(
  request: StepRequest,
  call: StepCall,
  ports: StepPorts,
  gathered: Gathered,
): Promise<Answer> {
  const { connection } = call;
  const envelope = envelopeOf(request, connection);
  const tried: Tried = { troubles: 0, waits: 0, freshToken: false, lost: false };
  let refused: Token | undefined;
  for (;;) {
    const outcome = await attempt(request, envelope, refused, call, ports, gathered);
    if (outcome === "too late") continue;
    if (!("failure" in outcome)) return outcome.answer;
    if (isLost(outcome)) tried.lost = true;
    if (tried.lost && isGone(request, outcome)) {
      gathered.notes = ["It is gone. A first answer was lost, so it was probably this call that deleted it."];
      return outcome.answer;
    }
    const time = { millisecondsLeft: call.waitUntil.getTime() - ports.now().getTime(), random: ports.random() };
    const decision = decide(request, outcome.failure, tried, time);
    if (decision.verdict === "fail") throw await giveUp(decision.failure, outcome.answer, connection, ports);
    if (decision.counts === "token") {
      tried.freshToken = true;
      refused = outcome.token;
    } else if (decision.counts === "wait") tried.waits++;
    else tried.troubles++;
    if (decision.afterMilliseconds > 0) await ports.sleep(decision.afterMilliseconds);
  }
}

type Failed = { failure: Failure; answer: Answer | null; token: Token };

/** Sent, and never answered. A redirect is an answer of its kind. */
const isLost = ({ failure, answer }: Failed): boolean =>
  answer === null && failure.done === "maybe" && failure.code !== "invalid_there";

/** What is repeated because an answer was lost, and is not there to be deleted any more. */
const isGone = (request: StepRequest, outcome: Failed): outcome is Failed & { answer: Answer } =>
  request.effect === "delete" && outcome.failure.code === "not_found_there" && outcome.answer !== null;

/** "too late": getting a token, or noting the write, took so long that what was kept for the call is others' by now. */
type Outcome = { answer: Answer } | Failed | "too late";

/** Counted, signed, noted, sent and read, once. */
async function attempt(
  request: StepRequest,
  envelope: Envelope,
  refused: Token | undefined,
  call: StepCall,
  ports: StepPorts,
  gathered: Gathered,
): Promise<Outcome> {
  const { system } = call.step;
  if (ports.now() >= call.stayUntil) {
    throw new StepFailed(failed("timed_out", "give up", "The time for this step is over."), null);
  }
  const { demands, permit } = await admit(request, envelope, call, ports);
  let told: LimitTold[] = [];
  let counts = false;
  try {
    const token = await ports.vault.token(call.connection, refused);
    if (permit.isStale()) return "too late";
    const noted = attemptOf(request, envelope, ports.now(), permit.waitedMilliseconds, demands);
    gathered.attempts.push(noted);
    if (request.effect !== "read") {
      showBodies(gathered.attempts);
      const intendedAt = performance.now();
      await ports.journal.intend(gathered.attempts);
      if (performance.now() - intendedAt > intendMillisecondsMax || permit.isStale()) {
        noteFailure(noted, failed("system_unavailable", "try again", "Noting it took too long, and it was not sent."));
        return "too late";
      }
    }
    counts = true;
    // A step that may take less than a call gets less.
    const left = Math.max(millisecondsMin, call.stayUntil.getTime() - ports.now().getTime());
    const result = await send(envelope, token, request, ports, noted, Math.min(callMilliseconds, left));
    if (result instanceof SendFailed) {
      counts = result.sent === "maybe";
      return { failure: failureOfSending(result, request), answer: null, token };
    }
    told = system.told(result, request, envelope.origin, call.connection.identity);
    if (told.some(isSpan)) told = told.map((each) => atOurTime(each, ports.now()));
    noteLimits(noted, told);
    const failure = withoutToken(system.failure(result, request), token);
    if (failure) noteFailure(noted, failure);
    if (failure?.uncounted) counts = false;
    return failure ? { failure, answer: result, token } : { answer: result };
  } finally {
    await permit.settle(told, counts ? "arrived" : "never left");
  }
}

/** A system may repeat what it refuses. */
const withoutToken = (failure: Failure | null, { value }: Token): Failure | null =>
  failure && { ...failure, detail: String(redact(failure.detail, [value.reveal()])) };

const isSpan = ({ resetsInSeconds }: LimitTold): boolean => resetsInSeconds !== undefined;

const atOurTime = ({ resetsInSeconds, ...told }: LimitTold, now: Date): LimitTold =>
  resetsInSeconds === undefined ? told : { ...told, resetsAt: new Date(now.getTime() + resetsInSeconds * 1000) };

async function admit(
  request: StepRequest,
  envelope: Envelope,
  call: StepCall,
  ports: StepPorts,
): Promise<{ demands: readonly Demand[]; permit: Permit }> {
  const { connection, callerId, runId } = call;
  const demands = call.step.system.demands(request, envelope.origin, connection);
  const { organizationId, projectId, id: connectionId } = connection;
  const caller = { id: callerId, organizationId, projectId, connectionId, runId };
  return { demands, permit: await ports.limits.admit(demands, caller, call.waitUntil) };
}

async function send(
  envelope: Envelope,
  token: Token,
  request: StepRequest,
  ports: StepPorts,
  noted: Attempt,
  milliseconds: number,
): Promise<Answer | SendFailed> {
  const startedAt = performance.now();
  try {
    const answer = await ports.outbound.send({
      asker: envelope.asker,
      origin: envelope.origin,
      method: request.method,
      target: envelope.target,
      headers: { ...envelope.headers, authorization: `Bearer ${token.value.reveal()}` },
      ...(envelope.body === undefined ? {} : { body: envelope.body }),
      // A report over years, or three hundred leads, may keep a system thinking for most of a minute.
      headersMilliseconds: milliseconds,
      totalMilliseconds: milliseconds,
    });
    noteAnswer(noted, answer, performance.now() - startedAt, token.value, request.hides);
    return answer;
  } catch (error) {
    if (!(error instanceof SendFailed)) throw error;
    noteFailure(noted, failureOfSending(error, request));
    return error;
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
