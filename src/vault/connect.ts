import type { AnyScope } from "../access/scope.ts";
import { newId } from "../kernel/ids.ts";
import { Problem } from "../kernel/problem.ts";
import { type SystemId, systemOf } from "../systems/index.ts";
import { type Endpoint, type Grant, type Obtained, SignInFailed, type Who, wayIn } from "../systems/sign-in.ts";
import type { Outbound } from "../transport/outbound.ts";
import { ask } from "./ask.ts";
import { type Connection, type Instance, requireConnectionIn } from "./connections.ts";
import { keepGrant } from "./grants.ts";
import { nextCheckAt } from "./next-check.ts";
import type { DataKeys } from "./sealing/data-keys.ts";
import { assertionOf } from "./service-account.ts";
import { lifeOf } from "./token-life.ts";
import { type Secrets, sealContextOf } from "./tokens.ts";

/** An account that has shown who it is; nothing of it is kept yet. */
export interface Verified {
  system: SystemId;
  instance: Instance;
  addresses: Readonly<Record<string, string>>;
  grant: Grant;
  obtained: Obtained;
  who: Who;
  label: string | null;
  /** The connection that comes back with it. */
  connectionId: string | null;
}

export type ToVerify = Omit<Verified, "obtained" | "who"> & {
  endpoint: Endpoint;
  teamId?: string | undefined;
  obtained?: Obtained;
};

/** Gets a token and asks who it is: credentials that open nothing are never saved. */
export async function verify(wanted: ToVerify, outbound: Outbound, now: Date): Promise<Verified> {
  const { endpoint, teamId, ...rest } = wanted;
  const signIn = systemOf(wanted.system).signIn;
  const obtained =
    wanted.obtained ??
    (await ask(
      signIn.obtain(wanted.grant, endpoint, await assertionOf(signIn, wanted.grant, endpoint, now)),
      endpoint,
      outbound,
    ));
  if (wanted.grant.kind === "service account") obtained.email ??= wanted.grant.email;
  const wish = { obtained, ...(teamId === undefined ? {} : { teamId }) };
  const who = await ask(signIn.identify(obtained.token, endpoint, wish), endpoint, outbound);
  return { ...rest, obtained, who };
}

/** Writes it down, inside the transaction of the change. Answers the connection's id, which a reconnect keeps. */
export async function saveVerified(
  scope: AnyScope,
  projectId: string,
  organizationId: string,
  verified: Verified,
  keys: DataKeys,
): Promise<string> {
  const existing = verified.connectionId ? await requireConnectionIn(scope.db, projectId, verified.connectionId) : null;
  const id = existing?.id ?? newId("connection", scope.region);
  const secrets: Secrets = { grant: verified.grant, token: verified.obtained.token };
  const sealed = await keys.seal(scope.db, JSON.stringify(secrets), sealContextOf({ id, organizationId }));
  const { who } = verified;
  const life = lifeOf(verified.obtained, scope.now());
  await keepGrant(scope.db, existing, {
    id,
    organizationId,
    projectId,
    system: verified.system,
    instance: verified.instance,
    addresses: verified.addresses,
    label: verified.label ?? existing?.label ?? who.identity.label,
    identity: who.identity,
    accessLevel: who.accessLevel,
    scopes: who.scopes,
    wayIn: wayIn(verified.grant),
    sealed: sealed.text,
    dataKeyId: sealed.dataKeyId,
    tokenRefreshAt: life.refreshAt,
    tokenExpiresAt: life.expiresAt,
    nextCheckAt: nextCheckAt(scope.now()),
    checkReason: who.lacks,
    createdBy: scope.actor.kind === "person" ? scope.actor.userId : null,
    now: scope.now().toISOString(),
  });
  return id;
}

export function refuseOtherSystem(existing: Connection | null, system: SystemId): void {
  if (!existing || existing.system === system) return;
  const detail = `The connection ${existing.id} is one to the ${existing.system} system.`;
  throw new Problem("validation_failed", detail, {
    errors: [{ pointer: "#/system", code: "other_system", detail: "A connection keeps its system." }],
  });
}

const remedies = {
  invalid_credentials:
    "Check the credentials for missing characters, or make new ones at the system, and connect again.",
  missing_permissions: "Give the account the permissions it lacks at the system, then connect again.",
  wrong_endpoint: "Check the address for typing errors; it is the one that the system's own admin screen shows.",
  unreachable: "The system is away, or the network between is; try again later. Nothing is wrong with the credentials.",
} as const;

/** The same words for the caller of an operation and for the person in front of a pop-up. */
export function toProblem(error: SignInFailed): Problem {
  const remedy = error.remedy ?? remedies[error.reason];
  return new Problem("authentication_failed", error.message, { more: { reason: error.reason, remedy } });
}

/** Runs what talks to a system; its refusals become the caller's problem. */
export async function asProblems<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof SignInFailed ? toProblem(error) : error;
  }
}
