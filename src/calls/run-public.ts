import { appendAudit, lockChain } from "../access/audit/audit.ts";
import { inOneTransaction } from "../access/one-transaction.ts";
import { type KnownBrowser, readKnownBrowser } from "../identity/passwords/known-browser.ts";
import type { PublicChange, PublicScope } from "../identity/public-scope.ts";
import { mark } from "../kernel/loop-watch.ts";
import { Problem } from "../kernel/problem.ts";
import { announceChanges } from "../webhooks/announce-changes.ts";
import type { Operation } from "./define-operation.ts";
import type { PolicyName } from "./rate-limits/default-quotas.ts";
import { readBody, readInput } from "./read-input.ts";
import type { Call } from "./received-call.ts";
import type { RegionContext } from "./region-context.ts";
import { rememberIn } from "./remember-browser.ts";

const policies: readonly PolicyName[] = ["sign_in"];

/** Runs an operation that needs no account. Its rate limit counts per address. */
export async function runPublic(operation: Operation, call: Call, context: RegionContext): Promise<string> {
  const browser = readKnownBrowser(context.seal, context.region, call.browser());
  call.seen.rateLimit = await admitted(call, browser, context);
  const text = call.body.received() ?? (await call.body.read({ address: call.ip }));
  mark("a body", call.seen);
  const input = readInput(operation, await readBody(text), call.inPath);
  // The definition was made by publicOperation, whose `run` takes this scope.
  const run = operation.run as unknown as (scope: PublicScope, input: unknown, rooms: unknown) => Promise<unknown>;
  return JSON.stringify(await run(scopeOf(call, browser, context), input, context.rooms));
}

/** Many people may share an address with one that floods us, so a known browser has a limit of its own. */
async function admitted({ ip }: Call, browser: KnownBrowser | null, { rooms: { limits } }: RegionContext) {
  try {
    return await limits.admit(policies, ip);
  } catch (error) {
    if (browser === null || !(error instanceof Problem)) throw error;
    return limits.admit(policies, `browser ${browser.id}`);
  }
}

function scopeOf(call: Call, browser: KnownBrowser | null, context: RegionContext): PublicScope {
  const { webhooks } = context.rooms;
  const scope: PublicScope = {
    db: context.store,
    region: context.region,
    now: context.now,
    actor: { kind: "nobody" },
    projectId: null,
    requestId: call.requestId,
    ip: call.ip,
    userAgent: call.userAgent(),
    browser,
    seal: context.seal,
    announce: announceChanges(webhooks.deliveries.wake),
    afterCommit: outsideOfAChange,
    onRollback: outsideOfAChange,
    setSession: (token) => {
      call.seen.newSession = token;
    },
    rememberBrowser: rememberIn(call, context),
    change: (organizationId, work) =>
      inOneTransaction(context.store, (inside) => changed({ ...scope, ...inside }, organizationId, work)),
  };
  return scope;
}

/** Writes the effect and its audit rows, in the name of the person whom the operation has identified. */
async function changed<T>(
  scope: PublicScope,
  organizationId: string,
  work: (inside: PublicScope) => Promise<PublicChange<T>>,
): Promise<T> {
  const head = await lockChain(scope.db, organizationId);
  const { value, actor, also = [], ...entry } = await work(scope);
  let last = head;
  for (const each of [entry, ...also]) last = await appendAudit({ ...scope, actor: actor ?? scope.actor }, last, each);
  return value;
}

const outsideOfAChange = () => {
  throw new Error("A public operation commits nothing outside of `change`.");
};
