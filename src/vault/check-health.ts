import type { Log } from "../kernel/log.ts";
import type { Db } from "../store/db.ts";
import { systemOf } from "../systems/index.ts";
import { type Obtained, SignInFailed, type Who } from "../systems/sign-in.ts";
import { StepFailed } from "../systems/work.ts";
import { type Outbound, onBehalfOf } from "../transport/outbound.ts";
import { type Connection, listDueForCheck } from "./connections.ts";
import { markLostOnce, updateChecked } from "./grants.ts";
import { nextCheckAt, nextCheckSoon } from "./next-health-check.ts";
import { runSignIn } from "./run-sign-in.ts";
import { SealBroken } from "./sealing/data-keys.ts";
import { endpointOf, type VaultConfig } from "./system-addresses.ts";
import type { Token, Tokens } from "./tokens.ts";

export interface CheckParts {
  db: Db;
  tokens: Tokens;
  /** The client for checking this account. */
  outboundFor(connection: Connection): Outbound;
  config: VaultConfig;
  now: () => Date;
  /** Called when a grant is lost, in the transaction that records it. */
  onLost(db: Db, connection: Connection, reason: string): Promise<void>;
}

/** The result of a check, not stored yet. */
export type CheckResult =
  | { kind: "well"; who: Who }
  | { kind: "lacking" | "away"; reason: string }
  | { kind: "lost"; reason: string };

/** Asks the system who the account is. Refreshes the token if due, and once more if the system refuses it. */
export async function checkAccount(connection: Connection, parts: CheckParts): Promise<CheckResult> {
  let refused: Token | undefined;
  for (;;) {
    try {
      const token = await parts.tokens.token(connection, refused);
      const who = await identify(connection, token, parts).catch((error) => {
        // A system can refuse a token because of its age. Refresh once, then believe the refusal.
        if (refused || !(error instanceof SignInFailed) || !error.isGrantLost) throw error;
        refused = token;
        return null;
      });
      if (who) return { kind: "well", who };
    } catch (error) {
      return checkResultOf(error);
    }
  }
}

function identify(connection: Connection, token: Token, parts: CheckParts): Promise<Who> {
  const endpoint = endpointOf(connection, parts.config);
  const { identity, scopes, accessLevel } = connection;
  const obtained: Obtained = { token: token.value.reveal(), expiresInSeconds: null, scopes };
  if (identity.email !== undefined) obtained.email = identity.email;
  if (identity.installation_id !== undefined) obtained.installationId = identity.installation_id;
  if (identity.sign_in_ends_at !== undefined) obtained.grantEndsAt = identity.sign_in_ends_at;
  if (identity.user_id !== undefined) obtained.userId = identity.user_id;
  const wish = {
    obtained,
    knownLevel: accessLevel,
    known: identity,
    ...(identity.team_id ? { teamId: identity.team_id } : {}),
  };
  const outbound = onBehalfOf(connection, parts.outboundFor(connection));
  return runSignIn(systemOf(connection.system).signIn.identify(obtained.token, endpoint, wish), endpoint, outbound);
}

const sealBroken = "Its credentials cannot be decrypted with the keys of this server: reconnect it.";

function checkResultOf(error: unknown): CheckResult {
  if (error instanceof StepFailed) {
    const { code, detail: reason } = error.failure;
    if (code === "needs_reconnect") return { kind: "lost", reason };
    // A lost grant was already recorded where it was noticed. Any other refusal, such as of the operator's own client,
    // ends with its cause and must not cost every user a new sign-in.
    return { kind: code === "authentication_failed" ? "lacking" : "away", reason };
  }
  // One row that cannot be decrypted must not keep the rows behind it from being checked.
  if (error instanceof SealBroken) return { kind: "lacking", reason: sealBroken };
  if (!(error instanceof SignInFailed)) throw error;
  if (error.isGrantLost) return { kind: "lost", reason: error.message };
  return { kind: error.reason === "missing_permissions" ? "lacking" : "away", reason: error.message };
}

/** Stores the result in the transaction of the change. */
export async function saveCheckResult(
  db: Db,
  connection: Connection,
  result: CheckResult,
  parts: Pick<CheckParts, "now" | "onLost">,
): Promise<void> {
  if (result.kind === "lost") return markLostOnce(db, connection, result.reason, parts);
  const now = parts.now();
  const well = result.kind === "well";
  await updateChecked(db, connection, {
    ok: well,
    reason: well ? result.who.lacks : result.reason,
    nextCheckAt: result.kind === "away" ? nextCheckSoon(now) : nextCheckAt(now),
    now: now.toISOString(),
    who: well ? result.who : undefined,
  });
}

/**
 * A check takes up to a minute if its system is slow. Connections of one organization wait for each other, and for no
 * others.
 */
const ofEachMax = 20;
const rowsMax = 200;
const roundMilliseconds = 50_000;

/** Checks every connection from time to time, so that a broken one is noticed before it is needed. */
export async function checkDue(parts: CheckParts, log: Log): Promise<number> {
  const due = await listDueForCheck(parts.db, parts.now().toISOString(), ofEachMax, rowsMax);
  const byOrganization = [...Map.groupBy(due, ({ organizationId }) => organizationId).values()];
  await Promise.all(byOrganization.map((connections) => checkAll(connections, parts, log)));
  return due.length;
}

async function checkAll(connections: readonly Connection[], parts: CheckParts, log: Log): Promise<void> {
  const until = performance.now() + roundMilliseconds;
  for (const connection of connections) {
    // The rest is due in the next round.
    if (performance.now() > until) return;
    const result = await checkAccount(connection, parts);
    await parts.db.transaction((db) => saveCheckResult(db, connection, result, parts));
    if (result.kind !== "well")
      log.warn({ connection_id: connection.id, reason: result.reason }, "a connection is not well");
  }
}
