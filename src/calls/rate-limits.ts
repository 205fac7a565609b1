import { isIPv6 } from "node:net";
import { type AttemptLimiter, createAttemptLimiter } from "../identity/passwords/attempt-limiter.ts";
import { Problem } from "../kernel/problem.ts";

/** A quota of calls in a window of time. Callers see its name. */
export interface Policy {
  name: PolicyName;
  quota: number;
  windowSeconds: number;
}

export const defaultPolicies = {
  /** Every call, per key. */
  default: { quota: 6000, windowSeconds: 60 },
  /** Calls that change projects, people, keys or the organization, per key. */
  write: { quota: 1200, windowSeconds: 60 },
  /** Runs of steps, tools and agents, per key. */
  run: { quota: 6000, windowSeconds: 60 },
  /** Invites that were created or sent again, per project. */
  invite: { quota: 200, windowSeconds: 3600 },
  /** Calls with wrong credentials, per address and per key prefix. */
  auth_failure: { quota: 6000, windowSeconds: 60 },
  /** Calls of an identity provider, per directory: Entra ID asks for 25 a second, and this is four times that. */
  scim: { quota: 6000, windowSeconds: 60 },
  /** Calls without an account, per address. */
  sign_in: { quota: 300, windowSeconds: 60 },
  /**
   * Failed sign-ins, per account and source (`identity/passwords/attempt-limiter.ts`); wrong codes and passwords of people who are signed
   * in, per account.
   */
  sign_in_failure: { quota: 10, windowSeconds: 900 },
} as const;
export type PolicyName = keyof typeof defaultPolicies;
export type PolicySettings = Record<PolicyName, { quota: number; windowSeconds: number }> | "off";

/** The RateLimit and RateLimit-Policy fields of an answer (draft-ietf-httpapi-ratelimit-headers-10). */
export interface RateLimitHeaders {
  policy: string;
  state: string;
}

export interface RateLimits {
  /** Counts one call against each of the policies, or refuses it with 429. Null where limits are off. */
  admit(names: readonly PolicyName[], subject: string): RateLimitHeaders | null;
  /** Uncounts a call whose effect was undone. */
  refund(name: PolicyName, subject: string): void;
  /** Counts wrong passwords of people who have not signed in. Null where limits are off. */
  signInAttempts: AttemptLimiter | null;
  /** Refuses with 429 and the time to wait. */
  refuse(name: PolicyName, secondsLeft: number): never;
  stop(): void;
}

interface Window {
  used: number;
  endsAt: number;
}

const sweepEverySeconds = 60;
// A sender that invents a new subject for each call must not use up all memory. The least used of the oldest windows makes
// room: one window for all later subjects would let a few strangers lock everyone out.
const subjectsMax = 100_000;
const oldestLookedAt = 50;

/**
 * Windows of a fixed length that start with a subject's first call, for one region. They live in this process: each of several
 * nodes counts for itself. Time is monotonic, so that a changed clock neither frees nor locks a caller.
 */
export function createRateLimits(settings: PolicySettings, nowMs: () => number = () => performance.now()): RateLimits {
  if (settings === "off")
    return { admit: () => null, refund: () => {}, signInAttempts: null, refuse: isOff, stop: () => {} };
  const policies = settings;
  const windows = new Map<PolicyName, Map<string, Window>>(
    (Object.keys(policies) as PolicyName[]).map((name) => [name, new Map()]),
  );
  const described = (name: PolicyName): string =>
    `"${name}";q=${policies[name].quota};w=${policies[name].windowSeconds}`;
  const signInAttempts = createAttemptLimiter(policies.sign_in_failure, nowMs);
  const policyTexts = new WeakMap<readonly PolicyName[], string>();

  function windowOf(name: PolicyName, subject: string, now: number): Window {
    const ofPolicy = windows.get(name) as Map<string, Window>;
    let window = ofPolicy.get(subject);
    if (!window && ofPolicy.size >= subjectsMax) makeRoom(ofPolicy);
    if (!window || window.endsAt <= now) {
      window = { used: 0, endsAt: now + policies[name].windowSeconds * 1000 };
      ofPolicy.set(subject, window);
    }
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
    throw new Problem("rate_limited", `The limit "${name}" is used up; it starts anew in ${secondsLeft} s.`, {
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

  return {
    admit(names, given) {
      const now = nowMs();
      const subject = subjectOf(given);
      let state = "";
      for (const name of names) {
        const window = windowOf(name, subject, now);
        const secondsLeft = Math.max(1, Math.ceil((window.endsAt - now) / 1000));
        const { quota } = policies[name];
        if (window.used >= quota) refuse(name, secondsLeft);
        window.used++;
        state += `${state === "" ? "" : ", "}"${name}";r=${quota - window.used};t=${secondsLeft}`;
      }
      let policy = policyTexts.get(names);
      if (policy === undefined) {
        policy = names.map(described).join(", ");
        policyTexts.set(names, policy);
      }
      return { policy, state };
    },
    refund(name, given) {
      const window = windows.get(name)?.get(subjectOf(given));
      if (window && window.used > 0) window.used--;
    },
    signInAttempts,
    refuse,
    stop: () => clearInterval(timer),
  };
}

const isOff = (): never => {
  throw new Error("Limits that are off refuse no caller.");
};

/** An IPv6 address counts as its /64 network, whose owner has 2^64 of them. One that wraps an IPv4 address counts as that. */
export function subjectOf(given: string): string {
  if (!given.includes(":") || !isIPv6(given)) return given;
  const wrapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(given)?.[1];
  if (wrapped !== undefined) return wrapped;
  const [before = "", after] = given.split("::");
  const groups = before === "" ? [] : before.split(":");
  const behind = after === undefined || after === "" ? 0 : after.split(":").length;
  const missing = after === undefined ? 0 : Math.max(0, 8 - groups.length - behind);
  const all = [...groups, ...Array.from({ length: missing }, () => "0"), ...(after ? after.split(":") : [])];
  return `${all
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(":")}::/64`;
}
