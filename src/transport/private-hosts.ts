/** Which addresses in private networks may be called: one list per use, never one for all. */

/** Steps are calls of connected accounts; identity is sign-in at the providers of organizations. */
export const uses = ["steps", "webhooks", "models", "identity"] as const;
export type Use = (typeof uses)[number];

/** An origin that the operator has opened to all, or to the named organizations. */
export type PrivateHost = string | { origin: string; organizations: readonly string[] };

/** The tenant and account that a request is for. */
export interface Principal {
  organizationId?: string;
  /** The kind of account, for calls of accounts: `live` addresses are known to us, `custom` ones were typed. */
  instance?: string;
}

/** The control API of the sandboxes is for us and for accounts at the sandboxes. */
export const sandboxPrincipal: Principal = { instance: "sandbox" };

const originOf = (host: PrivateHost): string => (typeof host === "string" ? host : host.origin);

const isOpenTo = (host: PrivateHost, organizationId: string | undefined): boolean =>
  typeof host === "string" || (organizationId !== undefined && host.organizations.includes(organizationId));

/** The origins (scheme, host and port) that are open to an organization. */
export const originsOpenTo = (hosts: readonly PrivateHost[], organizationId: string | undefined): string[] =>
  hosts.filter((host) => isOpenTo(host, organizationId)).map((host) => new URL(originOf(host)).origin);

/** Whether a principal may call a listed origin. */
export type AccessRule = (principal: Principal | undefined) => boolean;

/** One rule per listed origin; an origin without a rule must be public. */
export function accessRulesOf(
  hosts: readonly PrivateHost[],
  sandboxOrigins: readonly string[],
): ReadonlyMap<string, AccessRule> {
  const rules = new Map<string, AccessRule>();
  const add = (text: string, rule: AccessRule) => {
    const { origin } = new URL(text);
    const before = rules.get(origin);
    rules.set(origin, before ? (principal) => before(principal) || rule(principal) : rule);
  };
  for (const host of hosts) add(originOf(host), (principal) => isOpenTo(host, principal?.organizationId));
  // A sandbox's address also serves its control API: no tenant may send a webhook or a custom connection there.
  for (const origin of sandboxOrigins) add(origin, (principal) => principal?.instance === "sandbox");
  return rules;
}
