import type { AccessLevel, Identity } from "./account.ts";
import type { Answer, Pause } from "./work.ts";

/**
 * How an account of a system is connected: how to obtain a token, and how to identify the account. All of it is pure.
 */

/** What a connection obtains tokens with. The vault stores it sealed. */
export type Grant =
  | { kind: "client credentials"; clientId: string; clientSecret: string }
  /** Without its own client, it belongs to the region's client at the system. */
  | {
      kind: "refresh token";
      refreshToken: string;
      clientId?: string;
      clientSecret?: string;
      fromConsent?: true;
      /** When the system ends it by itself, if it has said so. */
      endsAt?: string;
    }
  | { kind: "service account"; email: string; privateKey: string; keyId?: string }
  /** Works until it expires: it cannot be refreshed. */
  | { kind: "access token"; token: string; installationId?: string };

/** A user consented to it in a pop-up: it is ours alone, and ours to revoke. All others were pasted. */
export const isFromConsent = (grant: Grant): boolean =>
  (grant.kind === "refresh token" && grant.fromConsent === true) ||
  (grant.kind === "access token" && grant.installationId !== undefined);

/** The public names of the kinds of grant, as in `systems/list`. */
export const signInMethodOf = (grant: Grant): string => (isFromConsent(grant) ? "oauth" : signInMethods[grant.kind]);

const signInMethods: Record<Grant["kind"], string> = {
  "client credentials": "client_credentials",
  "refresh token": "refresh_token",
  "service account": "service_account",
  "access token": "token",
};

/** An application registered at a system. */
export interface OAuthClient {
  id: string;
  secret: string;
  /** The deployment platform's name for an integration. */
  slug?: string;
}

/** Where an account is located. */
export interface Endpoint {
  instance: "live" | "sandbox" | "custom";
  /** Origins of the system's APIs. */
  addresses: Readonly<Record<string, string>>;
  client: OAuthClient | null;
  /** A user typed the address, so it may be wrong; the others are known to be right. */
  isTyped: boolean;
}

/** A request of a sign-in. Unlike a step's it may carry secrets, so it is never stored. */
export interface SignInRequest {
  origin: string;
  method: "GET" | "POST" | "DELETE";
  /** Path and query. */
  target: string;
  bearer?: string;
  form?: Readonly<Record<string, string>>;
  json?: unknown;
}

/** Yields requests and pauses, and receives the answers; without an answer, a SignInFailed is thrown into it. */
export type SignInWork<T> = Generator<SignInRequest | Pause, T, Answer>;

export interface Obtained {
  token: string;
  /** Null without a known expiry. */
  expiresInSeconds: number | null;
  /** Present if the system rotates refresh tokens. */
  refreshToken?: string;
  /** Null if the answer does not name them. */
  scopes?: string[] | null;
  installationId?: string;
  teamId?: string;
  /** The person who consented, as the exchange of the code names them. */
  userId?: string;
  email?: string;
  /** Present if the grant itself ends by itself. The vault turns it into `grantEndsAt`. */
  grantLifeSeconds?: number;
  grantEndsAt?: string;
}

/** The account's identity, as far as the system reports it. */
export interface Who {
  identity: Identity;
  accessLevel: AccessLevel | null;
  scopes: string[];
  /** What the account lacks, as a sentence, although it works. */
  lacks: string | null;
}

export type SignInReason = "invalid_credentials" | "missing_permissions" | "wrong_endpoint" | "unreachable";

/** Why an account could not be signed in, by remedy. */
export class SignInFailed extends Error {
  readonly reason: SignInReason;
  /** The grant itself is lost, and a retry cannot help. */
  readonly isGrantLost: boolean;
  /** Set if the general remedy of the reason is not enough. */
  readonly remedy: string | null;

  constructor(reason: SignInReason, detail: string, more: { isGrantLost?: boolean; remedy?: string } = {}) {
    super(detail);
    this.name = "SignInFailed";
    this.reason = reason;
    this.isGrantLost = more.isGrantLost ?? false;
    this.remedy = more.remedy ?? null;
  }
}

/** How accounts of a system sign in. */
export interface SignIn {
  /** The names of its APIs; each request names one. */
  apis: readonly string[];
  /** Addresses of the live system by API; null if every account has its own. */
  live: Readonly<Record<string, string>> | null;
  /** If `live` is null: reads the address that comes with the credentials. */
  ownAddress?: OwnAddress;
  credentials: Credentials;
  /** Omitted if the system has no consent page. */
  consent?: Consent;
  /** The claims that a service account signs (RFC 7523); omitted if the system has none. */
  assertion?(endpoint: Endpoint): { audience: string; scopes: readonly string[] };
  /** Obtains a token for the grant. `assertion` is the signed JWT of a service account. */
  obtain(grant: Grant, endpoint: Endpoint, assertion?: string): SignInWork<Obtained>;
  /** `knownLevel` and `known` are the results of an earlier check. */
  identify(
    token: string,
    endpoint: Endpoint,
    wish: {
      teamId?: string;
      projectIds?: readonly string[];
      obtained: Obtained;
      knownLevel?: AccessLevel | null;
      known?: Identity;
    },
  ): SignInWork<Who>;
  /**
   * What the system ends together with this grant: two grants with the same key share it, and revoking one ends both.
   * Null, or omitted, if the grant stands alone.
   */
  sharedGrant?(grant: Grant, identity: Identity): string | null;
  /** Revokes the grant at the system; null if the system has no such call. */
  revoke(grant: Grant, token: string | null, endpoint: Endpoint, identity: Identity): SignInWork<void> | null;
}

/** Credentials that a caller pastes instead of using a consent page. */
export interface Credentials {
  /** Their members, for the reference. */
  members: string;
  /** The sign-in methods that they allow, as in `systems/list`. */
  ways: readonly string[];
  /** What to connect with if no consent page is configured: "a `token`". */
  instead: string;
  /** Reads a caller's credentials. Throws validation_failed. */
  read(given: Record<string, unknown>): GivenCredentials;
  /** Those of the demonstration account, from what the sandbox publishes. */
  ofSandbox(listed: Record<string, unknown>): Record<string, unknown>;
}

export interface GivenCredentials {
  grant: Grant;
  teamId?: string;
  /** The projects that the credentials are limited to, as far as the caller names them. */
  projectIds?: string[];
  /** The address of the account's own instance, as typed. */
  address?: string;
}

/** The address of an account, at a system where each account has its own. */
export interface OwnAddress {
  /** Its origin at the live system. Refuses a missing or unknown address. */
  liveOrigin(typed: string | undefined): string;
  /** Refuses an address that is not the sandbox's. */
  refuseOtherSandbox(typed: string, sandboxOrigin: string): void;
}

/** The consent page of a system, and its redirect. */
export interface Consent {
  /** The settings of the OAuth client that the operator registers at the live system, one set per region. */
  client: { id: ClientSetting; secret: ClientSetting; slug?: ClientSetting };
  url(endpoint: Endpoint, wish: { state: string; challenge: string; redirectUri: string; loginHint?: string }): string;
  /** The expected `iss` of the redirect, if it has one; null if this system sends none. */
  issuer(endpoint: Endpoint): string | null;
  /** Whether the redirect has this system's parameters, and not another's. */
  isFrom(parameters: URLSearchParams): boolean;
  /** Whether the vendor may redirect the pop-up to this page; omitted if it never does. */
  isOwnPage?(url: URL): boolean;
  exchange(
    endpoint: Endpoint,
    given: { code: string; verifier: string; redirectUri: string },
  ): SignInWork<{ grant: Grant; obtained: Obtained }>;
}

/** Becomes the setting `SIGNALBOX_<SYSTEM>_<name>_<REGION>`. */
export interface ClientSetting {
  name: string;
  means: string;
}

/** Longer than any token or name: such a text is no answer to what was asked. */
const textMax = 32_768;

/** The member of an object, if it is text. */
export function textIn(body: unknown, name: string): string | undefined {
  const value = memberOf(body, name);
  return typeof value === "string" && value.length <= textMax ? value : undefined;
}

export const memberOf = (body: unknown, name: string): unknown =>
  typeof body === "object" && body !== null ? (body as Record<string, unknown>)[name] : undefined;

export const isObject = (body: unknown): body is Record<string, unknown> =>
  typeof body === "object" && body !== null && !Array.isArray(body);

/** The address does not belong to this system, or the system itself is failing. */
export function notTheSystem(answer: Answer, endpoint: Endpoint, what: string): SignInFailed {
  const said = `${what} returned status ${answer.status}`;
  if (answer.status === 429 || answer.status >= 500) return new SignInFailed("unreachable", `${said}.`);
  return endpoint.isTyped
    ? new SignInFailed("wrong_endpoint", `${said}, which is not a response of this system.`)
    : new SignInFailed("unreachable", `${said}, which is not a response of this system.`);
}
