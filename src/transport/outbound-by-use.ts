import type { Log } from "../kernel/log.ts";
import { type Resolve, resolveWithSystem } from "./address-guard.ts";
import { createOutbound, type Outbound, type RefusedAddress } from "./outbound.ts";
import { type PrivateHost, type Use, uses } from "./private-hosts.ts";

/** One outbound per use, each with its own list of private addresses and its own connections. */
export type OutboundByUse = Readonly<Record<Use, Outbound>> & { close(): Promise<void> };

export function createOutboundByUse(
  privateHosts: Readonly<Record<Use, readonly PrivateHost[]>>,
  sandboxes: Readonly<Record<string, string>> | null,
  log: Log,
  resolve: Resolve = resolveWithSystem,
): OutboundByUse {
  const sandboxOrigins = Object.values(sandboxes ?? {});
  const open = (use: Use): Outbound =>
    createOutbound({
      privateOrigins: privateHosts[use],
      resolve,
      onRefused: logOncePerMinute(use, log),
      ...(use === "steps" ? { sandboxOrigins } : {}),
    });
  const outbounds = Object.fromEntries(uses.map((use) => [use, open(use)])) as Record<Use, Outbound>;
  return { ...outbounds, close: async () => void (await Promise.all(uses.map((use) => outbounds[use].close()))) };
}

const logEveryMilliseconds = 60_000;
const loggedMax = 1000;

/** A tenant can retry as often as its rate limit allows; the log reports each case once a minute. */
function logOncePerMinute(use: Use, log: Log): (refused: RefusedAddress) => void {
  const loggedAt = new Map<string, number>();
  return ({ origin, organizationId, detail }) => {
    const what = `${organizationId} ${origin} ${detail}`;
    const now = performance.now();
    if ((loggedAt.get(what) ?? -logEveryMilliseconds) + logEveryMilliseconds > now) return;
    if (loggedAt.size >= loggedMax) loggedAt.clear();
    loggedAt.set(what, now);
    log.warn({ use, origin, organization_id: organizationId, detail }, "an address was not called");
  };
}
