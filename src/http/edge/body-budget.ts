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
 * Limits the memory of request bodies, from their first awaited byte until the call ends. Each organization, and each
 * address of anonymous callers, has a share: a sender of many large bodies gets a retry response, and others are not
 * affected. Small bodies that arrive with their headers do not count.
 */
export interface BodyBudget {
  /** Returns a function that releases the memory. Throws if the share or the whole budget is used up. */
  take(holder: Holder, bytes: number): () => void;
  bytesReserved(): number;
}

const retryAfterSeconds = 1;

export function createBodyBudget(sizes: BodyLimits = defaultBodyLimits): BodyBudget {
  const shares = new Map<string, number>();
  let all = 0;
  let anonymous = 0;

  return {
    take(holder, bytes) {
      const isAnonymous = "address" in holder;
      const name = isAnonymous ? subjectOf(holder.address) : holder.organization;
      const shareMax = isAnonymous ? sizes.addressBytesMax : sizes.organizationBytesMax;
      const before = shares.get(name) ?? 0;
      if (before + bytes > shareMax) throw shareExhausted();
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

const shareExhausted = (): Problem =>
  new Problem("rate_limited", "Too many large bodies are on their way at once.", {
    more: { "violated-policies": ["bodies"] },
    headers,
  });

const budgetExhausted = (): Problem =>
  new Problem("unavailable", "The server cannot take another large body right now.", { headers });
