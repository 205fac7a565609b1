import type { Installation } from "../records.ts";

/** A bearer token: a person's own, or the one of an installed integration. */
export interface Token {
  value: string;
  userId: string;
  /** A token can be made for one team (or one's own account) alone. */
  onlyOwnerId: string | null;
  installation: Installation | null;
  issuedAt: number;
  expiresAt: number | null;
}

/** Tokens outlive a reset: the listed ones, and those handed out through the installation flow. */
export interface Tokens {
  keep(token: Token): void;
  find(value: string): Token | null;
  forgetInstallation(installationId: string): void;
}

export function createTokens(): Tokens {
  const byValue = new Map<string, Token>();
  return {
    keep: (token) => void byValue.set(token.value, token),
    find: (value) => byValue.get(value) ?? null,
    forgetInstallation(installationId) {
      for (const [value, token] of byValue) if (token.installation?.id === installationId) byValue.delete(value);
    },
  };
}
