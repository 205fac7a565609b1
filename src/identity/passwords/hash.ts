import { createHashQueue, type HashCaller } from "./hash-queue.ts";

/** OWASP's floor for argon2id. One hash takes some thirty milliseconds and 19 MiB. */
const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** Files, names of hosts and compression need threads of the same pool, so half of it is left to them. */
const poolThreads = Number(process.env.UV_THREADPOOL_SIZE) || 4;
const queue = createHashQueue({
  atATime: Math.max(1, Math.min(2, Math.floor(poolThreads / 2))),
  /** Two seconds of work at most, and more sign-ins at one moment than an office has. */
  waitingEach: 64,
  waitingInAll: 256,
});

type Argon2 = typeof import("@node-rs/argon2");
let library: Promise<Argon2> | undefined;

/** Loaded with the first password: a node that only serves keys never needs it. */
const argon2 = (): Promise<Argon2> => {
  library ??= import("@node-rs/argon2");
  return library;
};

/** The same text however a keyboard composes it (NIST SP 800-63B, 3.1.1.2). */
const normalized = (password: string): string => password.normalize("NFKC");

/** The algorithm and its cost are written into the hash. */
export const hashPassword = (password: string, caller: HashCaller): Promise<string> =>
  queue.run(caller, async () => (await argon2()).hash(normalized(password), cost));

let decoyHash: Promise<string> | undefined;

/** Null where there is nothing to compare with: the same time is spent, so that nobody learns from the clock who is here. */
export const fitsHash = (password: string, hash: string | null, caller: HashCaller): Promise<boolean> =>
  queue.run(caller, async () => {
    const { hash: compute, verify } = await argon2();
    decoyHash ??= compute("the password of nobody", cost);
    const fits = await verify(hash ?? (await decoyHash), normalized(password));
    return hash !== null && fits;
  });
