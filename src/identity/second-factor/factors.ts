import { findOrganization, type Organization } from "../../access/organizations.ts";
import { Problem } from "../../kernel/problem.ts";
import type { Db } from "../../store/db.ts";
import { countFactors, endPasswordSessions, startEnrolling, stopEnrolling } from "./factors.store.ts";

/** The factors of an account besides its password, and whether its organization requires one. */
export interface Factors {
  passkeys: number;
  codes: number;
  required: boolean;
}

export async function factorsOf(db: Db, user: { id: string; organizationId: string }): Promise<Factors> {
  const organization = await findOrganization(db, user.organizationId);
  return { ...(await countFactors(db, user.id)), required: organization?.secondFactor === "required" };
}

/** Throws if the organization requires a second factor and this is the last one. */
export async function refuseLastFactor(db: Db, user: { id: string; organizationId: string }): Promise<void> {
  const { passkeys, codes, required } = await factorsOf(db, user);
  if (required && passkeys + codes <= 1) throw new Problem("last_second_factor");
}

/**
 * Applies a changed requirement at once, not from the next sign-in on. Password sessions of people without a second
 * factor can only set one up. People with one have to sign in again with it.
 */
export async function applySecondFactor(
  db: Db,
  { id, secondFactor }: Pick<Organization, "id" | "secondFactor">,
  now: Date,
): Promise<void> {
  if (secondFactor === "optional") return stopEnrolling(db, id);
  await endPasswordSessions(db, id, now.toISOString());
  await startEnrolling(db, id);
}
