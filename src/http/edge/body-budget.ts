import { subjectOf } from "../../calls/rate-limits.ts";
import { Problem } from "../../kernel/problem.ts";

/** Whose share a body counts against: an account's organization, or the address of an anonymous caller. */
export type Holder = { organization: string } | { address: string };

export interface BodyRoomSizes {
  /** All bodies together. */
  bytesMax: number;
  /** Those of strangers together, so that known callers always have room. */
  strangersBytesMax: number;
  organizationBytesMax: number;
  addressBytesMax: number;
}

const mebibyte = 1024 * 1024;
export const standardSizes: BodyRoomSizes = {
  bytesMax: 512 * mebibyte,
  strangersBytesMax: 64 * mebibyte,
  organizationBytesMax: 64 * mebibyte,
  addressBytesMax: 4 * mebibyte,
};

/**
 * The memory that bodies may take from the first byte that is waited for until their call is answered. Each organization, and each
 * address of anonymous callers, has a share: a sender of many large bodies at once is asked to retry, and others are not
 * affected. Small bodies that arrive with their headers are served at once and do not count.
 */
export interface BodyRoom {
  /** Answers how to give it back; refuses where the share, or everything, is taken. */
  take(holder: Holder, bytes: number): () => void;
  bytesTaken(): number;
}

const retryAfterSeconds = 1;

export function createBodyRoom(sizes: BodyRoomSizes = standardSizes): BodyRoom {
  const shares = new Map<string, number>();
  let all = 0;
  let strangers = 0;

  return {
    take(holder, bytes) {
      const isStranger = "address" in holder;
      const name = isStranger ? subjectOf(holder.address) : holder.organization;
      const shareMax = isStranger ? sizes.addressBytesMax : sizes.organizationBytesMax;
      const before = shares.get(name) ?? 0;
      if (before + bytes > shareMax) throw shareTaken();
      if (all + bytes > sizes.bytesMax || (isStranger && strangers + bytes > sizes.strangersBytesMax)) throw allTaken();
      shares.set(name, before + bytes);
      all += bytes;
      if (isStranger) strangers += bytes;
      let isTaken = true;
      return () => {
        if (!isTaken) return;
        isTaken = false;
        all -= bytes;
        if (isStranger) strangers -= bytes;
        const left = (shares.get(name) ?? 0) - bytes;
        if (left > 0) shares.set(name, left);
        else shares.delete(name);
      };
    },
    bytesTaken: () => all,
  };
}

const headers = { "retry-after": String(retryAfterSeconds) };

const shareTaken = (): Problem =>
  new Problem("rate_limited", "Too many large bodies are on their way at once.", {
    more: { "violated-policies": ["bodies"] },
    headers,
  });

const allTaken = (): Problem =>
  new Problem("unavailable", "The server has no room for another large body right now.", { headers });
