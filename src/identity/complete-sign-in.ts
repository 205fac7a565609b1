import { openSession } from "../access/callers/sessions.ts";
import { findUser, type User } from "../access/users.ts";
import { Problem } from "../kernel/problem.ts";
import { commitWithoutEffect } from "./challenges.ts";
import { asPerson, refuseEntry } from "./compare-password.ts";
import type { PublicScope } from "./public-scope.ts";
import { isAddressVerifiedFor } from "./sso/domains.ts";

/** The end of every sign-in, and the traces of a failed one. */

export type EntryMethod = "password" | "password_and_code" | "passkey" | "sign_up";

/**
 * Opens a session with its audit row and sets its cookie. `prove` runs in the same transaction, to use one-time
 * credentials.
 */
export async function enter(
  scope: PublicScope,
  user: User,
  method: EntryMethod,
  more: { enrolling?: boolean; prove?: (inside: PublicScope) => Promise<Record<string, unknown> | undefined> } = {},
): Promise<void> {
  const token = await scope.change(user.organizationId, async (inside) => {
    // Refuses a person who was deactivated in the meantime, or who must use single sign-on by now.
    const now = await findUser(inside.db, user.id);
    if (!now) throw new Problem("account_deactivated");
    await refuseEntry(inside.db, now);
    const proof = await more.prove?.(inside);
    const wanted = { userId: user.id, method, userAgent: scope.userAgent, enrolling: more.enrolling ?? false };
    const opened = await openSession(inside, wanted);
    return {
      value: opened.token,
      actor: asPerson(user, opened.session),
      action: "session.created",
      target: opened.session.id,
      details: { method, ...proof },
    };
  });
  scope.setSession(token);
  scope.rememberBrowser(user.id, method === "password_and_code" || method === "passkey");
}

/**
 * Writes audit rows for a failed sign-in. Without an account it spends the same time. An organization whose directory
 * sent an address of a foreign domain gets no row.
 */
export async function noteFailure(scope: PublicScope, users: User[], details: Record<string, unknown>): Promise<void> {
  const audited: User[] = [];
  for (const user of users) if (await isAddressVerifiedFor(scope.db, user)) audited.push(user);
  if (audited.length === 0) await commitWithoutEffect(scope.db, scope.now());
  for (const user of audited) {
    await scope.change(user.organizationId, async () => ({
      value: undefined,
      action: "sign_in.failed",
      target: user.id,
      details,
    }));
  }
}
