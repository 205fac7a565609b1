import { type Authenticated, authenticate } from "../access/callers/authenticate.ts";
import { type Credentials, readAuthorization } from "../access/callers/authorization-header.ts";
import { authorize, needsProject } from "../access/callers/authorize.ts";
import { requireConfirmed } from "../access/callers/sessions.ts";
import { refuseOtherRegion } from "../access/callers/wrong-region.ts";
import type { Scope } from "../access/scope.ts";
import { idShape, regionOfId } from "../kernel/ids.ts";
import { mark } from "../kernel/loop-watch.ts";
import { Problem } from "../kernel/problem.ts";
import { smallCharacters, writeJson } from "../kernel/strict-json.ts";
import { turnAlone } from "../kernel/work-in-slices.ts";
import { announceChanges } from "../webhooks/announce-changes.ts";
import type { Operation } from "./define-operation.ts";
import { policiesOf } from "./rate-limits/policies-of-operation.ts";
import { readBody, readInput } from "./read-input.ts";
import type { Call } from "./received-call.ts";
import type { RegionContext } from "./region-context.ts";
import { rememberIn } from "./remember-browser.ts";
import { change } from "./run-change.ts";
import { runExternal } from "./run-external.ts";
import { runPublic } from "./run-public.ts";

/**
 * Authentication, region, membership, role, validation, state: always in this order, so that a refusal tells a caller no more
 * than they may know. Returns the JSON text of the answer.
 */
export async function callOperation(operation: Operation, call: Call, context: RegionContext): Promise<string> {
  mark("a call", call.seen);
  if (operation.needs === "nobody") return runPublic(operation, call, context);
  const credentials = readCredentials(call) ?? (await refuseCredentials(call, context));
  refuseOtherRegion(context.region, credentials.region);
  // A body that has arrived may name the project, which saves a second lookup. Any other is read once the caller is known.
  let text = operation.projectInBody ? call.body.received() : null;
  let peeked = text === null ? null : await peek(text);
  let projectId = needsProject(operation.needs) ? (projectIn(peeked) ?? credentials.projectId) : null;
  let who = await requireAccount(operation, credentials, projectId, call, context);
  mark("a known caller", call.seen);
  const admitted = context.rooms.limits.admitCaller(policiesOf(operation), who.actor);
  // Almost always a value: awaiting it would cost every call a turn of the queue of promises.
  call.seen.rateLimit = admitted instanceof Promise ? await admitted : admitted;
  if (operation.reserved) throw new Problem("not_available");
  if (operation.projectInBody && text === null) {
    text = await readText(call, who);
    mark("a body", call.seen);
    peeked = await peek(text);
    const named = projectIn(peeked);
    if (named !== null && named !== projectId) {
      projectId = named;
      who = await requireAccount(operation, credentials, projectId, call, context);
    }
  }
  if (projectId !== null) refuseOtherRegion(context.region, regionOfId(projectId));
  authorize(who, operation.needs, projectId);
  if (operation.confirmed) requireConfirmed(who.actor, context.now());
  text ??= call.body.received() ?? (await readText(call, who));
  mark("a body", call.seen);
  // Megabytes take a few milliseconds at each step. The loop turns between them.
  const isLarge = text.length > smallCharacters;
  if (isLarge) await turnAlone();
  const read = peeked ?? readBody(text);
  const body = read instanceof Promise ? await read : read;
  if (isLarge) await turnAlone();
  const input = readInput(operation, body, call.inPath);
  if (isLarge) await turnAlone();
  const scope = scopeOf(who, projectId, call, context);
  // Awaited: a promise that is returned costs two more turns of the queue of promises.
  if (operation.external) return await runExternal({ operation, credentials, scope, input, body, call, context });
  if (operation.audit !== null)
    return await change({ operation, credentials, scope, input, body, call, context }, operation.audit);
  if (operation.stream && call.stream) {
    const stream = await operation.stream(scope, input, context.rooms);
    call.stream({ stream, recheck: () => recheck(operation, credentials, projectId, context) });
    return "";
  }
  const reading = operation.fromReplica && context.replica ? { ...scope, db: await context.replica.reader() } : scope;
  const output = await operation.run(reading, input, context.rooms);
  mark("the response to a call", call.seen);
  return writeJson(output);
}

const readCredentials = (call: Call): Credentials | null =>
  call.authorization === undefined ? call.session() : readAuthorization(call.authorization);

async function refuseCredentials(call: Call, context: RegionContext): Promise<never> {
  if (call.authorization === undefined) throw new Problem("credentials_missing");
  await context.rooms.limits.admit(["auth_failure"], call.ip);
  throw new Problem("credentials_invalid");
}

async function requireAccount(
  { whileEnrolling }: Operation,
  credentials: Credentials,
  projectId: string | null,
  call: Call,
  context: RegionContext,
): Promise<Authenticated> {
  try {
    const who = await authenticate(context.store.reserve, credentials, projectId, context.now(), {
      enrolling: whileEnrolling,
    });
    call.seen.userId = who.actor.userId;
    call.seen.keyId = who.actor.keyId;
    call.seen.organizationId = who.actor.organizationId;
    context.onKeyUsed(who.actor.keyId);
    return who;
  } catch (error) {
    if (error instanceof Problem) await context.rooms.limits.admitFailure([call.ip, credentials.keyPrefix]);
    throw error;
  }
}

/** A stream outlives its call: who reads it is checked as often as for calls. */
async function recheck(
  { needs }: Operation,
  credentials: Credentials,
  projectId: string | null,
  { store, now }: RegionContext,
): Promise<void> {
  authorize(await authenticate(store.reserve, credentials, projectId, now()), needs, projectId);
}

const readText = (call: Call, { actor }: Authenticated): Promise<string> =>
  call.body.read({ organization: actor.organizationId });

/** Reads the body early for its project. A malformed body is refused later, in the order of the checks. */
async function peek(bodyText: string): Promise<Record<string, unknown> | null> {
  try {
    return await readBody(bodyText);
  } catch {
    // As above: the whole read refuses it.
    return null;
  }
}

function projectIn(body: Record<string, unknown> | null): string | null {
  const named = body?.project_id;
  return typeof named === "string" && idShape.test(named) ? named : null;
}

function scopeOf(who: Authenticated, projectId: string | null, call: Call, context: RegionContext): Scope {
  if (projectId !== null) call.seen.projectId = projectId;
  return {
    db: context.store,
    region: context.region,
    now: context.now,
    actor: who.actor,
    projectId,
    requestId: call.requestId,
    ip: call.ip,
    ...(call.through && { through: call.through }),
    setSession: (token) => {
      call.seen.newSession = token;
    },
    rememberBrowser: rememberIn(call, context),
    announce: announceChanges(context.rooms.webhooks.deliveries.wake),
    afterCommit: changesNothing,
    onRollback: changesNothing,
  };
}

const changesNothing = () => {
  throw new Error("An operation that changes nothing commits nothing.");
};
