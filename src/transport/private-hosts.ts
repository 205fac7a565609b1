/** Which addresses in private networks may be called: for each use a list of its own, and never one for all. */

/** What leaves here. Steps are calls of connected accounts; identity is sign-in at the providers of organizations. */
export const uses = ["steps", "webhooks", "models", "identity"] as const;
export type Use = (typeof uses)[number];

/** An origin that the operator has opened: to everybody, or to the organizations that are named beside it. */
export type PrivateHost = string | { origin: string; organizations: readonly string[] };

/** On whose behalf something is sent. */
export interface Principal {
  organizationId?: string;
  /** Of which kind the account is, for calls of accounts: `live` addresses are known to us, `custom` ones were typed. */
  instance?: string;
}

/** The control API of the sandboxes is for us, and for accounts at the sandboxes. */
export const sandboxPrincipal: Principal = { instance: "sandbox" };

const originOf = (host: PrivateHost): string => (typeof host === "string" ? host : host.origin);

const isOpenTo = (host: PrivateHost, organizationId: string | undefined): boolean =>
  typeof host === "string" || (organizationId !== undefined && host.organizations.includes(organizationId));

/** The origins that are open to an organization, as they are compared: scheme, host and port. */
export const originsOpenTo = (hosts: readonly PrivateHost[], organizationId: string | undefined): string[] =>
  hosts.filter((host) => isOpenTo(host, organizationId)).map((host) => new URL(originOf(host)).origin);

/** Whether a principal may call an origin that is on the list. */
export type AccessRule = (principal: Principal | undefined) => boolean;

/** One rule for each origin on the list; what has none must be public. */
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
  // Behind a sandbox's address is its control API, too: no tenant may point a webhook or an address of its own there.
  for (const origin of sandboxOrigins) add(origin, (principal) => principal?.instance === "sandbox");
  return rules;
}
