import * as z from "zod";
import { openSession } from "../../access/callers/sessions.ts";
import { findUser, type User } from "../../access/users.ts";
import type { PublicScope, Rooms } from "../../calls/define.ts";
import { commitWithoutEffect } from "../../identity/challenges.ts";
import { asPerson, refuseEntry } from "../../identity/sign-in.ts";
import { isAddressVerifiedFor } from "../../identity/sso/domains.ts";
import { Problem } from "../../kernel/problem.ts";

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

/**
 * Limits wrong attempts for each account. Each attempt is counted before it is checked, so that concurrent attempts get
 * no more than sequential ones, and refunded if it was right.
 */
export async function withinTries<T>(
  { limits }: Rooms,
  subject: string,
  ip: string | null,
  work: () => Promise<T>,
): Promise<T> {
  await limits.admit(["sign_in_failure"], subject);
  try {
    const done = await work();
    limits.refund("sign_in_failure", subject);
    return done;
  } catch (error) {
    if (error instanceof Problem && isWrong.has(error.code)) {
      if (ip !== null) await limits.admit(["auth_failure"], ip);
    } else {
      limits.refund("sign_in_failure", subject);
    }
    throw error;
  }
}

const isWrong = new Set<string>(["sign_in_failed", "code_refused", "password_wrong", "passkey_refused"]);

/** The response of every sign-in. */
export const signInOutput = z.object({
  state: z
    .enum(["signed_in", "set_up_second_factor", "code_required", "passkey_required", "choose_organization"])
    .meta({
      description:
        "`signed_in`: the session cookie is set. `set_up_second_factor`: the cookie is set, and allows only to set up a passkey or one-time codes. The others say what is missing",
    }),
  user_id: z.string().nullable().meta({ description: "The account; null until it is known" }),
  organization_id: z.string().nullable().meta({ description: "Its organization; null until it is known" }),
  sign_in_token: z.string().nullable().meta({ description: "For `auth/sign_in/code`, if a code is missing" }),
  organizations: z
    .array(z.object({ organization_id: z.string(), name: z.string() }))
    .meta({ description: "If there are several to choose from: those whose account has this password" }),
});
z.globalRegistry.add(signInOutput, { id: "SignIn" });

export const signedIn = (user: User, state: z.output<typeof signInOutput>["state"] = "signed_in") => ({
  state,
  user_id: user.id,
  organization_id: user.organizationId,
  sign_in_token: null,
  organizations: [],
});
