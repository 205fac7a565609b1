import type { Log } from "../kernel/log.ts";
import { type Resolve, resolveByMachine } from "./address-guard.ts";
import { createOutbound, type Outbound, type RefusedAddress } from "./outbound.ts";
import { type PrivateHost, type Use, uses } from "./private-hosts.ts";

/** One way out for each use, with its own list of private addresses and its own connections. */
export type OutboundByUse = Readonly<Record<Use, Outbound>> & { close(): Promise<void> };

export function createOutboundByUse(
  privateHosts: Readonly<Record<Use, readonly PrivateHost[]>>,
  sandboxes: Readonly<Record<string, string>> | null,
  log: Log,
  resolve: Resolve = resolveByMachine,
): OutboundByUse {
  const sandboxOrigins = Object.values(sandboxes ?? {});
  const open = (use: Use): Outbound =>
    createOutbound({
      privateOrigins: privateHosts[use],
      resolve,
      onRefused: logSometimes(use, log),
      ...(use === "steps" ? { sandboxOrigins } : {}),
    });
  const ways = Object.fromEntries(uses.map((use) => [use, open(use)])) as Record<Use, Outbound>;
  return { ...ways, close: async () => void (await Promise.all(uses.map((use) => ways[use].close()))) };
}

const againMilliseconds = 60_000;
const remembered = 1000;

/** A tenant can try as often as its rate limit lets it; the log says each thing once a minute. */
function logSometimes(use: Use, log: Log): (refused: RefusedAddress) => void {
  const said = new Map<string, number>();
  return ({ origin, organizationId, detail }) => {
    const what = `${organizationId} ${origin} ${detail}`;
    const now = performance.now();
    if ((said.get(what) ?? -againMilliseconds) + againMilliseconds > now) return;
    if (said.size >= remembered) said.clear();
    said.set(what, now);
    log.warn({ use, origin, organization_id: organizationId, detail }, "an address was not called");
  };
}
