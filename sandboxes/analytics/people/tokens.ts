import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import type { Clock } from "../../server/clock.ts";
import type { AdjustableLimits } from "../quota/limits.ts";
import { isPersonKey, isService, type PersonKey } from "./people.ts";

export const scopes = {
  read: "https://www.googleapis.com/auth/analytics.readonly",
  edit: "https://www.googleapis.com/auth/analytics.edit",
  all: "https://www.googleapis.com/auth/analytics",
} as const;

/** Only callers that manage users ask for these. */
export const userScopes = {
  see: "https://www.googleapis.com/auth/analytics.manage.users.readonly",
  manage: "https://www.googleapis.com/auth/analytics.manage.users",
} as const;

/** What a token says. It is sealed into the token itself, so a connection outlives a restart of the sandbox. */
export interface TokenFacts {
  kind: "access" | "refresh";
  person: PersonKey;
  scopes: string[];
  clientId: string;
  /** Tokens of one consent share it. */
  grant: string;
  /** How often the person had taken back everything from this client before. */
  revocation?: number;
  issuedAt: number;
  /** Null for those that are listed. */
  expiresAt: number | null;
}

export interface Tokens {
  issue(facts: Omit<TokenFacts, "issuedAt">): string;
  /** Null for a token that is unknown, ended or revoked. */
  read(token: string): TokenFacts | null;
  /** Ends every consent of the person for the client. False where the token was dead already. */
  revoke(token: string): boolean;
  /** Marks a refresh token as used now: it dies after half a year of rest. */
  touch(facts: TokenFacts): void;
  /** Listed tokens that were revoked work again. */
  reset(): void;
}

// The sandbox guards nothing: the key only tells its own tokens from invented ones.
const sealKey = "analytics sandbox, not a secret";
const liveRefreshTokensMax = 100;
const dayMilliseconds = 86_400_000;

export function createTokens(
  listed: ReadonlyMap<string, TokenFacts>,
  adjustableLimits: AdjustableLimits,
  clock: Clock,
): Tokens {
  const revokedGrants = new Set<string>();
  const revocations = new Map<string, number>();
  const usedAt = new Map<string, number>();
  const grantsByOwner = new Map<string, string[]>();
  const unsealed = new Map<string, TokenFacts>();

  function isAlive(facts: TokenFacts): boolean {
    if (revokedGrants.has(facts.grant)) return false;
    if (isOfConsent(facts) && (facts.revocation ?? 0) < (revocations.get(ownerOf(facts)) ?? 0)) return false;
    if (facts.expiresAt !== null && facts.expiresAt <= clock.now()) return false;
    if (facts.grant.startsWith("listed")) return true;
    // A life made shorter holds for the tokens that are out already.
    if (facts.kind === "access")
      return clock.now() < facts.issuedAt + adjustableLimits.current().access_token_seconds * 1000;
    const restedMilliseconds = clock.now() - (usedAt.get(facts.grant) ?? facts.issuedAt);
    return restedMilliseconds < adjustableLimits.current().refresh_token_idle_days * dayMilliseconds;
  }

  function find(token: string): TokenFacts | null {
    const known = listed.get(token) ?? unsealed.get(token);
    if (known) return known;
    const facts = unseal(token);
    if (facts) {
      if (unsealed.size > 50_000) unsealed.clear();
      unsealed.set(token, facts);
    }
    return facts;
  }

  /** More than a hundred living refresh tokens of one person and client: the oldest dies silently. */
  function retireOldest(facts: TokenFacts): void {
    const owner = ownerOf(facts);
    const grants = grantsByOwner.get(owner) ?? [];
    grants.push(facts.grant);
    grantsByOwner.set(owner, grants);
    const oldest = grants.length > liveRefreshTokensMax ? grants.shift() : undefined;
    if (oldest !== undefined) revokedGrants.add(oldest);
  }

  return {
    issue(given) {
      const revocation = revocations.get(ownerOf(given)) ?? 0;
      const facts: TokenFacts = { ...given, revocation, issuedAt: clock.now() };
      if (facts.kind === "refresh") retireOldest(facts);
      const token = seal(facts);
      unsealed.set(token, facts);
      return token;
    },
    read(token) {
      const facts = find(token);
      return facts && isAlive(facts) ? facts : null;
    },
    revoke(token) {
      const facts = find(token);
      if (!facts || !isAlive(facts)) return false;
      if (isOfConsent(facts)) revocations.set(ownerOf(facts), (revocations.get(ownerOf(facts)) ?? 0) + 1);
      else revokedGrants.add(facts.grant);
      return true;
    },
    touch: (facts) => void usedAt.set(facts.grant, clock.now()),
    reset() {
      for (const grant of revokedGrants) if (grant.startsWith("listed")) revokedGrants.delete(grant);
    },
  };
}

const ownerOf = ({ person, clientId }: Pick<TokenFacts, "person" | "clientId">): string => `${person} ${clientId}`;

/** Listed tokens and those of service accounts stand for themselves: no person has consented to them. */
const isOfConsent = ({ grant, person }: TokenFacts): boolean => !grant.startsWith("listed") && !isService(person);

export const newGrant = (): string => randomBytes(9).toString("base64url");

function seal(facts: TokenFacts): string {
  const content = Buffer.from(JSON.stringify({ ...facts, nonce: randomBytes(6).toString("base64url") })).toString(
    "base64url",
  );
  return `${facts.kind === "access" ? "ya29.a0" : "1//0"}${content}.${mac(content)}`;
}

function unseal(token: string): TokenFacts | null {
  const [, content, seen] = /^(?:ya29\.a0|1\/\/0)([\w-]+)\.([\w-]+)$/.exec(token) ?? [];
  if (content === undefined || seen === undefined) return null;
  const expected = Buffer.from(mac(content));
  if (expected.length !== seen.length || !timingSafeEqual(expected, Buffer.from(seen))) return null;
  // Sealed by us, so it is what it says.
  const facts = JSON.parse(Buffer.from(content, "base64url").toString()) as TokenFacts;
  return isPersonKey(facts.person) ? facts : null;
}

const mac = (content: string): string => createHmac("sha256", sealKey).update(content).digest("base64url").slice(0, 22);
