/** Which addresses in private networks may be called: for each use a list of its own, and never one for all. */

/** What leaves here. Steps are calls of connected accounts; identity is sign-in at the providers of organizations. */
export const uses = ["steps", "webhooks", "models", "identity"] as const;
export type Use = (typeof uses)[number];

/** An origin that the operator has opened: to everybody, or to the organizations that are named beside it. */
export type PrivateHost = string | { origin: string; organizations: readonly string[] };

/** On whose behalf something is sent. */
export interface Asker {
  organizationId?: string;
  /** Of which kind the account is, for calls of accounts: `live` addresses are known to us, `custom` ones were typed. */
  instance?: string;
}

/** The sandboxes' own door is for us, and for accounts at the sandboxes. */
export const sandboxAsker: Asker = { instance: "sandbox" };

const originOf = (host: PrivateHost): string => (typeof host === "string" ? host : host.origin);

const isOpenTo = (host: PrivateHost, organizationId: string | undefined): boolean =>
  typeof host === "string" || (organizationId !== undefined && host.organizations.includes(organizationId));

/** The origins that are open to an organization, as they are compared: scheme, host and port. */
export const originsOpenTo = (hosts: readonly PrivateHost[], organizationId: string | undefined): string[] =>
  hosts.filter((host) => isOpenTo(host, organizationId)).map((host) => new URL(originOf(host)).origin);

/** Whether an asker may call an origin that is on the list. */
export type Door = (asker: Asker | undefined) => boolean;

/** One door for each origin on the list; what has none must be public. */
export function doorsOf(hosts: readonly PrivateHost[], sandboxOrigins: readonly string[]): ReadonlyMap<string, Door> {
  const doors = new Map<string, Door>();
  const add = (text: string, door: Door) => {
    const { origin } = new URL(text);
    const before = doors.get(origin);
    doors.set(origin, before ? (asker) => before(asker) || door(asker) : door);
  };
  for (const host of hosts) add(originOf(host), (asker) => isOpenTo(host, asker?.organizationId));
  // Behind a sandbox's address is its control door, too: no tenant may point a webhook or an address of its own there.
  for (const origin of sandboxOrigins) add(origin, (asker) => asker?.instance === "sandbox");
  return doors;
}
