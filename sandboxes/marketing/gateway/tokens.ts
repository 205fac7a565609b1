import { randomUUID } from "node:crypto";
import { type Client, clients } from "./clients.ts";
import { Refusal } from "./refusal.ts";
import type { Settings } from "./settings.ts";

interface Issued {
  token: string;
  client: Client;
  issuedAt: number;
  expiresAt: number;
}

/** Access tokens: one live token a client, the same until it ends. */
export interface Tokens {
  /** The client's token, with the seconds it has left. */
  tokenFor(client: Client): { token: string; expiresIn: number };
  /** Whose token it is, or the refusal that tells an ended one (602) from an unknown one (601). */
  ownerOf(token: string): Client;
  /** Every token given out so far becomes unknown. */
  revokeAll(): void;
}

// Ended tokens are remembered only to be told apart from nonsense, so a bounded memory of them is enough.
const endedTokensMax = 1000;

export function createTokens(settings: Settings, now: () => number): Tokens {
  const current = new Map<string, Issued>();
  const known = new Map<string, Issued>();

  const lifeMilliseconds = () => settings.token_life_seconds * 1000;

  /** A life made shorter holds for tokens that are out already; made longer, it brings no ended one back. */
  function endOf(issued: Issued): number {
    // The clock was set back: the token is new again, so that none ever has more than a life left.
    if (issued.issuedAt > now()) Object.assign(issued, { issuedAt: now(), expiresAt: now() + lifeMilliseconds() });
    issued.expiresAt = Math.min(issued.expiresAt, issued.issuedAt + lifeMilliseconds());
    return issued.expiresAt;
  }

  function issue(client: Client): Issued {
    const issued = {
      token: `${randomUUID()}:sj`,
      client,
      issuedAt: now(),
      expiresAt: now() + lifeMilliseconds(),
    };
    current.set(client.id, issued);
    known.set(issued.token, issued);
    const eldest = known.keys().next().value;
    if (known.size > endedTokensMax + clients.size && eldest !== undefined) known.delete(eldest);
    return issued;
  }

  return {
    tokenFor(client) {
      const live = current.get(client.id);
      const issued = live && endOf(live) > now() ? live : issue(client);
      // A fresh token says 3599, and one in its last second says 0: only whole seconds still to come are counted.
      return { token: issued.token, expiresIn: Math.max(0, Math.ceil((issued.expiresAt - now()) / 1000) - 1) };
    },
    ownerOf(token) {
      const issued = known.get(token);
      if (!issued) throw new Refusal("601", "Access token invalid");
      if (endOf(issued) <= now()) throw new Refusal("602", "Access token expired");
      return issued.client;
    },
    revokeAll() {
      current.clear();
      known.clear();
    },
  };
}
