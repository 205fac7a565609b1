import { deactivateUser, reactivateUser } from "../../access/deactivation.ts";
import { type Email, readEmail } from "../../access/email.ts";
import { changeRoleAsOperator, createAccountAsOperator, requireAccount } from "../../access/operator.ts";
import { preparePassword } from "../../identity/passwords/passwords.ts";
import { setPasswordAsOperator } from "../../identity/passwords/set-as-operator.ts";
import { asOperator, CommandRefused, type OperatorOptions, print } from "../as-operator.ts";
import { askForPassword } from "./set-password.ts";

interface UserOptions extends OperatorOptions {
  email?: string;
  organization?: string;
  user?: string;
}

export async function create(options: UserOptions): Promise<void> {
  const email = emailOf(options);
  const made = await asOperator(
    options,
    (scope) => createAccountAsOperator(scope, { email, organizationId: options.organization }),
    "may create the store",
  );
  print({ user_id: made.user.id, organization_id: made.user.organizationId, api_key: made.apiKey }, options);
}

export async function setRole(options: UserOptions & { role: "owner" | "member" }): Promise<void> {
  const wanted = wantedAccount(options);
  const user = await asOperator(options, async (scope) => {
    const found = await requireAccount(scope, wanted);
    await changeRoleAsOperator(scope, found, options.role);
    return found;
  });
  print({ user_id: user.id, organization_id: user.organizationId, organization_role: options.role }, options);
}

export async function setPassword(options: UserOptions & { generate?: true }): Promise<void> {
  wantedAccount(options);
  const { password, isNew } = await askForPassword(options);
  const done = await asOperator(options, async (scope) => {
    const user = await requireAccount(scope, wantedAccount(options));
    const prepared = await preparePassword(password, user.email, { pointer: "", caller: "operator" });
    return { user, ...(await setPasswordAsOperator(scope, user, prepared)) };
  });
  print(
    {
      user_id: done.user.id,
      organization_id: done.user.organizationId,
      sessions_ended: done.sessionsEnded,
      ...(isNew ? { password } : {}),
    },
    options,
  );
}

export async function deactivate(options: UserOptions): Promise<void> {
  const wanted = wantedAccount(options);
  const done = await asOperator(options, async (scope) => {
    const user = await requireAccount(scope, wanted);
    return deactivateUser(scope, user.id);
  });
  print(
    {
      user_id: done.user.id,
      organization_id: done.user.organizationId,
      active: false,
      keys_deactivated: done.keysDeactivated,
      sessions_ended: done.sessionsEnded,
      invites_withdrawn: done.invitesWithdrawn,
      projects_without_active_admin: done.projectsWithoutAdmin,
    },
    options,
  );
}

export async function reactivate(options: UserOptions): Promise<void> {
  const wanted = wantedAccount(options);
  const done = await asOperator(options, async (scope) => {
    const user = await requireAccount(scope, wanted);
    return reactivateUser(scope, user.id);
  });
  print(
    {
      user_id: done.user.id,
      organization_id: done.user.organizationId,
      active: true,
      keys_restored: done.keysRestored,
      ...(done.newKey ? { api_key: done.newKey.apiKey } : {}),
    },
    options,
  );
}

function wantedAccount(options: UserOptions) {
  if (!options.user && !options.email) throw new CommandRefused("Name the account with --email or --user.");
  return {
    userId: options.user,
    email: options.email === undefined ? undefined : emailOf(options),
    organizationId: options.organization,
  };
}

function emailOf(options: UserOptions): Email {
  const email = readEmail(options.email ?? "");
  if (!email) throw new CommandRefused(`"${options.email}" is not an address that mail can be sent to.`);
  return email;
}
