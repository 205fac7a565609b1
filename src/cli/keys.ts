import { type Command, Option } from "commander";
import { listKeysOf } from "../access/callers/keys.ts";
import { readEmail } from "../access/email.ts";
import { createKeyAsOperator, requireAccount, revokeKeyAsOperator } from "../access/operator.ts";
import type { Operator, Scope } from "../access/scope.ts";
import type { User } from "../access/users.ts";
import { groupCommand } from "./calling/generated.ts";
import { asOperator, CommandRefused, type OperatorOptions, print, printRows } from "./command.ts";

interface KeyOptions extends OperatorOptions {
  email?: string;
  organization?: string;
  key?: string;
  label?: string;
}

const ofAccount = [
  new Option("--email <address>", "for operators, on this machine's store: the person's address"),
  new Option("--organization <id>", "with --email: where the address has several accounts"),
];

/** Of your own account through the server; with --email or --key, of any account on this machine's store. */
export const keysCommand = (): Command =>
  groupCommand("keys", "Create, list and revoke API keys", [], {
    create: { options: ofAccount, isMeant: ({ email }) => email !== undefined, run: create },
    list: { options: ofAccount, isMeant: ({ email }) => email !== undefined, run: list },
    revoke: {
      options: [new Option("--key <id>", "for operators, on this machine's store: any key, key_…")],
      isMeant: ({ key }) => key !== undefined,
      run: revoke,
    },
  });

async function create(options: KeyOptions): Promise<void> {
  const made = await asOperator(options, async (scope) =>
    createKeyAsOperator(scope, await accountOf(scope, options), options.label ?? "made by the operator"),
  );
  print({ key_id: made.key.id, user_id: made.key.userId, api_key: made.apiKey }, options);
}

async function list(options: KeyOptions): Promise<void> {
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

async function revoke(options: KeyOptions): Promise<void> {
  const keyId = options.key ?? "";
  await asOperator(options, (scope) => revokeKeyAsOperator(scope, keyId));
  print({ key_id: keyId, revoked: true }, options);
}

function accountOf(scope: Scope<Operator>, options: KeyOptions): Promise<User> {
  const email = readEmail(options.email ?? "");
  if (!email) throw new CommandRefused(`"${options.email}" is not an address that mail can be sent to.`);
  return requireAccount(scope, { email, organizationId: options.organization });
}
