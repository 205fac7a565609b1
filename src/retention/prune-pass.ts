import type { AnchorSeal } from "../access/audit/anchors.ts";
import { type AnyScope, announceNothing } from "../access/scope.ts";
import type { Log } from "../kernel/log.ts";
import type { Region } from "../kernel/regions.ts";
import type { Db, Store } from "../store/db.ts";
import type { Held } from "./legal-holds.ts";
import { readHeld } from "./legal-holds.ts";
import type { Lease } from "./pruner-lease.ts";
import { type KindPolicy, type RetentionKind, readPolicy } from "./retention-policy.ts";

/** What each part of a pass works with. */
export interface PassParts {
  store: Store;
  region: Region;
  /** Seals the anchors of audit chains. */
  seal: AnchorSeal;
  archiveFolder: string;
  log: Log;
  now: () => Date;
  /** Decides what has expired: a jump of the clock makes nothing expire. */
  expiryNow: () => Date;
  /** Resolves when other work has had its turn. Called between two batches. */
  pause(): Promise<void>;
  lease: Lease;
  hasStopped(): boolean;
}

/** The owner has changed the policy, or put something on hold, since the pass read them. */
export class PolicyChanged extends Error {}

/** What a pass deletes of one organization. */
export interface Target {
  organizationId: string;
  kind: RetentionKind;
  policy: KindPolicy;
}

/** Called inside a transaction that holds the organization's lock. Returns what is on hold. */
export async function requireSamePolicy(db: Db, { organizationId, kind, policy }: Target): Promise<Held> {
  const held = await readHeld(db, organizationId);
  const now = (await readPolicy(db, organizationId))[kind];
  if (held.everything || now.days !== policy.days || now.export !== policy.export) throw new PolicyChanged();
  return held;
}

const day = 86_400_000;

/** What ended before this time has expired. It moves once a day, so that an organization gets one archive a day. */
export function cutOff(now: Date, days: number): string {
  const today = Math.floor(now.getTime() / day) * day;
  return new Date(today - days * day).toISOString();
}

/** Who acts in the audit rows of a pass: the policy. */
export const retentionScope = (db: Db, { region, now }: Pick<PassParts, "region" | "now">): AnyScope => ({
  db,
  region,
  now,
  actor: { kind: "nobody" },
  through: "retention",
  projectId: null,
  requestId: null,
  ip: null,
  announce: announceNothing,
  afterCommit: noCallbacks,
  onRollback: noCallbacks,
});

const noCallbacks = () => {
  throw new Error("A pass of the pruner has no callbacks.");
};
