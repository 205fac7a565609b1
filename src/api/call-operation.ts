import { appendAudit, lockChain } from "../access/audit.ts";
import { type Authenticated, authenticate } from "../access/authenticate.ts";
import { type Credentials, readAuthorization } from "../access/authorization-header.ts";
import { authorize, needsProject } from "../access/authorize.ts";
import type { Scope } from "../access/scope.ts";
import { refuseElsewhere } from "../access/wrong-region.ts";
import { regionOfId } from "../kernel/ids.ts";
import { Problem } from "../kernel/problem.ts";
import type { Region } from "../kernel/regions.ts";
import type { Db, Store } from "../store/db.ts";
import type { Seal } from "../vault/seal.ts";
import type { Operation, Rooms } from "./define.ts";
import { idShape } from "./fields.ts";
import { fingerprintOf, keepAnswer, repeatAnswer } from "./idempotency.ts";
import type { PolicyName, RateLimitHeaders } from "./rate-limits.ts";
import { readBody, readInput } from "./read-input.ts";

/** One region's half of the world, as operations see it. */
export interface RegionContext {
  region: Region;
  store: Store;
  now: () => Date;
  seal: Seal;
  rooms: Rooms;
  /** Told of each key that was used; must not wait for anything. */
  onKeyUsed(keyId: string): void;
}

/** A call as a face received it. What becomes known on the way is written into `seen`, for the log and the headers. */
export interface Call {
  authorization: string | undefined;
  path: string;
  inPath: Record<string, string>;
  bodyText: string;
  /** Reads the Idempotency-Key, or refuses it; asked when its turn comes, after the caller is known. */
  idempotencyKey(): string | null;
  requestId: string;
  ip: string;
  seen: CallSeen;
}

export interface CallSeen {
  userId?: string;
  keyId?: string;
  projectId?: string;
  rateLimit?: RateLimitHeaders | null;
  replayed?: true;
}

const readPolicies: readonly PolicyName[] = ["default"];
const writePolicies: readonly PolicyName[] = ["default", "write"];

/**
 * Authentication, region, membership, role, validation, state: always in this order, so that nobody learns from a refusal
 * more than they may know. Answers the JSON text of the body.
 */
export async function callOperation(operation: Operation, call: Call, context: RegionContext): Promise<string> {
  const credentials = requireCredentials(call, context);
  refuseElsewhere(context.region, credentials.region);
  const peeked = operation.projectInBody ? peek(call.bodyText) : null;
  const projectId = needsProject(operation.needs) ? (projectIn(peeked) ?? credentials.projectId) : null;
  const who = await requireAccount(credentials, projectId, call, context);
  call.seen.rateLimit = context.rooms.limits.admit(operation.audit ? writePolicies : readPolicies, who.actor.keyId);
  if (operation.reserved) throw new Problem("not_available");
  if (projectId !== null) refuseElsewhere(context.region, regionOfId(projectId));
  authorize(who, operation.needs, projectId);
  const body = peeked ?? readBody(call.bodyText);
  const input = readInput(operation, body, call.inPath);
  const scope = scopeOf(who, projectId, call, context);
  if (operation.audit === null) return JSON.stringify(await operation.run(scope, input, context.rooms));
  return change(operation, operation.audit, scope, credentials, input, body, call, context);
}

/**
 * One transaction holds the effect, its audit row and the answer kept for a repeat. Behind the lock the caller is looked at
 * once more: whoever was removed or demoted while the call waited has no say any longer.
 */
async function change(
  operation: Operation,
  action: string,
  outside: Scope,
  credentials: Credentials,
  input: unknown,
  body: unknown,
  call: Call,
  { store, seal, rooms }: RegionContext,
): Promise<string> {
  const idempotencyKey = call.idempotencyKey();
  let afterwards: (() => void)[] = [];
  let undoing: (() => void)[] = [];
  const undo = () => {
    for (const work of undoing) work();
    undoing = [];
  };
  const inTransaction = async (db: Db): Promise<string> => {
    undo();
    afterwards = [];
    const head = await lockChain(db, outside.actor.organizationId);
    const now = outside.now();
    const who = await authenticate(db, credentials, outside.projectId, now);
    authorize(who, operation.needs, outside.projectId);
    const scope: Scope = {
      ...outside,
      db,
      actor: who.actor,
      afterCommit: (work) => void afterwards.push(work),
      ifUndone: (work) => void undoing.push(work),
    };
    const place = idempotencyKey === null ? null : placeOf(scope, call, idempotencyKey);
    const fingerprint = place ? fingerprintOf(body) : "";
    if (place) {
      const repeated = await repeatAnswer(db, seal, place, fingerprint, now);
      if (repeated !== null) {
        call.seen.replayed = true;
        return repeated;
      }
    }
    const output = await operation.run(scope, input, rooms);
    await appendAudit(scope, head, { action, ...operation.auditOf?.(input, output) });
    const answer = JSON.stringify(output);
    if (place) {
      const holdsSecret = operation.answersSecret === true;
      await keepAnswer(db, seal, place, { fingerprint, body: answer, holdsSecret, now });
    }
    return answer;
  };
  try {
    const answer = await store.transaction(inTransaction);
    for (const work of afterwards) work();
    return answer;
  } catch (error) {
    undo();
    throw error;
  }
}

function requireCredentials(call: Call, context: RegionContext): Credentials {
  if (call.authorization === undefined) throw new Problem("credentials_missing");
  const credentials = readAuthorization(call.authorization);
  if (credentials) return credentials;
  context.rooms.limits.admit(["auth_failure"], call.ip);
  throw new Problem("credentials_invalid");
}

async function requireAccount(
  credentials: Credentials,
  projectId: string | null,
  call: Call,
  context: RegionContext,
): Promise<Authenticated> {
  try {
    const who = await authenticate(context.store, credentials, projectId, context.now());
    call.seen.userId = who.actor.userId;
    call.seen.keyId = who.actor.keyId;
    context.onKeyUsed(who.actor.keyId);
    return who;
  } catch (error) {
    if (error instanceof Problem) {
      context.rooms.limits.admit(["auth_failure"], call.ip);
      context.rooms.limits.admit(["auth_failure"], credentials.keyPrefix);
    }
    throw error;
  }
}

/** The body before its turn; what is wrong with it is said when that comes. */
function peek(bodyText: string): Record<string, unknown> | null {
  try {
    return readBody(bodyText);
  } catch {
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
    afterCommit: changesNothing,
    ifUndone: changesNothing,
  };
}

const changesNothing = () => {
  throw new Error("An operation that changes nothing commits nothing.");
};

const placeOf = (scope: Scope, call: Call, idempotencyKey: string) => ({
  userId: scope.actor.userId,
  projectId: scope.projectId ?? "",
  path: call.path,
  idempotencyKey,
});
