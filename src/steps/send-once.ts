import type { Permit } from "../limits/limits.ts";
import type { Demand, ReportedLimit } from "../systems/define.ts";
import { failed } from "../systems/failed.ts";
import { type Answer, type Failure, StepFailed, type StepRequest } from "../systems/work.ts";
import { CapacityExhausted, type Release, SendFailed, TooLate } from "../transport/outbound.ts";
import { redact } from "../transport/redact.ts";
import { isRedirect } from "../transport/redirects.ts";
import type { Token } from "../vault/vault.ts";
import { attemptOf, noteAnswer, noteFailure, noteLimits, showBodies } from "./attempts.ts";
import { failureOfSending } from "./decide.ts";
import type { Envelope } from "./envelope.ts";
import { LeaseLost } from "./fence.ts";
import { isOld, lookAgain } from "./look-again.ts";
import { type Attempt, type Gathered, type StepCall, type StepPorts, workOf } from "./ports.ts";
import { type Onward, onwardFrom } from "./redirect.ts";

const callMillisecondsMax = 60_000;
/** What is sent at all gets the time to arrive. */
const millisecondsMin = 100;
/** For one of the organization's places in this process. A permit is stale soon after that. */
const placeMilliseconds = 20_000;
/** A token that lies in memory takes no turn of the event loop; one that has to be read or fetched does. */
const atOnceMilliseconds = 10;
/**
 * A process that slept after noting a write must not send it: whoever took its run over believes ten seconds after the note
 * that what is not there will not come any more. It notes it anew instead, and so learns whether the run is still its own.
 */
const intendMillisecondsMax = 8_000;

/** One try of a request. */
export interface Try {
  request: StepRequest;
  envelope: Envelope;
  /** Which place in a row it would be sent on to; null where redirects are not followed. */
  hops: number | null;
  /** The token that the system did not take. */
  refused: Token | undefined;
}

export type Failed = { failure: Failure; answer: Answer | null; token: Token };

/**
 * "too late": getting a token, or noting the write, took so long that what was kept for the call is others' by now.
 * "changed": it had to wait, and the connection's policy is another one by now.
 */
export type Outcome = { answer: Answer; onward?: Onward } | Failed | "too late" | "changed";

/** Counted, signed, judged, noted, sent and read, once. */
export async function sendOnce(tried: Try, call: StepCall, ports: StepPorts, gathered: Gathered): Promise<Outcome> {
  if (ports.now() >= call.stayUntil) {
    throw new StepFailed(failed("timed_out", "give up", "The time for this step is over."), null);
  }
  const { demands, permit } = await admit(tried, call, ports);
  let landed: Landed = { told: [], counts: false };
  let leave: Release | null = null;
  try {
    const askedAt = performance.now();
    const token = await ports.vault.token(call.connection, tried.refused);
    const place = ports.outbound.acquire(call.connection.organizationId, placeMilliseconds);
    leave = typeof place === "function" ? place : await inTime(place);
    if (permit.isStale()) return "too late";
    const hasWaited = permit.hasQueued || performance.now() - askedAt > atOnceMilliseconds;
    // Whatever was sent before was waited for.
    const isLookDue = hasWaited || gathered.attempts.length > 0 || isOld(gathered);
    if (isLookDue && (await lookAgain(call, ports, gathered))) return "changed";
    const noted = attemptOf(tried.request, tried.envelope, ports.now(), permit.waitedMilliseconds, demands);
    gathered.attempts.push(noted);
    if (tried.request.effect !== "read") {
      const stopped = await intend(noted, permit, call, ports, gathered);
      if (stopped) return stopped;
    }
    landed = { told: [], counts: true };
    const outcome = await send(tried, token, call, ports, noted);
    landed = outcome.landed;
    return outcome.outcome;
  } finally {
    leave?.();
    await permit.settle(landed.told, landed.counts ? "arrived" : "never sent", landed.atWorkMilliseconds);
  }
}

/** What the limits hear of a call that is over. */
interface Landed {
  told: ReportedLimit[];
  counts: boolean;
  /** Our own time-out ended it, and the system may be at it so much longer. */
  atWorkMilliseconds?: number;
}

const inTime = (place: Promise<Release>): Promise<Release> =>
  place.catch((error) => {
    if (!(error instanceof CapacityExhausted)) throw error;
    throw new StepFailed(failed("rate_limited", "give up", error.message, { waitSeconds: 5, remedy: fewer }), null);
  });
const fewer = "Call again when fewer calls of the organization are under way.";

/** A write is durable as an intent before it leaves. Answers why it may not leave all the same. */
async function intend(
  noted: Attempt,
  permit: Permit,
  call: StepCall,
  ports: StepPorts,
  gathered: Gathered,
): Promise<"too late" | "changed" | null> {
  showBodies(gathered.attempts);
  const intendedAt = performance.now();
  // The limits hear of it at the same time: what may have left keeps its places though this process should die.
  const leaving = permit.startSend(intendMillisecondsMax + callMilliseconds(call, ports)).catch(() => false);
  const noting = ports.journal.intend(gathered.attempts);
  const [isHeld] = await Promise.all([leaving, noting]);
  const notSent = (why: string) => failed("system_unavailable", "try again", `${why}, and it was not sent.`);
  if (performance.now() - intendedAt > intendMillisecondsMax || permit.isStale() || !isHeld) {
    noteFailure(noted, notSent("Noting it took too long"));
    return "too late";
  }
  if (!isOld(gathered)) return null;
  noteFailure(noted, notSent("It was looked at once more before it was sent"));
  if (await lookAgain(call, ports, gathered)) return "changed";
  delete noted.problem;
  return null;
}

/** A step that may take less than a call gets less. */
const callMilliseconds = (call: StepCall, ports: StepPorts): number =>
  Math.min(callMillisecondsMax, Math.max(millisecondsMin, call.stayUntil.getTime() - ports.now().getTime()));

async function send(
  { request, envelope, hops }: Try,
  token: Token,
  call: StepCall,
  ports: StepPorts,
  noted: Attempt,
): Promise<{ outcome: Outcome; landed: Landed }> {
  const { system } = call.step;
  const milliseconds = callMilliseconds(call, ports);
  const result = await exchange(envelope, token, request, call, ports, noted, milliseconds);
  if (result instanceof SendFailed) {
    const failure = failureOfSending(result, request);
    const counts = result.sent === "maybe";
    // What has closed the connection has given up the call, as far as anybody can tell; what was silent may be at it.
    const atWorkMilliseconds =
      counts && result.reason === "timed out" ? Math.max(0, system.worksSecondsMax * 1000 - milliseconds) : 0;
    return { outcome: { failure, answer: null, token }, landed: { told: [], counts, atWorkMilliseconds } };
  }
  const told = atOurTime(system.reportedLimits(result, request, envelope.origin, call.connection.identity), ports);
  noteLimits(noted, told);
  if (isRedirect(result)) {
    const onward = onwardFrom({ request, envelope, hops }, result, system);
    if (!(onward instanceof SendFailed)) return { outcome: { answer: result, onward }, landed: { told, counts: true } };
    const failure = failureOfSending(onward, request);
    noteFailure(noted, failure);
    return { outcome: { failure, answer: null, token }, landed: { told, counts: true } };
  }
  const failure = withoutToken(system.failure(result, request), token);
  if (!failure) return { outcome: { answer: result }, landed: { told, counts: true } };
  noteFailure(noted, failure);
  return { outcome: { failure, answer: result, token }, landed: { told, counts: !failure.uncounted } };
}

/** A sentence, and not what a system puts into megabytes. */
const wordsMax = 2_000;
const cut = (text: string): string => (text.length > wordsMax ? `${text.slice(0, wordsMax)}…` : text);

/** A system may repeat what it refuses. */
const withoutToken = (failure: Failure | null, { value }: Token): Failure | null =>
  failure && {
    ...failure,
    detail: String(redact(cut(failure.detail), [value.reveal()])),
    ...(failure.remedy === undefined ? {} : { remedy: cut(failure.remedy) }),
    ...(failure.systemCode === undefined ? {} : { systemCode: cut(failure.systemCode) }),
  };

const isSpan = ({ resetsInSeconds }: ReportedLimit): boolean => resetsInSeconds !== undefined;

function atOurTime(told: ReportedLimit[], ports: StepPorts): ReportedLimit[] {
  if (!told.some(isSpan)) return told;
  const now = ports.now().getTime();
  return told.map(({ resetsInSeconds, ...each }) =>
    resetsInSeconds === undefined ? each : { ...each, resetsAt: new Date(now + resetsInSeconds * 1000) },
  );
}

async function admit(
  { request, envelope }: Try,
  call: StepCall,
  ports: StepPorts,
): Promise<{ demands: readonly Demand[]; permit: Permit }> {
  const { connection, callerId, runId } = call;
  const demands = call.step.system.demands(request, envelope.origin, connection);
  const { organizationId, projectId, id: connectionId } = connection;
  const caller = { id: callerId, organizationId, projectId, connectionId, runId };
  const sending = { milliseconds: callMilliseconds(call, ports), isAnnounced: request.effect !== "read" };
  return { demands, permit: await ports.limits.admit(demands, caller, call.waitUntil, sending) };
}

async function exchange(
  envelope: Envelope,
  token: Token,
  request: StepRequest,
  call: StepCall,
  ports: StepPorts,
  noted: Attempt,
  milliseconds: number,
): Promise<Answer | SendFailed> {
  const startedAt = performance.now();
  const secret = token.value.reveal();
  try {
    const answer = await ports.outbound.send({
      principal: envelope.principal,
      origin: envelope.origin,
      method: request.method,
      target: envelope.target,
      headers: { ...envelope.headers, authorization: `Bearer ${secret}` },
      ...(envelope.body === undefined ? {} : { body: envelope.body }),
      // A report over years, or three hundred leads, may keep a system thinking for most of a minute.
      headersMilliseconds: milliseconds,
      totalMilliseconds: milliseconds,
      secret,
      redirects: "hand over",
      work: workOf(call),
      ...(request.effect === "read" ? {} : { mayBegin: () => call.fence?.isHeld() === true }),
    });
    noteAnswer(noted, answer, performance.now() - startedAt, token.value, request.hides);
    return answer;
  } catch (error) {
    if (!(error instanceof SendFailed)) throw error;
    if (error instanceof TooLate) throw new LeaseLost(call.runId);
    noteFailure(noted, failureOfSending(error, request));
    return error;
  }
}
