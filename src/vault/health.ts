import type { Log } from "../kernel/log.ts";
import type { Db } from "../store/db.ts";
import { systemOf } from "../systems/index.ts";
import { type Obtained, SignInFailed, type Who } from "../systems/sign-in.ts";
import { StepFailed } from "../systems/work.ts";
import { type Outbound, onBehalfOf } from "../transport/outbound.ts";
import { ask } from "./ask.ts";
import { type Connection, listDueForCheck } from "./connections.ts";
import { endpointOf, type VaultConfig } from "./endpoint.ts";
import { loseIfStill, updateChecked } from "./grants.ts";
import { nextCheckAt, nextCheckSoon } from "./next-check.ts";
import { SealBroken } from "./sealing/data-keys.ts";
import type { Token, Tokens } from "./tokens.ts";

export interface CheckParts {
  db: Db;
  tokens: Tokens;
  /** The way out for a look at this account. */
  outboundFor(connection: Connection): Outbound;
  config: VaultConfig;
  now: () => Date;
  /** Told when a grant turns out to be gone, in the transaction that says so. */
  onLost(db: Db, connection: Connection, reason: string): Promise<void>;
}

/** What a look has found; nothing of it is written down yet. */
export type Finding =
  | { kind: "well"; who: Who }
  | { kind: "lacking" | "away"; reason: string }
  /** The grant is gone. */
  | { kind: "lost"; reason: string };

/** Asks the system who the account is. Fetches a token for it where that is due, and once more where it is refused. */
export async function examine(connection: Connection, parts: CheckParts): Promise<Finding> {
  let refused: Token | undefined;
  for (;;) {
    try {
      const token = await parts.tokens.token(connection, refused);
      const who = await identify(connection, token, parts).catch((error) => {
        // A token can be refused for its age; one more is asked for, and then the refusal is believed.
        if (refused || !(error instanceof SignInFailed) || !error.isGone) throw error;
        refused = token;
        return null;
      });
      if (who) return { kind: "well", who };
    } catch (error) {
      return findingOf(error);
    }
  }
}

function identify(connection: Connection, token: Token, parts: CheckParts): Promise<Who> {
  const endpoint = endpointOf(connection, parts.config);
  const { identity, scopes, accessLevel } = connection;
  const obtained: Obtained = { token: token.value.reveal(), expiresInSeconds: null, scopes };
  if (identity.email !== undefined) obtained.email = identity.email;
  if (identity.installation_id !== undefined) obtained.installationId = identity.installation_id;
  const wish = { obtained, knownLevel: accessLevel, ...(identity.team_id ? { teamId: identity.team_id } : {}) };
  const outbound = onBehalfOf(connection, parts.outboundFor(connection));
  return ask(systemOf(connection.system).signIn.identify(obtained.token, endpoint, wish), endpoint, outbound);
}

const sealBroken = "Its credentials cannot be opened with the keys of this server: reconnect it.";

function findingOf(error: unknown): Finding {
  if (error instanceof StepFailed) {
    const { code, detail: reason } = error.failure;
    if (code === "needs_reconnect") return { kind: "lost", reason };
    // A grant that is gone was marked so when that was learnt. Any other refusal, such as of the operator's own client, passes
    // once it is mended, and must not cost every person a new sign-in.
    return { kind: code === "authentication_failed" ? "lacking" : "away", reason };
  }
  // One row that cannot be read must not keep those behind it from being looked at.
  if (error instanceof SealBroken) return { kind: "lacking", reason: sealBroken };
  if (!(error instanceof SignInFailed)) throw error;
  if (error.isGone) return { kind: "lost", reason: error.message };
  return { kind: error.reason === "missing_permissions" ? "lacking" : "away", reason: error.message };
}

/** Writes down what was found, in the transaction of the change. */
export async function keepFinding(
  db: Db,
  connection: Connection,
  finding: Finding,
  parts: Pick<CheckParts, "now" | "onLost">,
): Promise<void> {
  if (finding.kind === "lost") return loseIfStill(db, connection, finding.reason, parts);
  const now = parts.now();
  const well = finding.kind === "well";
  await updateChecked(db, connection, {
    ok: well,
    reason: well ? finding.who.lacks : finding.reason,
    nextCheckAt: finding.kind === "away" ? nextCheckSoon(now) : nextCheckAt(now),
    now: now.toISOString(),
    who: well ? finding.who : undefined,
  });
}

/** A look takes a minute where its system is slow: those of one organization wait for each other, and nobody else does. */
const ofEachMax = 20;
const rowsMax = 200;
const roundMilliseconds = 50_000;

/** Looks at every connection from time to time, so that a broken one is seen before it is needed. */
export async function checkDue(parts: CheckParts, log: Log): Promise<number> {
  const due = await listDueForCheck(parts.db, parts.now().toISOString(), ofEachMax, rowsMax);
  const lines = [...Map.groupBy(due, ({ organizationId }) => organizationId).values()];
  await Promise.all(lines.map((connections) => checkAll(connections, parts, log)));
  return due.length;
}

async function checkAll(connections: readonly Connection[], parts: CheckParts, log: Log): Promise<void> {
  const until = performance.now() + roundMilliseconds;
  for (const connection of connections) {
    // What is left is due in the next round.
    if (performance.now() > until) return;
    const finding = await examine(connection, parts);
    await parts.db.transaction((db) => keepFinding(db, connection, finding, parts));
    if (finding.kind !== "well")
      log.warn({ connection_id: connection.id, reason: finding.reason }, "a connection is not well");
  }
}
