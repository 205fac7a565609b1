import { hash, timingSafeEqual } from "node:crypto";
import { type OpenedSession, openSession } from "../access/callers/sessions.ts";
import { readEmail } from "../access/email.ts";
import { type Invite, requireInviteByCode, type SentCode } from "../access/invites.ts";
import { findOrganization } from "../access/organizations.ts";
import { findProject } from "../access/projects.ts";
import type { AnyScope } from "../access/scope.ts";
import { createAccount, findUser, type User } from "../access/users.ts";
import { Problem } from "../kernel/problem.ts";
import { randomBase62, randomByte } from "../kernel/random.ts";
import type { Seal } from "../vault/sealing/seal.ts";
import { beginChallenge, findChallenge, spendAttempt, takeChallenge } from "./challenges.ts";
import type { SignInLimits } from "./count-wrong-codes.ts";
import { type NewPassword, setPassword } from "./passwords/passwords.ts";
import type { PublicScope } from "./public-scope.ts";
import { factorsOf } from "./second-factor/factors.ts";
import { refuseIfSsoRequired } from "./sso/required-sso.ts";

export interface InvitePreview {
  invite: Invite;
  organizationId: string;
  organizationName: string;
  projectName: string;
  invitedBy: string;
  invitedByName: string;
}

/** What the holder of an invite code may see before they accept: who invites them, and to what. */
export async function previewInvite(scope: AnyScope, code: SentCode): Promise<InvitePreview> {
  const { invite, organizationId } = await requireInviteByCode(scope, code);
  const organization = await findOrganization(scope.db, organizationId);
  const project = await findProject(scope.db, invite.projectId);
  const inviter = await findUser(scope.db, invite.invitedBy);
  return {
    invite,
    organizationId,
    organizationName: organization?.name ?? "",
    projectName: project?.name ?? "",
    invitedBy: inviter?.email ?? "",
    invitedByName: inviter?.name ?? "",
  };
}

/** A password would bypass single sign-on where the organization requires it for this domain. */
export const refuseSignUpIfSsoRequired = (scope: AnyScope, { invite, organizationId }: InvitePreview): Promise<void> =>
  refuseIfSsoRequired(scope.db, { emailKey: invite.emailKey, organizationId, organizationRole: "member" });

const codeDigits = 8;

/**
 * Begins a sign-up and returns the code to mail. The sender of an invite also knows its code, so only the mailed code
 * proves that the address belongs to the new person.
 */
export async function beginSignUp(
  scope: AnyScope,
  seal: Seal,
  wanted: { invite: Invite; name: string; password: NewPassword | null },
): Promise<{ token: string; code: string; expiresAt: string }> {
  const token = randomBase62(43);
  const code = newCode();
  const details = {
    invite_code: wanted.invite.code,
    name: wanted.name,
    sealed_code: seal.seal(code, codeSealContext(token)),
    ...(wanted.password ? { password_hash: wanted.password.hash } : {}),
  };
  const { expiresAt } = await beginChallenge(scope.db, "sign_up", { userId: null, details, now: scope.now(), token });
  return { token, code, expiresAt };
}

/**
 * Counts the attempt, in the challenge and for the address of the caller, and compares the code. Returns the invite's code as it
 * is stored. Throws if the code is wrong, or if the sign-up expired.
 */
export async function requireSignUp(
  scope: PublicScope,
  { token, code }: { token: string; code: string },
  limits: SignInLimits,
): Promise<SentCode> {
  const read = await readSignUp(scope, scope.seal, token, code);
  if (read) return read;
  await limits.admit(["auth_failure"], scope.ip);
  throw new Problem("code_refused");
}

async function readSignUp(scope: AnyScope, seal: Seal, token: string, code: string): Promise<SentCode | null> {
  const challenge = await findChallenge(scope.db, "sign_up", token, scope.now());
  if (!challenge || !(await spendAttempt(scope.db, token))) throw new Problem("challenge_gone");
  const { invite_code: inviteCode = "", sealed_code: sealed } = challenge.details;
  const right = openCode(seal, sealed, token);
  return timingSafeEqual(hashOf(code.replace(/\s/g, "")), hashOf(right)) ? asStored(inviteCode) : null;
}

export interface SignedUp extends OpenedSession {
  user: User;
  accepted: Invite[];
  /** The session may only set up the second factor that the organization requires. */
  enrolling: boolean;
}

/** Creates the account with its password, its memberships and its first session, in one transaction under the organization's lock. */
export async function finishSignUp(scope: AnyScope, signUpToken: string, userAgent: string): Promise<SignedUp> {
  const { user, accepted } = await createInvited(scope, signUpToken);
  const enrolling = (await factorsOf(scope.db, user)).required;
  const opened = await openSession(scope, { userId: user.id, method: "sign_up", userAgent, enrolling });
  return { user, accepted, enrolling, ...opened };
}

async function createInvited(scope: AnyScope, token: string): Promise<{ user: User; accepted: Invite[] }> {
  const now = scope.now();
  const challenge = await takeChallenge(scope.db, "sign_up", token, now);
  if (!challenge) throw new Problem("challenge_gone");
  const { invite_code: inviteCode = "", name = "", password_hash: passwordHash } = challenge.details;
  const { invite, organizationId } = await requireInviteByCode(scope, asStored(inviteCode));
  const email = readEmail(invite.email);
  if (!email) throw new Problem("invite_not_found");
  const { user, accepted } = await createAccount(scope, {
    organizationId,
    email,
    organizationRole: "member",
    name,
    emailVerified: true,
  });
  if (passwordHash !== undefined) await setPassword(scope.db, user.id, { hash: passwordHash }, now);
  return { user, accepted };
}

const asStored = (code: string): SentCode => ({ code, stored: code });

/** The code is sealed and not hashed: the hash of eight digits is easily reversed by a reader of the store. */
const codeSealContext = (token: string): string => `sign_up|${hash("sha256", token, "hex")}`;

/** The code does not open if an earlier version stored it as a hash, or if the master key was replaced. */
function openCode(seal: Seal, sealed: string | undefined, token: string): string {
  try {
    return seal.open(sealed ?? "", codeSealContext(token));
  } catch {
    throw new Problem("challenge_gone");
  }
}

const hashOf = (text: string): Buffer => hash("sha256", text, "buffer");

function newCode(): string {
  let code = "";
  while (code.length < codeDigits) {
    const byte = randomByte();
    // 250 of the 256 bytes: every digit is equally likely.
    if (byte < 250) code += String(byte % 10);
  }
  return code;
}
