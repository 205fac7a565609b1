import { findOrganization, type Organization } from "../../access/organizations.ts";
import { Problem } from "../../kernel/problem.ts";
import type { Db } from "../../store/db.ts";
import { countFactors, endPasswordSessions, startEnrolling, stopEnrolling } from "./factors.store.ts";

/** What an account has beside its password, and what its organization asks for. */
export interface Factors {
  passkeys: number;
  codes: number;
  required: boolean;
}

export async function factorsOf(db: Db, user: { id: string; organizationId: string }): Promise<Factors> {
  const organization = await findOrganization(db, user.organizationId);
  return { ...(await countFactors(db, user.id)), required: organization?.secondFactor === "required" };
}

/** The organization asks for a second factor, and the last one is about to go. */
export async function keepOneFactor(db: Db, user: { id: string; organizationId: string }): Promise<void> {
  const { passkeys, codes, required } = await factorsOf(db, user);
  if (required && passkeys + codes <= 1) throw new Problem("last_second_factor");
}

/**
 * The organization has changed its mind. From now on, and not from the next sign-in on: whoever is in by a password alone, and
 * has nothing else, can only set up a second factor with the sessions they have; whoever has one comes in again with it.
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
