import type { AccessLoss } from "../access/callers/still-allowed.ts";
import { failed } from "../systems/fail-step.ts";
import { type Failure, StepFailed } from "../systems/work.ts";
import { type Connection, needsReconnect } from "../vault/vault.ts";
import type { Gathered, StepCall, StepPorts } from "./ports.ts";

/*
 * "Judgement right before sending: connection, policy and owner are read again after every wait." A call that did not
 * wait uses what it read when it began, and makes no further read.
 */

/** How long a check stays valid even without a known wait: a commit or a busy event loop takes time, too. */
const freshMilliseconds = 1000;

export const isStale = ({ checkedAt = 0 }: Gathered): boolean => performance.now() - checkedAt > freshMilliseconds;

/**
 * Reads connection and owner again. Returns true if a change must be judged by the policy; throws StepFailed if the
 * account is gone or its owner may no longer act.
 */
export async function recheck(call: StepCall, ports: Pick<StepPorts, "vault">, gathered: Gathered): Promise<boolean> {
  const before = call.connection;
  const [found, why] = await Promise.all([
    ports.vault.find(before.projectId, before.id),
    call.findAccessLoss?.() ?? null,
  ]);
  if (why) throw new StepFailed(ownerFailures[why], null);
  if (found?.state !== "connected") {
    throw new StepFailed(needsReconnect(found?.state ?? "removed", found?.stateReason ?? null), null);
  }
  refuseMoved(before, found);
  gathered.checkedAt = performance.now();
  call.connection = found;
  return found.revision !== before.revision && hasChanged(before, found);
}

/** A new token, a new name or a health check do not change what may be sent. */
const hasChanged = (before: Connection, now: Connection): boolean =>
  before.grantedAt !== now.grantedAt || JSON.stringify(before.policy) !== JSON.stringify(now.policy);

/** The request was built for the earlier address. */
function refuseMoved(before: Connection, now: Connection): void {
  const isSame = before.instance === now.instance && isSameAddresses(before.addresses, now.addresses);
  if (isSame) return;
  const detail = "The account was connected to another address while this call was under way.";
  throw new StepFailed(failed("system_unavailable", "give up", detail), null);
}

const isSameAddresses = (before: Connection["addresses"], now: Connection["addresses"]): boolean =>
  before === now || JSON.stringify(before) === JSON.stringify(now);

const ownerFailures: Readonly<Record<AccessLoss, Failure>> = {
  deactivated: failed("owner_deactivated", "give up", "The person who started this was deactivated while it waited."),
  "not allowed": failed(
    "owner_not_allowed",
    "give up",
    "The person who started this may no longer run anything in this project.",
  ),
};
