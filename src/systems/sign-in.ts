import type { AccessLevel, Identity } from "./account.ts";
import type { Answer, Pause } from "./work.ts";

/** How an account of a system is connected: what is asked for a token, and what is asked about who it is. All of it pure. */

/** What a connection can get tokens with. It lies in the vault, sealed. */
export type Grant =
  | { kind: "client credentials"; clientId: string; clientSecret: string }
  /** Without a client of its own, it belongs to the one that the region has at the system. */
  | { kind: "refresh token"; refreshToken: string; clientId?: string; clientSecret?: string; fromConsent?: true }
  | { kind: "service account"; email: string; privateKey: string; keyId?: string }
  /** Works until it does not: nothing can be asked for another one. */
  | { kind: "access token"; token: string; installationId?: string };

/** A person consented to it in a pop-up: it is ours alone, and ours to give back. All others were pasted. */
export const isFromConsent = (grant: Grant): boolean =>
  (grant.kind === "refresh token" && grant.fromConsent === true) ||
  (grant.kind === "access token" && grant.installationId !== undefined);

/** What people call the kinds of grant: the words of `systems/list`. */
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

/** Where an account lives. */
export interface Endpoint {
  instance: "live" | "sandbox" | "custom";
  /** Origins of the system's APIs. */
  addresses: Readonly<Record<string, string>>;
  client: OAuthClient | null;
  /** Someone typed the address, so it may be a wrong one; the others are known to be right. */
  isTyped: boolean;
}

/** A request of a sign-in; unlike a step's it may carry secrets, so it is never kept anywhere. */
export interface SignInRequest {
  origin: string;
  method: "GET" | "POST" | "DELETE";
  /** Path and query. */
  target: string;
  bearer?: string;
  form?: Readonly<Record<string, string>>;
  json?: unknown;
}

/** Yields requests and pauses, is handed the answers; where no answer came, a SignInFailed is thrown into it. */
export type SignInWork<T> = Generator<SignInRequest | Pause, T, Answer>;

export interface Obtained {
  token: string;
  /** Null where it has no end that is known. */
  expiresInSeconds: number | null;
  /** Where the system gives a new one in the place of the old. */
  refreshToken?: string;
  /** Null where the answer does not say. */
  scopes?: string[] | null;
  installationId?: string;
  teamId?: string;
  email?: string;
}

/** Who it is, as far as the system tells. */
export interface Who {
  identity: Identity;
  accessLevel: AccessLevel | null;
  scopes: string[];
  /** What the account lacks, as a sentence, where it works all the same. */
  lacks: string | null;
}

export type SignInReason = "invalid_credentials" | "missing_permissions" | "wrong_endpoint" | "unreachable";

/** Why an account could not be signed in, told apart by what helps. */
export class SignInFailed extends Error {
  readonly reason: SignInReason;
  /** The grant itself is gone, and no repetition brings it back. */
  readonly isGone: boolean;
  /** Where the general remedy of the reason says too little. */
  readonly remedy: string | null;

  constructor(reason: SignInReason, detail: string, more: { isGone?: boolean; remedy?: string } = {}) {
    super(detail);
    this.name = "SignInFailed";
    this.reason = reason;
    this.isGone = more.isGone ?? false;
    this.remedy = more.remedy ?? null;
  }
}

/** How accounts of a system are signed in. */
export interface SignIn {
  /** The names of its APIs; requests say which one they go to. */
  apis: readonly string[];
  /** Addresses of the live system by API; null where every account has its own. */
  live: Readonly<Record<string, string>> | null;
  /** Where `live` is null: reads the address that comes with the credentials. */
  ownAddress?: OwnAddress;
  credentials: Credentials;
  /** Left out where the system has no page in which a person consents. */
  consent?: Consent;
  /** What a service account signs (RFC 7523); left out where the system knows none. */
  assertion?(endpoint: Endpoint): { audience: string; scopes: readonly string[] };
  /** A token for the grant. `assertion` is what a service account has signed. */
  obtain(grant: Grant, endpoint: Endpoint, assertion?: string): SignInWork<Obtained>;
  /** `knownLevel` is what an earlier check has found. */
  identify(
    token: string,
    endpoint: Endpoint,
    wish: { teamId?: string; obtained: Obtained; knownLevel?: AccessLevel | null },
  ): SignInWork<Who>;
  /** Revokes the grant at the system; null where the system has no such call. */
  revoke(grant: Grant, token: string | null, endpoint: Endpoint, identity: Identity): SignInWork<void> | null;
}

/** Credentials that a caller pastes, in place of consent in a page. */
export interface Credentials {
  /** Their members, for the reference. */
  members: string;
  /** The ways in that they allow, in the words of `systems/list`. */
  ways: readonly string[];
  /** What to connect with where no consent page is configured: "a `token`". */
  instead: string;
  /** Reads what a caller gave. Throws validation_failed. */
  read(given: Record<string, unknown>): GivenCredentials;
  /** Those of the demonstration account, among what the sandbox lists of itself. */
  ofSandbox(listed: Record<string, unknown>): Record<string, unknown>;
}

export interface GivenCredentials {
  grant: Grant;
  teamId?: string;
  /** The address of the account's own instance, as it was typed. */
  address?: string;
}

/** The address of an account, at a system where each account has its own. */
export interface OwnAddress {
  /** Its origin at the live system. Refuses one that is missing, or that the vendor does not have. */
  liveOrigin(typed: string | undefined): string;
  /** Refuses an address that is not the sandbox's. */
  refuseOtherSandbox(typed: string, sandboxOrigin: string): void;
}

/** The page in which a person consents, and what comes back from it. */
export interface Consent {
  /** The settings of the OAuth client that the operator registers at the live system, one of each for a region. */
  client: { id: ClientSetting; secret: ClientSetting; slug?: ClientSetting };
  url(endpoint: Endpoint, wish: { state: string; challenge: string; redirectUri: string; loginHint?: string }): string;
  /** What the answer's `iss` must be where it has one; null where this system sends none. */
  issuer(endpoint: Endpoint): string | null;
  /** Whether an answer has the members that this system's have, and not those of another. */
  isFrom(parameters: URLSearchParams): boolean;
  /** Whether the vendor may send the pop-up on to this page; left out where it never does. */
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

/** The member of an answer, where that is an object and the member a text. */
export function textIn(body: unknown, name: string): string | undefined {
  const value = memberOf(body, name);
  return typeof value === "string" ? value : undefined;
}

export const memberOf = (body: unknown, name: string): unknown =>
  typeof body === "object" && body !== null ? (body as Record<string, unknown>)[name] : undefined;

export const isObject = (body: unknown): body is Record<string, unknown> =>
  typeof body === "object" && body !== null && !Array.isArray(body);

/** Nothing that speaks this system's language is at the address, or the system itself is not well. */
export function notTheSystem(answer: Answer, endpoint: Endpoint, what: string): SignInFailed {
  const said = `${what} answered with status ${answer.status}`;
  if (answer.status === 429 || answer.status >= 500) return new SignInFailed("unreachable", `${said}.`);
  return endpoint.isTyped
    ? new SignInFailed("wrong_endpoint", `${said}, which is not how this system answers.`)
    : new SignInFailed("unreachable", `${said}, which is not how this system answers.`);
}
