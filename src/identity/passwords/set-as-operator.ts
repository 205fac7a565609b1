import { appendAudit, lockChain } from "../../access/audit/audit.ts";
import { revokeSessionsOf } from "../../access/callers/sessions.ts";
import type { Operator, Scope } from "../../access/scope.ts";
import type { User } from "../../access/users.ts";
import { Problem } from "../../kernel/problem.ts";
import { dropChallenges } from "../challenges.ts";
import { keepPassword, type NewPassword } from "./passwords.ts";

/** The person at the machine gives somebody a password. Whoever was in with the old one is out. */
export async function setPasswordAsOperator(
  outside: Scope<Operator>,
  user: User,
  password: NewPassword,
): Promise<{ sessionsEnded: number }> {
  if (user.kind === "service") throw new Problem("user_not_found", "A service user has keys and cannot sign in.");
  return outside.db.transaction(async (db) => {
    const scope = { ...outside, db };
    const head = await lockChain(db, user.organizationId);
    await keepPassword(db, user.id, password, scope.now());
    await dropChallenges(db, user.id, "password_reset");
    const sessionsEnded = await revokeSessionsOf(db, user.id, scope.now().toISOString());
    const details = { sessions_ended: sessionsEnded };
    await appendAudit(scope, head, { action: "password.set", target: user.id, details });
    return { sessionsEnded };
  });
}
