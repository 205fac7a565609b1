import { createHashQueue, type HashCaller } from "./hash-queue.ts";

/** OWASP's floor for argon2id. One hash takes some thirty milliseconds and 19 MiB. */
const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** File access, DNS lookups and compression use the same thread pool, so half of it is left for them. */
const poolThreads = Number(process.env.UV_THREADPOOL_SIZE) || 4;
const queue = createHashQueue({
  atATime: Math.max(1, Math.min(2, Math.floor(poolThreads / 2))),
  /** Two seconds of work at most, and more sign-ins at one moment than an office has. */
  waitingEach: 64,
  waitingInAll: 256,
});

type Argon2 = typeof import("@node-rs/argon2");
let library: Promise<Argon2> | undefined;

/** Loads the library with the first password: a node that only serves API keys never needs it. */
const argon2 = (): Promise<Argon2> => {
  library ??= import("@node-rs/argon2");
  return library;
};

/** Normalizes, so that a password does not depend on how a keyboard composes characters (NIST SP 800-63B, 3.1.1.2). */
const normalized = (password: string): string => password.normalize("NFKC");

/** The hash includes the algorithm and its cost. */
export const hashPassword = (password: string, caller: HashCaller): Promise<string> =>
  queue.run(caller, async () => (await argon2()).hash(normalized(password), cost));

let decoyHash: Promise<string> | undefined;

/**
 * Without a hash it compares with a decoy, which takes the same time, so that timing does not reveal which accounts
 * exist.
 */
export const matchesHash = (password: string, hash: string | null, caller: HashCaller): Promise<boolean> =>
  queue.run(caller, async () => {
    const { hash: compute, verify } = await argon2();
    decoyHash ??= compute("the password of nobody", cost);
    const fits = await verify(hash ?? (await decoyHash), normalized(password));
    return hash !== null && fits;
  });
