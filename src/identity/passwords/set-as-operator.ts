import { appendAudit, lockChain } from "../../access/audit/audit.ts";
import { endSessionsOf } from "../../access/callers/sessions.ts";
import type { Operator, Scope } from "../../access/scope.ts";
import type { User } from "../../access/users.ts";
import { Problem } from "../../kernel/problem.ts";
import { deleteChallengesOf } from "../challenges.ts";
import { type NewPassword, setPassword } from "./passwords.ts";

/** The operator sets a person's password. This ends all sessions. */
export async function setPasswordAsOperator(
  base: Scope<Operator>,
  user: User,
  password: NewPassword,
): Promise<{ sessionsEnded: number }> {
  if (user.kind === "service") throw new Problem("user_not_found", "A service user has keys and cannot sign in.");
  return base.db.transaction(async (db) => {
    const scope = { ...base, db };
    const head = await lockChain(db, user.organizationId);
    await setPassword(db, user.id, password, scope.now());
    await deleteChallengesOf(db, user.id, "password_reset");
    const sessionsEnded = await endSessionsOf(db, user.id, scope.now().toISOString());
    const details = { sessions_ended: sessionsEnded };
    await appendAudit(scope, head, { action: "password.set", target: user.id, details });
    return { sessionsEnded };
  });
}
