import { listKeysOf } from "../../access/callers/keys.ts";
import { readEmail } from "../../access/email.ts";
import { createKeyAsOperator, requireAccount, revokeKeyAsOperator } from "../../access/operator.ts";
import type { Operator, Scope } from "../../access/scope.ts";
import type { User } from "../../access/users.ts";
import { asOperator, CommandRefused, type OperatorOptions, print, printRows } from "../as-operator.ts";

interface KeyOptions extends OperatorOptions {
  email?: string;
  organization?: string;
  key?: string;
  label?: string;
}

export async function create(options: KeyOptions): Promise<void> {
  const made = await asOperator(options, async (scope) =>
    createKeyAsOperator(scope, await accountOf(scope, options), options.label ?? "made by the operator"),
  );
  print({ key_id: made.key.id, user_id: made.key.userId, api_key: made.apiKey }, options);
}

export async function list(options: KeyOptions): Promise<void> {
  const keys = await asOperator(options, async (scope) => {
    const user = await accountOf(scope, options);
    return listKeysOf(scope.db, user.id, { after: "", limit: 1000 });
  });
  printRows(
    keys.map((key) => ({
      key_id: key.id,
      label: key.label,
      hint: key.hint,
      created_at: key.createdAt,
      expires_at: key.expiresAt,
      revoked_at: key.revokedAt,
      last_used_at: key.lastUsedAt,
    })),
    options,
  );
}

export async function revoke(options: KeyOptions): Promise<void> {
  const keyId = options.key ?? "";
  await asOperator(options, (scope) => revokeKeyAsOperator(scope, keyId));
  print({ key_id: keyId, revoked: true }, options);
}

function accountOf(scope: Scope<Operator>, options: KeyOptions): Promise<User> {
  const email = readEmail(options.email ?? "");
  if (!email) throw new CommandRefused(`"${options.email}" is not an address that mail can be sent to.`);
  return requireAccount(scope, { email, organizationId: options.organization });
}
