import type { AnyScope } from "../access/scope.ts";
import { newId } from "../kernel/ids.ts";
import { Problem } from "../kernel/problem.ts";
import { type SystemId, systemOf } from "../systems/index.ts";
import {
  type Endpoint,
  type Grant,
  type Obtained,
  SignInFailed,
  signInMethodOf,
  type Who,
} from "../systems/sign-in.ts";
import type { Outbound } from "../transport/outbound.ts";
import { sealSecrets } from "./connection-secrets.ts";
import { type Connection, type Instance, requireConnectionIn } from "./connections.ts";
import { saveGrant } from "./grants.ts";
import { nextCheckAt } from "./next-health-check.ts";
import { runSignIn } from "./run-sign-in.ts";
import type { DataKeys } from "./sealing/data-keys.ts";
import { signAssertion } from "./service-account-assertion.ts";
import { tokenLifeOf } from "./when-to-refresh.ts";

/** An account that a system has identified. Nothing is stored yet. */
export interface VerifiedAccount {
  system: SystemId;
  instance: Instance;
  addresses: Readonly<Record<string, string>>;
  grant: Grant;
  obtained: Obtained;
  who: Who;
  label: string | null;
  /** The existing connection that is being reconnected. */
  connectionId: string | null;
}

export type AccountToVerify = Omit<VerifiedAccount, "obtained" | "who"> & {
  endpoint: Endpoint;
  teamId?: string | undefined;
  projectIds?: readonly string[] | undefined;
  obtained?: Obtained;
};

/** Obtains a token and asks the system whose it is: credentials that do not work are never saved. */
export async function verify(wanted: AccountToVerify, outbound: Outbound, now: Date): Promise<VerifiedAccount> {
  const { endpoint, teamId, projectIds, ...rest } = wanted;
  const signIn = systemOf(wanted.system).signIn;
  const obtained =
    wanted.obtained ??
    (await runSignIn(
      signIn.obtain(wanted.grant, endpoint, await signAssertion(signIn, wanted.grant, endpoint, now)),
      endpoint,
      outbound,
    ));
  if (wanted.grant.kind === "service account") obtained.email ??= wanted.grant.email;
  const grant = withEnd(wanted.grant, obtained, now);
  const wish = {
    obtained,
    ...(teamId === undefined ? {} : { teamId }),
    ...(projectIds === undefined ? {} : { projectIds }),
  };
  const who = await runSignIn(signIn.identify(obtained.token, endpoint, wish), endpoint, outbound);
  return { ...rest, grant, obtained, who };
}

/** A grant that ends by itself is stored with its end, so that the message at that moment can name it. */
function withEnd(grant: Grant, obtained: Obtained, now: Date): Grant {
  if (grant.kind !== "refresh token" || obtained.grantLifeSeconds === undefined) return grant;
  obtained.grantEndsAt = new Date(now.getTime() + obtained.grantLifeSeconds * 1000).toISOString();
  return { ...grant, endsAt: obtained.grantEndsAt };
}

/** Saves the account inside the transaction of the change. Returns the connection's id, which a reconnect keeps. */
export async function saveAccount(
  scope: AnyScope,
  projectId: string,
  organizationId: string,
  verified: VerifiedAccount,
  keys: DataKeys,
): Promise<string> {
  const existing = verified.connectionId ? await requireConnectionIn(scope.db, projectId, verified.connectionId) : null;
  const id = existing?.id ?? newId("connection", scope.region);
  const secrets = { grant: verified.grant, token: verified.obtained.token };
  const sealed = await sealSecrets(scope.db, keys, { id, organizationId }, secrets);
  const { who } = verified;
  const life = tokenLifeOf(verified.obtained, scope.now());
  await saveGrant(scope.db, existing, {
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
    signInMethod: signInMethodOf(verified.grant),
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
  unreachable: "The system or the network is unavailable; try again later. The credentials are not the cause.",
} as const;

/** The API and the consent pop-up use the same words. "Unreachable vendors are not `authentication_failed`." */
export function toProblem(error: SignInFailed): Problem {
  const remedy = error.remedy ?? remedies[error.reason];
  const code = error.reason === "unreachable" ? "system_unavailable" : "authentication_failed";
  return new Problem(code, error.message, { more: { reason: error.reason, remedy } });
}

/** Turns the refusal of a system into the caller's problem. */
export async function withSignInProblems<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof SignInFailed ? toProblem(error) : error;
  }
}
