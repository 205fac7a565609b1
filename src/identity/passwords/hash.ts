/** OWASP's floor for argon2id. One hash takes some thirty milliseconds and 19 MiB, so only a few are computed at a time. */
const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };
const atATime = 2;

type Argon2 = typeof import("@node-rs/argon2");
let library: Promise<Argon2> | undefined;

/** Loaded with the first password: a node that only serves keys never needs it. */
const argon2 = (): Promise<Argon2> => {
  library ??= import("@node-rs/argon2");
  return library;
};

let running = 0;
const waiting: (() => void)[] = [];

/** Whoever comes while others are at it waits for a turn: a burst of sign-ins takes time, and never all of the memory. */
async function inTurn<T>(work: (library: Argon2) => Promise<T>): Promise<T> {
  if (running >= atATime) await new Promise<void>((resolve) => waiting.push(resolve));
  else running++;
  try {
    return await work(await argon2());
  } finally {
    const next = waiting.shift();
    if (next) next();
    else running--;
  }
}

/** The same text however a keyboard composes it (NIST SP 800-63B, 3.1.1.2). */
const normalized = (password: string): string => password.normalize("NFKC");

/** The algorithm and its cost are written into the hash. */
export const hashPassword = (password: string): Promise<string> =>
  inTurn(({ hash }) => hash(normalized(password), cost));

let decoyHash: Promise<string> | undefined;

/** Null where there is nothing to compare with: the same time is spent, so that nobody learns from the clock who is here. */
export async function fitsHash(password: string, hash: string | null): Promise<boolean> {
  decoyHash ??= hashPassword("the password of nobody");
  const compared = hash ?? (await decoyHash);
  const fits = await inTurn(({ verify }) => verify(compared, normalized(password)));
  return hash !== null && fits;
}
