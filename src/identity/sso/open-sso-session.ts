import { appendAudit, lockChain } from "../../access/audit/audit.ts";
import { authenticate } from "../../access/callers/authenticate.ts";
import { confirmSession, openSession } from "../../access/callers/sessions.ts";
import { inOneTransaction } from "../../access/one-transaction.ts";
import type { Announce, Anonymous, AnyScope, Scope } from "../../access/scope.ts";
import { auditJoining } from "../../access/users.ts";
import { Problem } from "../../kernel/problem.ts";
import type { Region } from "../../kernel/regions.ts";
import type { Store } from "../../store/db.ts";
import { asPerson } from "../compare-password.ts";
import { type Found, findOrLinkAccount } from "./identities.ts";
import type { Proof } from "./proof.ts";
import { findProvider, type Provider } from "./providers.ts";
import type { Flow } from "./sign-in-flows.ts";

/** The request of a browser. */
export interface SsoCaller {
  ip: string;
  userAgent: string;
  requestId: string;
  /** The cookie of a sign-in under way. */
  browser: string | null;
  /** The hash of the session cookie's token. */
  sessionHash: string | null;
}

export interface SignInPorts {
  store: Store;
  region: Region;
  now: () => Date;
  announce: Announce;
}

/** The result of a successful sign-in. */
export interface SsoOutcome {
  /** The token of the new session; null if a session was confirmed. */
  token: string | null;
  nextPath: string | null;
}

const skewMilliseconds = 60_000;

/** Opens a session for a proof: one transaction, under the lock that a deactivation takes too. */
export function openSsoSession(ports: SignInPorts, caller: SsoCaller, flow: Flow, proof: Proof): Promise<SsoOutcome> {
  return runInTransaction(ports, caller, async (scope) => {
    const { db } = scope;
    const named = await findProvider(db, flow.providerId);
    if (!named) throw new Problem("sso_not_offered");
    const head = await lockChain(db, named.organizationId);
    const provider = await findProvider(db, flow.providerId);
    if (!provider?.enabled) throw new Problem("sso_not_offered");
    if (flow.sessionId !== null) return confirm(scope, head, provider, { flow, proof, caller });
    const found = await findOrLinkAccount(scope, provider, proof, true);
    const { kind: method } = provider.settings;
    const { session, token } = await openSession(scope, {
      userId: found.user.id,
      method,
      userAgent: caller.userAgent,
    });
    const person: AnyScope = { ...scope, actor: asPerson(found.user, session) };
    const last = await auditFound(person, head, provider, found, proof);
    const details = { method, provider_id: provider.id };
    const opened = await appendAudit(person, last, { action: "session.created", target: session.id, details });
    await auditJoining(person, opened, found.user, found.accepted);
    return { token, nextPath: flow.nextPath };
  });
}

type Head = Awaited<ReturnType<typeof lockChain>>;

/** One audit row for each effect of a first sign-in. */
async function auditFound(
  scope: AnyScope,
  head: Head,
  provider: Provider,
  { user, isNew, isLinkedNow }: Found,
  proof: Proof,
): Promise<Head> {
  let last = head;
  if (isNew) {
    const details = { email: user.email, provider_id: provider.id };
    last = await appendAudit(scope, last, { action: "user.created", target: user.id, details });
    if (provider.justInTime && provider.defaultProjectId !== null) {
      const joined = { email: user.email, provider_id: provider.id };
      const projectId = provider.defaultProjectId;
      last = await appendAudit(scope, last, { action: "user.joined", target: user.id, projectId, details: joined });
    }
  }
  if (!isLinkedNow) return last;
  const details = { provider_id: provider.id, subject: proof.subject, email: proof.email?.typed ?? null };
  return appendAudit(scope, last, { action: "identity.linked", target: user.id, details });
}

/** The session's person authenticates again: recently, and as the same person. */
async function confirm(
  scope: Scope<Anonymous>,
  head: Head,
  provider: Provider,
  { flow, proof, caller }: { flow: Flow; proof: Proof; caller: SsoCaller },
): Promise<SsoOutcome> {
  const { db } = scope;
  if (caller.sessionHash === null) throw new Problem("sso_not_confirmed");
  const now = scope.now();
  const { actor } = await authenticate(db, { by: "session", keyHash: caller.sessionHash }, null, now);
  if (actor.keyId !== flow.sessionId) throw new Problem("sso_not_confirmed");
  const since = new Date(Date.parse(flow.createdAt) - skewMilliseconds).toISOString();
  if (proof.authenticatedAt === null || proof.authenticatedAt < since) throw new Problem("sso_not_confirmed");
  const found = await findOrLinkAccount(scope, provider, proof, false);
  if (found.user.id !== actor.userId) throw new Problem("sso_not_confirmed");
  await confirmSession(db, actor.keyId, now.toISOString());
  const person: AnyScope = { ...scope, actor };
  const last = await auditFound(person, head, provider, found, proof);
  const details = { method: provider.settings.kind, provider_id: provider.id };
  await appendAudit(person, last, { action: "session.confirmed", target: actor.keyId, details });
  return { token: null, nextPath: flow.nextPath };
}

/** "Auth and authz events logged": also a refused sign-in. */
export async function auditRefusal(
  ports: SignInPorts,
  caller: SsoCaller,
  provider: Provider,
  problem: Problem,
  proof: Proof | null,
): Promise<void> {
  await runInTransaction(ports, caller, async (scope) => {
    const head = await lockChain(scope.db, provider.organizationId);
    const details = {
      code: problem.code,
      reason: problem.extras.more?.reason ?? problem.message,
      method: provider.settings.kind,
      ...(proof ? { subject: proof.subject, email: proof.email?.typed ?? null } : {}),
    };
    await appendAudit(scope, head, { action: "sign_in.refused", target: provider.id, details });
  });
}

function runInTransaction<T>(
  { store, region, now, announce }: SignInPorts,
  { requestId, ip }: SsoCaller,
  work: (scope: Scope<Anonymous>) => Promise<T>,
): Promise<T> {
  const base = { region, now, announce, actor: { kind: "nobody" as const }, projectId: null, requestId, ip };
  return inOneTransaction(store, (transactionScope) => work({ ...base, ...transactionScope }));
}
