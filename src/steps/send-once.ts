import { elapsedTime } from "../kernel/elapsed-time.ts";
import type { Permit } from "../limits/limits.ts";
import type { Demand, ReportedLimit } from "../systems/define.ts";
import { failed } from "../systems/fail-step.ts";
import { type Answer, type Failure, StepFailed, type StepRequest } from "../systems/work.ts";
import { CapacityExhausted, type Release, SendFailed, TooLate } from "../transport/outbound.ts";
import { redact } from "../transport/redact.ts";
import { isRedirect } from "../transport/redirect-rules.ts";
import type { Token } from "../vault/vault.ts";
import type { Envelope } from "./address-request.ts";
import { failureOfSending } from "./decide-resend.ts";
import { cutOffUnless, LeaseLost } from "./fence.ts";
import { type Attempt, type Gathered, type StepCall, type StepPorts, workOf } from "./ports.ts";
import { type Redirect, readRedirect } from "./read-redirect.ts";
import { isStale, recheck } from "./recheck-after-wait.ts";
import { attemptOf, noteAnswer, noteFailure, noteLimits, showBodies } from "./record-attempts.ts";
import { stillAtWork, worksMilliseconds } from "./still-at-work.ts";

export const callMillisecondsMax = 60_000;
/** Every request gets at least this much time. */
const millisecondsMin = 100;
/** How long to wait for one of the organization's slots in this process. A permit is stale soon after that. */
const slotMilliseconds = 20_000;
/** A token in memory takes no turn of the event loop; one that must be read or fetched does. */
const atOnceMilliseconds = 10;
/**
 * A process that was paused after recording an intent must not send the write: the reservation ends when the system has
 * given up a write that was sent within this time. So the process is admitted again, and records the intent anew, which
 * shows whether it still holds the run.
 */
const intendMillisecondsMax = 8_000;

/** One attempt at a request. */
export interface Try {
  request: StepRequest;
  envelope: Envelope;
  /** How many redirects the next one would make; null if redirects are not followed. */
  hops: number | null;
  /** The token that the system refused. */
  refused: Token | undefined;
}

export type Failed = { failure: Failure; answer: Answer | null; token: Token };

/**
 * "too late": getting a token, recording the intent or connecting took so long that the reservation may have gone to
 * another call. "changed": the call had to wait, and the connection's policy has changed meanwhile.
 */
export type Outcome = { answer: Answer; redirect?: Redirect } | Failed | "too late" | "changed";

/** Admits, authorizes, checks, records, sends and reads one request, once. */
export async function sendOnce(tried: Try, call: StepCall, ports: StepPorts, gathered: Gathered): Promise<Outcome> {
  if (ports.now() >= call.stayUntil) {
    throw new StepFailed(failed("timed_out", "give up", "The time for this step has run out."), null);
  }
  const { demands, permit } = await admit(tried, call, ports);
  if (permit.hasQueued) ports.meter?.limitWait(call.step.system.id, permit.waitedMilliseconds / 1000);
  let usage: Usage = { reported: [], counts: false };
  let release: Release | null = null;
  try {
    const askedAt = performance.now();
    const token = await ports.vault.token(call.connection, tried.refused);
    const slot = ports.outbound.acquire(call.connection.organizationId, slotMilliseconds);
    release = typeof slot === "function" ? slot : await requireSlot(slot);
    if (permit.isStale()) return "too late";
    const hasWaited = permit.hasQueued || performance.now() - askedAt > atOnceMilliseconds;
    // The call waited for the answer to each earlier request.
    const isCheckDue = hasWaited || gathered.attempts.length > 0 || isStale(gathered);
    if (isCheckDue && (await recheck(call, ports, gathered))) return "changed";
    // Of several calls of a step, the last has the newest figures.
    if (permit.near !== null) gathered.near = permit.near;
    const attempt = attemptOf(tried.request, tried.envelope, ports.now(), permit.waitedMilliseconds, demands);
    gathered.attempts.push(attempt);
    const isInTime = tried.request.effect === "read" ? null : sinceIntent(permit, ports);
    if (isInTime) {
      const stopped = await intend({ request: tried.request, attempt, permit, isInTime }, call, ports, gathered);
      if (stopped) return stopped;
    }
    usage = { reported: [], counts: true };
    const sent = await send(tried, token, call, ports, { attempt, isInTime });
    usage = sent.usage;
    return sent.outcome;
  } finally {
    release?.();
    await permit.settle(usage.reported, usage.counts ? "arrived" : "never sent", usage.atWorkMilliseconds);
  }
}

/** How the limits settle a finished call. */
interface Usage {
  reported: ReportedLimit[];
  counts: boolean;
  /** Our own time-out ended the call; the system may work on it for this much longer. */
  atWorkMilliseconds?: number;
}

const requireSlot = (slot: Promise<Release>): Promise<Release> =>
  slot.catch((error) => {
    if (!(error instanceof CapacityExhausted)) throw error;
    throw new StepFailed(
      failed("rate_limited", "give up", error.message, { waitSeconds: 5, remedy: fewerCalls }),
      null,
    );
  });
const fewerCalls = "Call again when fewer calls of the organization are under way.";

/** A write that is about to be sent. */
interface Write {
  request: StepRequest;
  attempt: Attempt;
  permit: Permit;
  isInTime(): boolean;
}

/** Whether a write still has its reservation from now on, also after a pause of the process or the machine. */
function sinceIntent(permit: Permit, { time = elapsedTime }: StepPorts): () => boolean {
  const intendedAt = time.mark();
  return () => time.millisecondsSince(intendedAt) <= intendMillisecondsMax && !permit.isStale();
}

const notSent = (why: string): Failure => failed("system_unavailable", "try again", `${why}, and it was not sent.`);

/** Makes a write durable as an intent before it is sent. Returns why it may not be sent after all, or null. */
async function intend(
  { request, attempt, permit, isInTime }: Write,
  call: StepCall,
  ports: StepPorts,
  gathered: Gathered,
): Promise<"too late" | "changed" | null> {
  showBodies(gathered.attempts);
  // The limits record it at the same time: a write that may have been sent keeps its reservation even if this process
  // dies. If the store refuses that, the request is not sent, and the attempt says so.
  // The system gives the call up by then, however long we would have waited for its answer.
  const leaving = permit
    .startSend(intendMillisecondsMax + worksMilliseconds(call.step.system, request))
    // Not recorded counts as not held, below.
    .catch(() => false);
  const noting = ports.journal.intend(gathered.attempts);
  const [isHeld] = await Promise.all([leaving, noting]);
  if (!isInTime() || !isHeld) {
    noteFailure(attempt, notSent("Noting it took too long"));
    return "too late";
  }
  if (!isStale(gathered)) return null;
  noteFailure(attempt, notSent("It was looked at once more before it was sent"));
  if (await recheck(call, ports, gathered)) return "changed";
  delete attempt.problem;
  return null;
}

/** A step with little time left gives its call less. */
const callMilliseconds = (call: StepCall, ports: StepPorts): number =>
  Math.min(callMillisecondsMax, Math.max(millisecondsMin, call.stayUntil.getTime() - ports.now().getTime()));

async function send(
  { request, envelope, hops }: Try,
  token: Token,
  call: StepCall,
  ports: StepPorts,
  { attempt, isInTime }: Pick<SystemCall, "attempt" | "isInTime">,
): Promise<{ outcome: Outcome; usage: Usage }> {
  const { system } = call.step;
  const milliseconds = callMilliseconds(call, ports);
  const sentAt = performance.now();
  const result = await callSystem({ request, envelope, token, attempt, milliseconds, isInTime }, call, ports);
  if (result === "too late") return { outcome: result, usage: { reported: [], counts: false } };
  if (result instanceof SendFailed) {
    const failure = failureOfSending(result, request);
    const counts = result.sent === "maybe";
    // A system that closed the connection has most likely given up the call; a silent one may still work on it.
    const atWorkMilliseconds = counts ? stillAtWork(result, system, request, performance.now() - sentAt) : 0;
    return { outcome: { failure, answer: null, token }, usage: { reported: [], counts, atWorkMilliseconds } };
  }
  const reported = withResetTimes(
    system.reportedLimits(result, request, envelope.origin, call.connection.identity),
    ports,
  );
  noteLimits(attempt, reported);
  if (isRedirect(result)) {
    const redirect = readRedirect({ request, envelope, hops }, result, system);
    if (!(redirect instanceof SendFailed))
      return { outcome: { answer: result, redirect }, usage: { reported, counts: true } };
    const failure = failureOfSending(redirect, request);
    noteFailure(attempt, failure);
    return { outcome: { failure, answer: null, token }, usage: { reported, counts: true } };
  }
  const failure = withoutToken(system.failure(result, request), token);
  if (!failure) return { outcome: { answer: result }, usage: { reported, counts: true } };
  noteFailure(attempt, failure);
  return { outcome: { failure, answer: result, token }, usage: { reported, counts: !failure.uncounted } };
}

/** A detail is a sentence; some systems send megabytes. */
const wordsMax = 2_000;
const cut = (text: string): string => (text.length > wordsMax ? `${text.slice(0, wordsMax)}…` : text);

/** A system may repeat the token that it refuses. */
const withoutToken = (failure: Failure | null, { value }: Token): Failure | null =>
  failure && {
    ...failure,
    detail: String(redact(cut(failure.detail), [value.reveal()])),
    ...(failure.remedy === undefined ? {} : { remedy: cut(failure.remedy) }),
    ...(failure.systemCode === undefined ? {} : { systemCode: cut(failure.systemCode) }),
  };

const isSpan = ({ resetsInSeconds }: ReportedLimit): boolean => resetsInSeconds !== undefined;

function withResetTimes(reported: ReportedLimit[], ports: StepPorts): ReportedLimit[] {
  if (!reported.some(isSpan)) return reported;
  const now = ports.now().getTime();
  return reported.map(({ resetsInSeconds, ...each }) =>
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
  const isRead = request.effect === "read";
  const milliseconds = callMilliseconds(call, ports);
  const sending = {
    // If this process dies, the system may work on a read for longer than we would have waited.
    milliseconds: isRead ? Math.max(milliseconds, worksMilliseconds(call.step.system, request)) : milliseconds,
    isAnnounced: !isRead,
    willRetry: call.willRetry === true,
  };
  return { demands, permit: await ports.limits.admit(demands, caller, call.waitUntil, sending) };
}

interface SystemCall {
  request: StepRequest;
  envelope: Envelope;
  token: Token;
  /** Where the answer is recorded. */
  attempt: Attempt;
  milliseconds: number;
  /** Null for a read. */
  isInTime: (() => boolean) | null;
}

async function callSystem(
  { request, envelope, token, attempt, milliseconds, isInTime }: SystemCall,
  call: StepCall,
  ports: StepPorts,
): Promise<Answer | SendFailed | "too late"> {
  const isHeld = (): boolean => call.fence?.isHeld() === true;
  const startedAt = performance.now();
  const secret = token.value.reveal();
  const watch = isInTime && cutOffUnless(isHeld);
  try {
    const answer = await ports.outbound.send({
      principal: envelope.principal,
      origin: envelope.origin,
      method: request.method,
      target: envelope.target,
      headers: { ...envelope.headers, authorization: `Bearer ${secret}` },
      ...(envelope.body === undefined ? {} : { body: envelope.body }),
      // A report over years, or three hundred leads, may take a system most of a minute.
      headersMilliseconds: milliseconds,
      totalMilliseconds: milliseconds,
      secret,
      redirects: "return",
      memory: call.memory,
      work: workOf(call),
      ...(isInTime && watch && { mayBegin: () => isHeld() && isInTime(), signal: watch.signal }),
    });
    noteAnswer(attempt, answer, performance.now() - startedAt, token.value, request.hides);
    return answer;
  } catch (error) {
    if (!(error instanceof SendFailed)) throw error;
    const isCutOff = watch?.signal.aborted === true;
    if (error instanceof TooLate || (isCutOff && error.sent === "no")) {
      if (!isHeld()) throw new LeaseLost(call.runId);
      noteFailure(attempt, notSent("Connecting took too long"));
      return "too late";
    }
    const ended = isCutOff ? new SendFailed("timed out", error.sent, leaseEnded) : error;
    noteFailure(attempt, failureOfSending(ended, request));
    return ended;
  } finally {
    watch?.end();
  }
}

const leaseEnded = "The run could not be kept, so the request was cut off before its response came.";
