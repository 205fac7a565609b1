import {
  type AttemptLimiter,
  type AttemptRate,
  createAttemptLimiter,
} from "../../identity/passwords/attempt-limiter.ts";
import { Problem } from "../../kernel/problem.ts";
import { subjectOf } from "./counted-subject.ts";
import type { PolicyName, PolicySettings } from "./default-quotas.ts";
import { CountUnavailable } from "./shared-counts/count-exactly.ts";
import type { SharedCounts } from "./shared-counts/shared-counts.ts";
import { openWindow, type Window } from "./shared-counts/window.ts";

/** The RateLimit and RateLimit-Policy fields of an answer (draft-ietf-httpapi-ratelimit-headers-10). */
export interface RateLimitHeaders {
  policy: string;
  state: string;
}

export interface RateLimits {
  /**
   * Counts one call against each of the policies, or refuses it with 429. Null where limits are off. A promise only where nodes count
   * together and the database has to be asked: for a policy in `exactPolicies`, and for a call that is faster than the exchange.
   */
  admit(names: readonly PolicyName[], subject: string): Admitted | Promise<Admitted>;
  /** The same for a call with a key, which also counts against the key's account. The headers show what is left of the key. */
  admitCaller(names: readonly PolicyName[], caller: { keyId: string; userId: string }): Admitted | Promise<Admitted>;
  /** Counts a call with wrong credentials against its address and against the beginning of its key, with one statement. */
  admitFailure(subjects: readonly string[]): Promise<void>;
  /** Uncounts a call whose effect was undone. */
  refund(name: PolicyName, subject: string): void;
  /** Counts wrong passwords of people who have not signed in. Null where limits are off. */
  signInAttempts: AttemptLimiter | null;
  /** Refuses with 429 and the time to wait. */
  refuse(name: PolicyName, secondsLeft: number): never;
  stop(): Promise<void>;
}

type Admitted = RateLimitHeaders | null;

/** How several nodes count together. */
export interface Sharing {
  counts: SharedCounts;
  signInAttempts(rate: AttemptRate): AttemptLimiter;
}

/** Guesses of passwords, codes and keys: nodes that count together ask the database for each of them. */
const exactPolicies: ReadonlySet<PolicyName> = new Set(["auth_failure", "sign_in", "sign_in_failure"]);

const sweepEverySeconds = 60;
// A sender that invents a new subject for each call must not use up all memory. The least used of the oldest windows makes
// room: one window for all later subjects would let a few strangers lock everyone out.
const subjectsMax = 100_000;
const oldestLookedAt = 50;
/** For this long, an exact limit that is used up is refused without asking the database again. */
const fullMilliseconds = 1_000;
/** A window may end while a call waits for it. */
const triesMax = 3;

/**
 * Windows of a fixed length that start with a subject's first call, for one region. Without `sharing` they live in this process. Time is
 * monotonic, so that a changed clock neither frees nor locks a caller.
 */
export function createRateLimits(
  settings: PolicySettings,
  nowMs: () => number = () => performance.now(),
  sharing: Sharing | null = null,
): RateLimits {
  if (settings === "off")
    return {
      admit: () => null,
      admitCaller: () => null,
      admitFailure: async () => {},
      refund: () => {},
      signInAttempts: null,
      refuse: isOff,
      stop: async () => sharing?.counts.close(),
    };
  const policies = settings;
  const windows = new Map<PolicyName, Map<string, Window>>(
    (Object.keys(policies) as PolicyName[]).map((name) => [name, new Map()]),
  );
  const described = (name: PolicyName): string =>
    `"${name}";q=${policies[name].quota};w=${policies[name].windowSeconds}`;
  const signInAttempts =
    sharing?.signInAttempts(policies.sign_in_failure) ?? createAttemptLimiter(policies.sign_in_failure, nowMs);
  const shared = sharing?.counts ?? null;
  const policyTexts = new WeakMap<readonly PolicyName[], string>();

  function windowOf(name: PolicyName, subject: string, now: number): Window {
    const ofPolicy = windows.get(name) as Map<string, Window>;
    const found = ofPolicy.get(subject);
    if (found && found.endsAt > now) return found;
    if (!found && ofPolicy.size >= subjectsMax) makeRoom(ofPolicy);
    const window = openWindow(countedOf(name, subject), now);
    if (!exactPolicies.has(name)) shared?.windows.open(window, found);
    ofPolicy.set(subject, window);
    return window;
  }

  function makeRoom(ofPolicy: Map<string, Window>): void {
    let least: [subject: string, used: number] | null = null;
    let looked = 0;
    for (const [subject, { used }] of ofPolicy) {
      if (least === null || used < least[1]) least = [subject, used];
      if (++looked >= oldestLookedAt) break;
    }
    if (least) ofPolicy.delete(least[0]);
  }

  function refuse(name: PolicyName, secondsLeft: number): never {
    throw new Problem("rate_limited", `The limit "${name}" is exhausted; it resets in ${secondsLeft} s.`, {
      more: { "violated-policies": [name] },
      headers: {
        "retry-after": String(secondsLeft),
        "ratelimit-policy": described(name),
        ratelimit: `"${name}";r=0;t=${secondsLeft}`,
      },
    });
  }

  function sweep(): void {
    const now = nowMs();
    signInAttempts.sweep();
    for (const ofPolicy of windows.values()) {
      for (const [subject, window] of ofPolicy) if (window.endsAt <= now) ofPolicy.delete(subject);
    }
  }
  const timer = setInterval(sweep, sweepEverySeconds * 1000);
  timer.unref();

  function policyText(names: readonly PolicyName[]): string {
    let text = policyTexts.get(names);
    if (text === undefined) {
      text = names.map(described).join(", ");
      policyTexts.set(names, text);
    }
    return text;
  }

  const secondsLeft = ({ endsAt }: Window, now: number): number => Math.max(1, Math.ceil((endsAt - now) / 1000));

  function use(window: Window): void {
    window.used++;
    if (window.used >= window.askAt) shared?.windows.ask(window);
  }

  /** Counts one call, which the window allows. Returns its part of the RateLimit field. */
  function count(window: Window, now: number): string {
    use(window);
    const left = Math.max(0, window.quota - window.others - window.used);
    return `"${window.policy}";r=${left};t=${secondsLeft(window, now)}`;
  }

  /** Continues after `parts`, where a call cannot be counted without waiting. */
  async function admitLater(
    { windows: shares, exact }: SharedCounts,
    names: readonly PolicyName[],
    subject: string,
    parts: string[],
  ): Promise<RateLimitHeaders> {
    await askTogether(shares, names.slice(parts.length), subject);
    for (const name of names.slice(parts.length)) {
      const part = exactPolicies.has(name) ? countExactly(exact, name, subject) : countLater(shares, name, subject);
      parts.push(await part);
    }
    return { policy: policyText(names), state: parts.join(", ") };
  }

  /** One exchange for all that a call needs. */
  async function askTogether(
    shares: SharedCounts["windows"],
    names: readonly PolicyName[],
    subject: string,
    ...others: Window[]
  ): Promise<void> {
    const now = nowMs();
    const own = names.filter((name) => !exactPolicies.has(name)).map((name) => windowOf(name, subject, now));
    const short = [...own, ...others].filter(({ used, allowed, isFull }) => used >= allowed && !isFull);
    if (short.length > 1) await Promise.all(short.map((window) => shares.more(window)));
  }

  async function countLater(shares: SharedCounts["windows"], name: PolicyName, subject: string): Promise<string> {
    for (let tries = 0; ; tries++) {
      const window = windowOf(name, subject, nowMs());
      if (window.used < window.allowed) return count(window, nowMs());
      if (window.isFull || tries === triesMax) {
        // Another process may have given calls back; the next call will know.
        if (window.isFull) void shares.more(window);
        refuse(name, secondsLeft(window, nowMs()));
      }
      await shares.more(window);
    }
  }

  const countedOf = (policy: PolicyName, subject: string) => {
    const { quota, windowSeconds } = policies[policy];
    return { policy, subject, quota, windowMilliseconds: windowSeconds * 1000 };
  };

  function refuseFull(window: Window, name: PolicyName): void {
    const now = nowMs();
    if (window.fullUntil > now) refuse(name, secondsLeft(window, now));
  }

  async function countExactly(exact: SharedCounts["exact"], name: PolicyName, subject: string): Promise<string> {
    const { quota } = policies[name];
    const window = windowOf(name, subject, nowMs());
    refuseFull(window, name);
    const { owed } = window;
    window.owed = 0;
    const counted = await exact.count(countedOf(name, subject), owed).catch((error: unknown) => {
      const isOwed = error instanceof CountUnavailable && !error.wasSent;
      if (isOwed) window.owed += owed;
      // Without the database, no password and no code is checked. Other calls are counted by this process.
      if (name === "sign_in_failure") throw error;
      if (isOwed) window.owed++;
      return { position: ++window.used, millisecondsLeft: window.endsAt - nowMs() };
    });
    const now = nowMs();
    window.endsAt = now + counted.millisecondsLeft;
    window.used = Math.max(window.used, counted.position);
    if (counted.position > quota) {
      window.fullUntil = Math.min(window.endsAt, now + fullMilliseconds);
      refuse(name, secondsLeft(window, now));
    }
    return `"${name}";r=${quota - counted.position};t=${secondsLeft(window, now)}`;
  }

  function admit(names: readonly PolicyName[], given: string): Admitted | Promise<Admitted> {
    const now = nowMs();
    const subject = subjectOf(given);
    let state = "";
    for (const name of names) {
      const window = windowOf(name, subject, now);
      if (shared && (window.used >= window.allowed || exactPolicies.has(name)))
        return admitLater(shared, names, subject, state === "" ? [] : state.split(", "));
      if (window.used >= window.allowed) refuse(name, secondsLeft(window, now));
      state += state === "" ? count(window, now) : `, ${count(window, now)}`;
    }
    return { policy: policyText(names), state };
  }

  return {
    admit,
    admitCaller(names, { keyId, userId }) {
      const now = nowMs();
      const account = windowOf("account", userId, now);
      if (account.used >= account.allowed) {
        if (shared) {
          const { windows: shares } = shared;
          return askTogether(shares, names, keyId, account)
            .then(() => countLater(shares, "account", userId))
            .then(() => admit(names, keyId));
        }
        refuse("account", secondsLeft(account, now));
      }
      // What one key is refused takes nothing from the account's other keys.
      const admitted = admit(names, keyId);
      if (admitted instanceof Promise)
        return admitted.then((headers) => {
          use(account);
          return headers;
        });
      use(account);
      return admitted;
    },
    async admitFailure(subjects) {
      const now = nowMs();
      // A caller that is refused anyway causes no statement.
      if (shared)
        for (const each of subjects) refuseFull(windowOf("auth_failure", subjectOf(each), now), "auth_failure");
      await Promise.all(subjects.map((each) => admit(["auth_failure"], each)));
    },
    refund(name, given) {
      const subject = subjectOf(given);
      const window = windows.get(name)?.get(subject);
      if (window && window.used > 0) window.used--;
      if (window) window.fullUntil = 0;
      if (window && window.owed > 0) window.owed--;
      // A count that cannot be taken back now ends with its window.
      else if (exactPolicies.has(name)) void shared?.exact.refund(countedOf(name, subject)).catch(() => {});
    },
    signInAttempts,
    refuse,
    async stop() {
      clearInterval(timer);
      await shared?.close();
    },
  };
}

const isOff = (): never => {
  throw new Error("Limits that are off refuse no caller.");
};
