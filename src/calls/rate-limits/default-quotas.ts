/** The rate limits of our own API, unless SIGNALBOX_RATE_LIMITS changes them: a quota of calls in a window. Callers see the names. */
export const defaultPolicies = {
  /** Every call, per key. */
  default: { quota: 6000, windowSeconds: 60 },
  /** Every call, per account: as many as five keys can make. More keys do not give a person more of the server. */
  account: { quota: 30_000, windowSeconds: 60 },
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
/** How many keys of one account can call as often as `default` allows. */
export const keysAtFullRate = 5;
export type PolicyName = keyof typeof defaultPolicies;
export type PolicySettings = Record<PolicyName, { quota: number; windowSeconds: number }> | "off";
