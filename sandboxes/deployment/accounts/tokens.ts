import type { Installation } from "../records.ts";

/** A bearer token: a person's own, or the one of an installed integration. */
export interface Token {
  value: string;
  name: string;
  userId: string;
  /** A token can be made for one team (or one's own account) alone. */
  onlyOwnerId: string | null;
  installation: Installation | null;
  /** A token can be made for single projects; null is every project. */
  projects: string[] | null;
  issuedAt: number;
  expiresAt: number | null;
}

/** Tokens outlive a reset: the listed ones, and those handed out through the installation flow. */
export interface Tokens {
  keep(token: Token): void;
  find(value: string): Token | null;
  /** Those that the person made; newest last. */
  ofUser(userId: string): Token[];
  forget(token: Token): void;
  forgetInstallation(installationId: string): void;
}

export function createTokens(): Tokens {
  const byValue = new Map<string, Token>();
  return {
    keep: (token) => void byValue.set(token.value, token),
    find: (value) => byValue.get(value) ?? null,
    ofUser: (userId) => [...byValue.values()].filter((token) => token.userId === userId && !token.installation),
    forget: (token) => void byValue.delete(token.value),
    forgetInstallation(installationId) {
      for (const [value, token] of byValue) if (token.installation?.id === installationId) byValue.delete(value);
    },
  };
}
