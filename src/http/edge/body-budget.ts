import { subjectOf } from "../../calls/rate-limits/counted-subject.ts";
import { Problem } from "../../kernel/problem.ts";

/** Whose share a body counts against: the organization of an account, or the address of an anonymous caller. */
export type Holder = { organization: string } | { address: string };

export interface BodyLimits {
  /** All bodies together. */
  bytesMax: number;
  /** All anonymous bodies together, so that known callers always have memory. */
  anonymousBytesMax: number;
  organizationBytesMax: number;
  addressBytesMax: number;
}

const mebibyte = 1024 * 1024;
export const defaultBodyLimits: BodyLimits = {
  bytesMax: 512 * mebibyte,
  anonymousBytesMax: 64 * mebibyte,
  organizationBytesMax: 64 * mebibyte,
  addressBytesMax: 4 * mebibyte,
};

/**
 * Limits the memory of bodies. Each organization, and each address of anonymous callers, has a share: those who send or ask for many
 * large bodies get a retry response, and others are not affected. A request counts from its first awaited byte until the call ends; a
 * response until it is sent. Small bodies do not count.
 */
export interface BodyBudget {
  /**
   * Returns a function that releases the memory. Throws if the share or the whole budget is used up. One body
   * alone may exceed a share.
   */
  take(holder: Holder, bytes: number): () => void;
  bytesReserved(): number;
}

const retryAfterSeconds = 1;

export function createBodyBudget(of: keyof typeof refusals, sizes: BodyLimits = defaultBodyLimits): BodyBudget {
  const { shareExhausted, budgetExhausted } = refusals[of];
  const shares = new Map<string, number>();
  let all = 0;
  let anonymous = 0;

  return {
    take(holder, bytes) {
      const isAnonymous = "address" in holder;
      const name = isAnonymous ? subjectOf(holder.address) : holder.organization;
      const shareMax = isAnonymous ? sizes.addressBytesMax : sizes.organizationBytesMax;
      const before = shares.get(name) ?? 0;
      if (before > 0 && before + bytes > shareMax) throw shareExhausted();
      if (all + bytes > sizes.bytesMax || (isAnonymous && anonymous + bytes > sizes.anonymousBytesMax))
        throw budgetExhausted();
      shares.set(name, before + bytes);
      all += bytes;
      if (isAnonymous) anonymous += bytes;
      let isTaken = true;
      return () => {
        if (!isTaken) return;
        isTaken = false;
        all -= bytes;
        if (isAnonymous) anonymous -= bytes;
        const left = (shares.get(name) ?? 0) - bytes;
        if (left > 0) shares.set(name, left);
        else shares.delete(name);
      };
    },
    bytesReserved: () => all,
  };
}

const headers = { "retry-after": String(retryAfterSeconds) };

const refusalsOf = (policy: string, shareSays: string, budgetSays: string) => ({
  shareExhausted: () => new Problem("rate_limited", shareSays, { more: { "violated-policies": [policy] }, headers }),
  budgetExhausted: () => new Problem("unavailable", budgetSays, { headers }),
});

const refusals = {
  requests: refusalsOf(
    "bodies",
    "Too many large bodies are on their way at once.",
    "The server cannot take another large body right now.",
  ),
  responses: refusalsOf(
    "responses",
    "Too many large responses have not been read yet. Read them, or close their connections.",
    "The server cannot send another large response right now.",
  ),
};
